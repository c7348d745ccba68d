import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { openFolder, ROOT } from './project.ts';
import { identityOf, type User } from './users.ts';

let installed: string | undefined;

/** The built package where every user may run it, as an installation would be. */
export function installedPackage(): string {
  if (installed === undefined) {
    installed = realpathSync(openFolder('package'));
    cpSync(join(ROOT, 'dist'), join(installed, 'dist'), { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'));
    mkdirSync(join(installed, 'bin'));
    cpSync(join(ROOT, 'dist/bin/cordon'), join(installed, 'bin/cordon'));
    execFileSync('chmod', ['-R', 'a+rX', installed]);
  }
  return installed;
}

export const cordonProgram = () => join(installedPackage(), 'bin/cordon');

/** An empty home folder of this user's own. */
export function freshHome(user: User): string {
  const home = realpathSync(openFolder('home'));
  const { uid, gid } = identityOf(user);
  chownSync(home, uid, gid);
  return home;
}

export interface RunOptions {
  readonly user?: User;
  /** The whole environment of the parent; PATH and HOME are added when absent. */
  readonly env?: Readonly<Record<string, string>>;
  readonly home?: string;
  readonly cwd?: string;
  readonly input?: string | Buffer;
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program as this user with exactly this environment. */
export function runAs(
  program: string,
  args: readonly string[],
  { user = 'root', env = {}, home = freshHome(user), cwd = home, input = '' }: RunOptions = {},
): Ran {
  const { uid, gid } = identityOf(user);
  const environment = Object.assign(
    Object.create(null),
    { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, NODE_V8_COVERAGE: undefined },
    env,
  );
  const { status, stdout, stderr } = spawnSync(program, args, {
    uid,
    gid,
    cwd,
    env: environment,
    input,
    maxBuffer: 1 << 28,
  });
  return { code: status, stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8') };
}

const OWN_ACCOUNT_HOME = `mount -t tmpfs -o mode=0755,uid="$1",gid="$2" tmpfs "$3" && shift 4 && exec setpriv "$@"`;
const GIVEN_ACCOUNT_HOME = `mount --bind "$4" "$3" && shift 4 && exec setpriv "$@"`;

export interface AccountOptions extends RunOptions {
  /** What stands in for the home of the account; an empty folder unless it is given. */
  readonly accountHome?: string;
}

/** The same with the home of the user's account empty: other tests enter their homes in the record that Cordon keeps there. */
export function runInOwnAccountHome(program: string, args: readonly string[], options: AccountOptions = {}): Ran {
  const { user = 'root', home = freshHome(user), accountHome: given = '' } = options;
  const { uid, gid } = identityOf(user);
  const isRoot = process.getuid?.() === 0;
  const apart = isRoot ? ['-m'] : ['-m', '--map-current-user', '--keep-caps'];
  const become = isRoot
    ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
    : ['--ambient-caps=-all', '--inh-caps=-all'];
  const accountHome = execFileSync('getent', ['passwd', String(uid)], { encoding: 'utf8' }).split(':')[5] as string;
  const mounting = given === '' ? OWN_ACCOUNT_HOME : GIVEN_ACCOUNT_HOME;
  const script = ['sh', '-c', mounting, 'sh', String(uid), String(gid), accountHome, given];
  return runAs('unshare', [...apart, ...script, ...become, program, ...args], { ...options, user: 'root', home });
}

export function runCordon(args: readonly string[], options: RunOptions = {}): Ran {
  return runAs(cordonProgram(), args, options);
}
