import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { freshHome } from '../support/cordon.ts';
import { identityOf } from '../support/users.ts';

const USER = 'cordon-test';

const PROGRAMS = process.env.CORDON_AGENT_PROGRAMS ?? '';
if (PROGRAMS === '') throw new Error('.ci/agents starts these tests, it brings the programs');

/** Twelve secrets of the operator, each where an agent could come across it. */
const PLACES = [
  'AWS',
  'GITHUB',
  'DATABASE',
  'PLAIN',
  'BASHRC',
  'SOURCED',
  'ZSHENV',
  'CLOUD',
  'SSH',
  'LOGIN',
  'DESCRIPTOR',
  'NEIGHBOUR',
] as const;
type Place = (typeof PLACES)[number];

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home as people have it, an agent's working folder in it, and the operator's secrets all around. */
export class AgentScene {
  readonly home = freshHome(USER);
  readonly work = join(this.home, 'work');
  readonly canaries = Object.fromEntries(
    PLACES.map((place) => [place, `canary-${place.toLowerCase()}-${randomBytes(12).toString('hex')}`]),
  ) as Readonly<Record<Place, string>>;
  readonly keys = { ANTHROPIC_API_KEY: key('anthropic'), OPENAI_API_KEY: key('openai'), GEMINI_API_KEY: key('gemini') };
  readonly #identity = identityOf(USER);
  readonly #planted = new Set<string>();

  constructor(foreignLogIn: string) {
    const { canaries } = this;
    this.#file('.bashrc', `export PATH="$PATH:/from-bashrc"\nexport DEPLOY_PLACE='${canaries.BASHRC}'\n`);
    this.#file('.profile', '. ~/.bashrc\n[ -r ~/.secrets ] && . ~/.secrets\n');
    this.#file('.secrets', `export COMPANY_THING=${canaries.SOURCED}\n`);
    this.#file('.zshenv', `export ZSH_THING="${canaries.ZSHENV}"\n`);
    this.#file('.aws/credentials', `[default]\naws_secret_access_key = ${canaries.CLOUD}\n`);
    this.#file('.ssh/id_ed25519', `-----BEGIN OPENSSH PRIVATE KEY-----\n${canaries.SSH}\n`);
    this.#file(foreignLogIn, JSON.stringify({ token: canaries.LOGIN }));
    this.#file('.gemini/settings.json', '{"security":{"auth":{"selectedType":"gemini-api-key"}}}\n');
    const files = ['.bashrc', '.profile', '.secrets', '.zshenv', '.aws/credentials', '.ssh/id_ed25519', foreignLogIn];
    this.#file('work/files.txt', `${files.map((file) => join(this.home, file)).join('\n')}\n`);
    copyFileSync(fileURLToPath(new URL('look-around.sh', import.meta.url)), join(this.work, 'look-around.sh'));
    onTestFinished(() => rmSync(this.home, { recursive: true, force: true }));
  }

  get environment(): Readonly<Record<string, string>> {
    const { canaries } = this;
    return {
      PATH: `${PROGRAMS}:/usr/local/bin:/usr/bin:/bin`,
      HOME: this.home,
      SHELL: '/bin/bash',
      AWS_SECRET_ACCESS_KEY: canaries.AWS,
      GITHUB_TOKEN: canaries.GITHUB,
      DATABASE_URL: `postgres://app:${canaries.DATABASE}@db/app`,
      PLAIN_THING: canaries.PLAIN,
      ...this.keys,
    };
  }

  /** Starts a program as the ordinary user, with a descriptor open and another process of that user around. */
  async run(argv: readonly string[], more: Readonly<Record<string, string>>, input?: string): Promise<Ran> {
    this.#neighbour();
    const secret = this.#file('handed-over', this.canaries.DESCRIPTOR);
    const descriptor = openSync(secret, 'r');
    rmSync(secret);
    const [program = '', ...args] = argv;
    const env = Object.assign(Object.create(null), { NODE_V8_COVERAGE: undefined }, this.environment, more);
    const child = spawn(program, args, {
      ...this.#identity,
      cwd: this.work,
      env,
      stdio: ['pipe', 'pipe', 'pipe', descriptor],
    });
    closeSync(descriptor);
    onTestFinished(() => void child.kill('SIGKILL'));
    child.stdin?.end(input);
    const code = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout as never), text(child.stderr as never)]);
    return { code: await code, stdout, stderr };
  }

  /** What the agent's shell found. */
  dump(): string {
    try {
      return readFileSync(join(this.work, 'dump.txt'), 'utf8');
    } catch {
      return '';
    }
  }

  /** Everything the agent left behind: what was planted is not counted. */
  written(): string {
    return filesIn(this.home)
      .filter((path) => !this.#planted.has(path))
      .map((path) => readFileSync(path, 'latin1'))
      .join('\n');
  }

  found(dump: string): Place[] {
    return PLACES.filter((place) => dump.includes(this.canaries[place]));
  }

  keysIn(dump: string): string[] {
    return Object.entries(this.keys).flatMap(([name, value]) => (dump.includes(value) ? [name] : []));
  }

  #neighbour(): void {
    const env = Object.assign(Object.create(null), { NEIGHBOUR: this.canaries.NEIGHBOUR });
    const child = spawn('/bin/sleep', ['90'], { ...this.#identity, env, stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
  }

  #file(name: string, content: string): string {
    const path = join(this.home, name);
    const { uid, gid } = this.#identity;
    const made = mkdirSync(dirname(path), { recursive: true });
    if (made !== undefined) chownSync(made, uid, gid);
    writeFileSync(path, content);
    chmodSync(path, 0o600);
    chownSync(path, uid, gid);
    this.#planted.add(path);
    return path;
  }
}

function key(provider: string): string {
  return `key-of-${provider}-${randomBytes(12).toString('hex')}`;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
}
