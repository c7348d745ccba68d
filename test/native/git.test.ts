import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCopy, openFolder } from '../support/project.ts';
import { identityOf, ONLY_ROOT, USERS, type User } from '../support/users.ts';
import { BUILDS, type Build, BWRAP, writeShim } from './support.ts';

const PLAN = [
  'cordon-plan 2',
  'name t',
  'allow *',
  'command /bin/sh',
  'arg sh',
  'append-args',
  'isolation barrier',
  `bwrap ${BWRAP}`,
  'root machine',
  'cut /',
  'private /tmp 1777',
  'private /var/tmp 1777',
  'workspace here real',
  'proc',
  'dev',
];
/** The same folder, as one that happens to be writable. */
const unprotected = (folder: string) => PLAN.map((line) => line.replace('workspace here real', `write ${folder}`));

const shims = new Map<string, string>();

function shimOf(lines: readonly string[], build: Build): string {
  const key = `${build} ${lines.join('\n')}`;
  const path = shims.get(key) ?? writeShim(lines, { build });
  shims.set(key, path);
  return path;
}

const MINE = 'mine\n';

/** A repository of a user, and what is done in it inside and outside. */
class Repository {
  readonly #identity;
  readonly #env;
  readonly folder;
  /** A file of the person's that is no part of the workspace. */
  readonly elsewhere;

  constructor(user: User, set_up = '', folder = openFolder('git')) {
    this.#identity = identityOf(user);
    this.folder = folder;
    this.elsewhere = join(openFolder('elsewhere'), 'profile');
    writeFileSync(this.elsewhere, MINE);
    for (const path of [folder, dirname(this.elsewhere), this.elsewhere])
      chownSync(path, this.#identity.uid, this.#identity.gid);
    this.#env = {
      PATH: '/usr/bin:/bin',
      HOME: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ALLOW_PROTOCOL: 'file',
      RAN: join(folder, 'ran'),
      ELSEWHERE: this.elsewhere,
      ...Object.fromEntries(
        ['AUTHOR', 'COMMITTER'].flatMap((who) => [
          [`GIT_${who}_NAME`, 'n'],
          [`GIT_${who}_EMAIL`, 'n@example.com'],
          [`GIT_${who}_DATE`, '2020-01-01T00:00:00Z'],
        ]),
      ),
    };
    this.outside(`git init -q -b main . && git commit -q --allow-empty -m one && ${set_up || ':'}`);
  }

  #run(program: string, args: readonly string[]) {
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: this.folder,
      env: this.#env,
      encoding: 'latin1',
      timeout: 60_000,
      ...this.#identity,
    });
    return { code: status, stdout, stderr };
  }

  outside(script: string) {
    const ran = this.#run('/bin/sh', ['-c', script]);
    if (ran.code !== 0) throw new Error(`${script}: ${ran.code} ${ran.stderr}`);
    return ran.stdout;
  }

  inside(script: string, lines: readonly string[] = PLAN, build: Build = 'release') {
    return this.#run(shimOf(lines, build), ['-c', `cd ${this.folder} || exit 9; ${script}`]);
  }

  /** Begins a command; the result is there when it has ended. */
  beginInside(script: string, lines: readonly string[], build: Build) {
    const options = { cwd: this.folder, env: this.#env, stdio: 'ignore', ...this.#identity } as const;
    return once(spawn(shimOf(lines, build), ['-c', `cd ${this.folder} || exit 9; ${script}`], options), 'close');
  }

  /** Begins a command, and ends its whole group when it says that it is ready: the launcher, and whoever would put things back. */
  async killedInside(script: string, lines: readonly string[], build: Build) {
    const options = { cwd: this.folder, env: this.#env, detached: true, ...this.#identity };
    const child = spawn(shimOf(lines, build), ['-c', `cd ${this.folder} || exit 9; ${script}; echo ready; sleep 600`], {
      ...options,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    process.kill(-(child.pid as number), 'SIGKILL');
    await once(child, 'close');
  }

  /** Like `inside`, where only bubblewrap can make a sandbox. */
  inBubblewrap(script: string) {
    const none = 'echo 0 >/proc/sys/user/max_user_namespaces; exec "$@"';
    return this.#run('/usr/bin/unshare', ['-U', '-r', 'sh', '-c', none, 'sh', shimOf(PLAN, 'release'), '-c', script]);
  }

  /** Whether a program of the command's choosing runs when the person uses git. */
  runsSomething(afterwards = ''): boolean {
    const usual = 'git status; git diff; git commit --allow-empty -m two; git checkout -q -b b';
    this.#run('/usr/bin/timeout', ['20', 'sh', '-c', `${afterwards ? `${afterwards}\n` : ''}${usual}`]);
    return existsSync(this.#env.RAN);
  }

  /** Whether git writes to a file outside of the workspace when the person uses it. */
  writesElsewhere(afterwards: string): boolean {
    const usual = 'echo 2 >f; git commit -qam two; git checkout -q -b b; git checkout .; git stash';
    this.#run('/usr/bin/timeout', ['20', 'sh', '-c', `${afterwards}\n${usual}`]);
    const isMade = existsSync(join(this.folder, '../made-by-git'));
    return isMade || readFileSync(this.elsewhere, 'latin1') !== MINE || readdirSync(dirname(this.elsewhere)).length > 1;
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'latin1');
  }
}

const EVIL = `touch $RAN; false`;
const HOOK = `printf '#!/bin/sh\\ntouch %s\\n' "$RAN" >$H/post-commit; chmod 755 $H/post-commit`;

const SUBMODULE =
  'git init -q ../$$ && git -C ../$$ commit -q --allow-empty -m s && git submodule --quiet add ../$$ s && git commit -qm s';

/** A repository that the command makes, with what it adds to the index. */
const PART = (path: string) =>
  `git init -q ${path} && git -C ${path} commit -q --allow-empty -m x && ID=$(git -C ${path} rev-parse HEAD) && git update-index --add --cacheinfo 160000,$ID,${path}`;
/** An entry of the index with another name of the same length. */
const RENAMED = (from: string, to: string) =>
  `python3 -c "import hashlib; t = open('.git/index', 'rb').read()[:-20].replace(b'${from}', b'${to}'); open('.git/index', 'wb').write(t + hashlib.sha1(t).digest())"`;
/** The same, not in the index, with a program that `git status` would start. */
const EVIL_PART = (path: string) =>
  `git init -q ${path}; git -C ${path} commit -q --allow-empty -m x; echo 1 >${path}/f; git -C ${path} add f; git -C ${path} config core.fsmonitor '${EVIL}'`;
const ODD_INDEX = openCopy(join(import.meta.dirname, 'fixtures/odd-index.py'));
const DIVERGED =
  'git checkout -q -b topic && echo t >t && git add t && git commit -qm t && git checkout -q main && echo m >m && git add m && git commit -qm m && git checkout -q topic';
const STOPPED = `echo 1 >a; git add a; git commit -qm a; GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -q -i HEAD~1`;
const HOOKS = `mkdir .husky; printf '#!/bin/sh\n' >.husky/post-commit; chmod 755 .husky/post-commit; git add .husky; git commit -qm h`;

interface Way {
  readonly before?: string;
  readonly does: string;
  /** What the person does, beyond what anybody does. */
  readonly afterwards?: string;
  /** Nothing is put back, since nothing could be written. */
  readonly isReadOnly?: true;
}

/** Ways to have a later git outside start a program. */
const WAYS: Readonly<Record<string, Way>> = {
  'a part in a folder that is one entry of the index': {
    before: `cp ${ODD_INDEX} odd-index.py`,
    does: `${EVIL_PART('sub/x')}; git config core.sparseCheckout true; git config core.sparseCheckoutCone true; git config index.sparse true; printf '/*\n!/*/\n' >.git/info/sparse-checkout; python3 odd-index.py sparse sub/x`,
  },
  'a part behind a name that is too long': {
    before: `cp ${ODD_INDEX} odd-index.py`,
    does: `${EVIL_PART('part-with-a-long-name')}; python3 odd-index.py long part-with-a-long-name`,
  },
  'a part that extensions of the index are read backwards for': {
    before: `cp ${ODD_INDEX} odd-index.py`,
    does: `${EVIL_PART('sub')}; git config index.threads 2; python3 odd-index.py threads sub`,
  },
  'a part that is none where ids are longer': {
    before: `cp ${ODD_INDEX} odd-index.py`,
    does: `${EVIL_PART('sub')}; git config core.repositoryFormatVersion 1; printf '[extensions]\\n\\tobjectFormat = sha256\\n\\tobjectFormat = sha1\\n' >>.git/config; python3 odd-index.py ids sub`,
  },
  'a part that only the history names': {
    before: 'git clone -q --bare . ../$$ && git remote add origin "$PWD/../$$" && git push -q -u origin main',
    does: `git init -q -b main sub; git -C sub commit -q --allow-empty -m o; git -C sub update-ref refs/remotes/origin/main HEAD; git -C sub commit -q --allow-empty -m x; git init -q --bare x; git -C sub config remote.origin.url "$PWD/x"; git -C sub config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'; H=sub/.git/hooks; ${HOOK.replaceAll('post-commit', 'pre-push')}; git update-index --add --cacheinfo 160000,$(git -C sub rev-parse HEAD),sub; printf '[submodule "sub"]\\n\\tpath = sub\\n\\turl = ./x\\n' >.gitmodules; git add .gitmodules; git commit -qm s; git rm -q --cached sub .gitmodules; rm .gitmodules; git commit -qm t; git config push.recurseSubmodules on-demand`,
    afterwards: 'git push',
  },
  'a repository that is pushed to': {
    before: 'git clone -q --bare . ../$$ && git remote add origin "$PWD/../$$" && git push -q -u origin main',
    does: `git init -q --bare x; H=x/hooks; ${HOOK.replaceAll('post-commit', 'post-update')}; git config remote.origin.pushurl "$PWD/x"`,
    afterwards: 'git commit -q --allow-empty -m more; git push',
  },
  'a remote without an address, whose name is a folder': {
    before: 'git clone -q --bare . ../$$ && git remote add origin "$PWD/../$$" && git push -q -u origin main',
    does: `git init -q --bare d/x.git; H=d/x.git/hooks; ${HOOK.replaceAll('post-commit', 'post-update')}; git config remote.d/x.git.prune true; git config branch.main.pushRemote d/x.git`,
    afterwards: 'git config push.default current; git commit -q --allow-empty -m more; git push',
  },
  'the address of a remote that is taken out, with a folder of its name': {
    before: 'git clone -q --bare . ../$$ && git remote add origin "$PWD/../$$" && git push -q -u origin main',
    does: `git init -q --bare origin.git; H=origin.git/hooks; ${HOOK.replaceAll('post-commit', 'post-update')}; git config --unset remote.origin.url`,
    afterwards: 'git config push.default current; git commit -q --allow-empty -m more; git push',
  },
  'an address in the settings of a worktree': {
    before: 'git clone -q --bare . ../$$ && git remote add origin "../$$" && git push -q -u origin main',
    does: `git init -q --bare x; H=x/hooks; ${HOOK.replaceAll('post-commit', 'post-update')}; git config extensions.worktreeConfig true; git config --worktree remote.origin.pushurl /proc/self/cwd/x`,
    afterwards: 'git commit -q --allow-empty -m more; git push',
  },
  'a repository that is pushed to by the name of its folder': {
    before: 'git clone -q --bare . ../$$ && git remote add origin "$PWD/../$$" && git push -q -u origin main',
    does: `git init -q --bare x; H=x/hooks; ${HOOK.replaceAll('post-commit', 'post-update')}; git config branch.main.pushRemote x`,
    afterwards: 'git config push.default current; git commit -q --allow-empty -m more; git push',
  },
  'a file of the index among the hooks': {
    before: `printf '#!/bin/sh\\ntouch $RAN\\n' >to-hooks-of-post-commit; chmod 755 to-hooks-of-post-commit; git add .; git commit -qm h`,
    does: RENAMED('to-hooks-of-post-commit', '.git/hooks//post-commit'),
    afterwards: 'git checkout .',
  },
  'a submodule that is all of .git/modules': {
    does: `${PART('s')}; mv s/.git .git/modules; echo gitdir: ../.git/modules/. >s/.git; git config -f .git/modules/config core.fsmonitor "${EVIL}"`,
  },
  'a submodule in what looks like another one': {
    does: `${PART('s')}; mkdir -p .git/modules/x; : >.git/modules/x/HEAD; mv s/.git .git/modules/x/y; echo gitdir: ../.git/modules/x/y >s/.git; git config -f .git/modules/x/y/config core.fsmonitor "${EVIL}"`,
  },
  'a submodule that has its settings from a folder around it': {
    does: `${PART('s')}; G=.git/modules; mkdir -p $G/worktrees; mv s/.git $G/worktrees/b; echo gitdir: ../$G/worktrees/b >s/.git; mv $G/worktrees/b/config $G/worktrees/b/objects $G/worktrees/b/refs $G; echo ../.. >$G/worktrees/b/commondir; git config -f $G/config core.fsmonitor "${EVIL}"`,
  },
  'a part that has its settings from the files around it': {
    does: `${PART('worktrees/b')}; cd worktrees/b; mv .git/config .git/objects .git/refs ..; echo ../.. >.git/commondir; git config -f ../config core.fsmonitor "${EVIL}"; cd ../..`,
  },
  'a name with the end of a line in it': {
    does: `${PART('s')}; mkdir "$(printf 'a\nb')"; mv s/.git "$(printf 'a\nb/c')"; printf 'gitdir: ../a\nb/c\n' >s/.git; git config -f "$(printf 'a\nb/c/config')" core.fsmonitor "${EVIL}"`,
  },
  'steps of a rebase that a setting writes': {
    before: DIVERGED,
    does: `git config rebase.instructionFormat "%s%nexec touch $RAN"`,
    afterwards: 'git checkout -q topic; git rebase main',
  },
  'a remote whose name is an option': {
    before: 'git clone -q --bare . ../$$ && git remote add origin "$PWD/../$$" && git config branch.main.remote origin',
    does: `printf '#!/bin/sh\\ntouch %s\\n' "$RAN" >x; chmod 755 x; printf '[remote "--upload-pack=./x"]\\n\\tpromisor = true\\n' >>.git/config; git config core.repositoryFormatVersion 1; git config extensions.partialClone --upload-pack=./x; rm -rf .git/objects/??`,
    afterwards: 'git log',
  },
  'a git directory that a file names': {
    before: 'mv .git .bare; echo gitdir: ./.bare >.git',
    does: `git config core.fsmonitor "${EVIL}"; H=.bare/hooks; ${HOOK}`,
  },
  'a git directory that a link leads to': {
    before: 'mv .git .real; ln -s .real .git',
    does: `git config core.fsmonitor "${EVIL}"; H=.real/hooks; ${HOOK}`,
  },
  'settings that a link leads to': {
    before: 'mv .git/config mine; ln -s ../mine .git/config',
    does: `git config -f mine core.fsmonitor "${EVIL}"`,
  },
  'a workspace that is a bare repository': {
    before: 'mv .git .. && mv ../.git/* . && rmdir ../.git && git config core.bare true',
    does: `H=hooks; ${HOOK.replaceAll('post-commit', 'reference-transaction')}; git config alias.st '!touch '$RAN`,
    afterwards: 'git st; git update-ref refs/heads/x HEAD',
  },
  'a workspace that becomes a bare repository': {
    does: `cp -r .git/HEAD .git/config .git/refs .git/objects .; rm .git/HEAD; git config -f config core.worktree .; git config -f config core.bare false; git config -f config core.fsmonitor "${EVIL}"`,
  },
  'a part in an index that was split': {
    before: 'git update-index --split-index',
    does: `${PART('x')}; git -C x config core.fsmonitor "${EVIL}"`,
  },
  'parts in parts': {
    does: `for i in 1 2 3 4 5 6 7 8 9 10 11 12; do git init -q s; git -C s commit -q --allow-empty -m x; git update-index --add --cacheinfo 160000,$(git -C s rev-parse HEAD),s; git commit -qm s; cd s; git config core.fsmonitor "${EVIL}"; done; rm -f "$RAN"; cd "\${RAN%/ran}"; git -c core.fsmonitor=false reset -q --soft HEAD~1`,
  },
  'files elsewhere, with the hooks beside them': {
    before: `${HOOKS}; git config core.hooksPath .husky`,
    does: `mkdir -p x/.husky; H=x/.husky; ${HOOK}; git config core.worktree ../x`,
  },
  "a submodule's files elsewhere, with the hooks beside them": {
    before: `${SUBMODULE}; git -C s config core.hooksPath .husky`,
    does: `mkdir -p x/.husky; H=x/.husky; ${HOOK}; echo gitdir: ../.git/modules/s >x/.git; git config -f .git/modules/s/config core.worktree ../../../x`,
    afterwards: 'git --git-dir=.git/modules/s commit --allow-empty -m x',
  },
  "hooks in somebody's home": {
    before: `${HOOKS}; U=$(id -un); git config core.hooksPath "~$U/$(realpath -m --relative-to "$(getent passwd $U | cut -d: -f6)" "$PWD")/.husky"`,
    does: `H=.husky; ${HOOK}`,
    isReadOnly: true,
  },
  'hooks behind a link outside': {
    before: `${HOOKS}; ln -s "$PWD" ../around; git config core.hooksPath "$PWD/../around/.husky"`,
    does: `H=.husky; ${HOOK}`,
    isReadOnly: true,
  },
  'hooks behind a link inside': {
    before: `${HOOKS}; ln -s .husky mine; git config core.hooksPath mine`,
    does: `mkdir evil; H=evil; ${HOOK}; ln -sfn evil mine`,
  },
  'hooks that an included file names': {
    before: `${HOOKS}; git config include.path ../more; git config -f more core.hooksPath .husky`,
    does: `H=.husky; ${HOOK}`,
    isReadOnly: true,
  },
  'hooks of a part that was there': {
    before: `${PART('x')}; git commit -qm x`,
    does: `H=x/.git/hooks; ${HOOK}`,
    afterwards: 'git -C x commit --allow-empty -m two',
    isReadOnly: true,
  },
  'a rebase that is still to go on': {
    does: `${STOPPED}; echo "exec touch $RAN" >>.git/rebase-merge/git-rebase-todo`,
    afterwards: 'git checkout -q --detach main; git rebase --continue',
  },
  'a rebase with a strategy of its own': {
    before: DIVERGED,
    does: `GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i main; mkdir git-merge-..; printf '#!/bin/sh\\ntouch %s\\n' "$RAN" >x; chmod 755 x; echo ../../x >.git/rebase-merge/strategy`,
    afterwards: 'git rebase --continue',
  },
  'a key': { does: `git config core.fsmonitor "${EVIL}"` },
  'a value with a comment behind it': {
    does: `printf '[core]\\n\\tfsmonitor = "touch %s; false" # x\\n' "$RAN" >>.git/config`,
  },
  "a key on its section's line": { does: `printf '[CORE] FsMonitor = "touch %s; false"' "$RAN" >>.git/config` },
  'a line that goes on': {
    does: `printf '[core]\\n fsmonitor \\t= touch\\\\\\n %s "; false"\\n' "$RAN" >>.git/config`,
  },
  'lines that end as on Windows': {
    does: `printf '\\r\\n[core]\\r\\n fsmonitor = "touch %s; false"\\r\\n' "$RAN" >>.git/config`,
  },
  'an included file': {
    does: `printf '[include]\\n\\tpath = ../evil\\n' >>.git/config; printf '[core]\\nfsmonitor = "touch %s; false"\\n' "$RAN" >evil`,
  },
  'a file that was included before it was there': {
    before: 'git config include.path ../local',
    does: `printf '[core]\\nfsmonitor = "touch %s; false"\\n' "$RAN" >local`,
  },
  'an included file by condition': {
    does: `printf '[includeIf "gitdir:**"]\\n\\tpath = ../evil\\n' >>.git/config; printf '[core]\\nfsmonitor = "touch %s; false"\\n' "$RAN" >evil`,
  },
  'core.hooksPath': { does: `H=evil; mkdir $H; ${HOOK}; git config core.hooksPath evil` },
  'a core.hooksPath that was not there': {
    before: 'git config core.hooksPath .husky/_',
    does: `H=.husky/_; mkdir -p $H; ${HOOK}`,
  },
  'hooks that were not there': { before: 'rm -r .git/hooks', does: `H=.git/hooks; mkdir $H; ${HOOK}` },
  'hooks as a link': { before: 'rm -r .git/hooks', does: `H=evil; mkdir $H; ${HOOK}; ln -s ../evil .git/hooks` },
  'hooks that are a link already': {
    before: 'rm -r .git/hooks; mkdir own; ln -s ../own .git/hooks',
    does: `H=evil; mkdir $H; ${HOOK}; ln -sfn ../evil .git/hooks; H=own; ${HOOK}`,
  },
  'the configuration of a worktree': {
    before: 'git config extensions.worktreeConfig true',
    does: `git config --worktree core.fsmonitor "${EVIL}"`,
  },
  'such a configuration switched on': {
    does: `git config extensions.worktreeConfig true; git config --worktree core.fsmonitor "${EVIL}"`,
  },
  'a git directory elsewhere': {
    before: 'rm -r .git/hooks',
    does: `cp -r .git evil; git config -f evil/config core.fsmonitor "${EVIL}"; mv .git old; echo gitdir: evil >.git`,
  },
  'settings from elsewhere': {
    does: `cp -r .git evil; git config -f evil/config core.fsmonitor "${EVIL}"; echo ../evil >.git/commondir`,
  },
  'a link to another configuration': {
    does: `cp .git/config evil; git config -f evil core.fsmonitor "${EVIL}"; ln -sf ../evil .git/config`,
  },
  'a folder that is closed behind it': { does: `git config core.fsmonitor "${EVIL}"; chmod 555 .git` },
  'folders that are closed for good': {
    does: `git config core.fsmonitor "${EVIL}"; git init -q x && git -C x commit -q --allow-empty -m x && git -C x config core.fsmonitor "${EVIL}" && git update-index --add --cacheinfo 160000,$(git -C x rev-parse HEAD),x; rm -f "$RAN"; chmod 0 x/.git x .git .`,
  },
  'a lock that is left behind': { does: `git config core.fsmonitor "${EVIL}"; touch .git/config.lock` },
  'a lock that is a folder': { does: `git config core.fsmonitor "${EVIL}"; mkdir .git/config.lock` },
  'a process that goes on': {
    does: `(setsid sh -c 'while :; do printf "[core]\\nfsmonitor = \\"touch $RAN; false\\"\\n" >>.git/config; sleep 0.01; done' &); sleep 0.05`,
  },
  'a repository that a new entry of the index makes a part': {
    does: `git init -q x && git -C x commit -q --allow-empty -m x && git -C x config core.fsmonitor "${EVIL}" && git update-index --add --cacheinfo 160000,$(git -C x rev-parse HEAD),x`,
  },
  'a repository far back in a large index, behind another one': {
    does: `for r in a x; do git init -q $r && touch $r/f && git -C $r add f && git -C $r commit -q -m x; done
id=$(git hash-object -w a/f); for i in $(seq 1500); do printf '100644 %s\\tmany/%s\\n' $id $i; done | git update-index --index-info
for r in a x; do git update-index --add --cacheinfo 160000,$(git -C $r rev-parse HEAD),$r; done; git -C x config core.fsmonitor "${EVIL}"`,
  },
  "a submodule's own git directory elsewhere": {
    before: SUBMODULE,
    does: `cp -r .git/modules/s evil; git config -f evil/config core.fsmonitor "${EVIL}"; git config -f evil/config core.worktree ../s; echo gitdir: ../evil >s/.git`,
  },
  'a repository in a submodule': {
    before: SUBMODULE,
    does: `cd s; git init -q x && git -C x commit -q --allow-empty -m x && git -C x config core.fsmonitor "${EVIL}" && git update-index --index-version 4 --add --cacheinfo 160000,$(git -C x rev-parse HEAD),x; cd ..`,
  },
  'a split index': {
    does: `git init -q x && git -C x commit -q --allow-empty -m x && git -C x config core.fsmonitor "${EVIL}" && git update-index --split-index --add --cacheinfo 160000,$(git -C x rev-parse HEAD),x`,
  },
  "submodules' git directories as a link": {
    before: SUBMODULE,
    does: `cp -r .git/modules/s evil; git config -f evil/config core.fsmonitor "${EVIL}"; mkdir .git/modules/t; git config -f evil/config core.worktree ../s; ln -s ../../evil .git/modules/u; echo gitdir: ../.git/modules/u >s/.git`,
  },
  'a submodule': {
    before: SUBMODULE,
    does: `git -C s config core.fsmonitor "${EVIL}"`,
  },
};

const owner = (user: User) => (set_up?: string) => {
  const folder = join(openFolder('git'), 'w');
  mkdirSync(folder);
  chmodSync(join(folder, '..'), 0o777);
  return new Repository(user, set_up, folder);
};

const TWO = 'echo 1 >f; touch to-made-by-git; git add .; git commit -qm f';
const KNOWN = `i=$(printf a%.0s $(seq 40)); mkdir -p .git/rr-cache/$i; echo mine >.git/rr-cache/$i/preimage; echo theirs >.git/rr-cache/$i/postimage`;
/** A rebase of three that stopped before the first. */
const TO_DO =
  'for i in 1 2 3; do echo $i >f$i; git add f$i; git commit -qm $i; done; git checkout -q -b o HEAD~2; echo o >o; git add o; git commit -qm o; git checkout -q main; GIT_SEQUENCE_EDITOR="sed -i 1ibreak" git rebase -q -i o';
/** Three picks of which the first stopped, and was solved. */
const PICKS =
  'git checkout -q -b o; for i in 1 2 3; do echo o$i >f; echo o$i >f$i; git add .; git commit -qm o$i; done; git checkout -q main; echo m >f; git commit -qam m; git cherry-pick o~3..o; git checkout -q --theirs f; git add f';
/** Two patches of which the first does not apply. */
const PATCHES =
  'git checkout -q -b p; for i in 1 2; do echo $i >f; git commit -qam $i; done; git format-patch -q -2 -o p; git checkout -q main; echo x >f; git commit -qam x; git am -q p/*';

const WRITES: Record<string, { before?: string; does: string; afterwards?: string }> = {
  'a reflog that is a link': { does: 'rm .git/logs/HEAD; ln -s $ELSEWHERE .git/logs/HEAD' },
  'a reflog of a branch that is called like a folder of objects': {
    does: 'git checkout -q -b objects/ab/x; ln -sf $ELSEWHERE .git/logs/refs/heads/objects/ab/x',
  },
  'a folder of reflogs that is a link': {
    does: 'rm -r .git/logs/refs; ln -s $(dirname $ELSEWHERE) .git/logs/refs',
  },
  'a message that is a link': { does: 'ln -sf $ELSEWHERE .git/COMMIT_EDITMSG' },
  'a link in a folder that is closed': {
    does: 'rm .git/logs/HEAD; ln -s $ELSEWHERE .git/logs/HEAD; chmod 0 .git/logs',
    afterwards: 'chmod 755 .git/logs',
  },
  'a link that an earlier command left in a folder': {
    before: 'cp -r .git/logs old; rm old/HEAD; ln -s $ELSEWHERE old/HEAD',
    does: 'rm -r .git/logs; mv old .git/logs',
  },
  'a link of the person that leads elsewhere by now': {
    before: 'mkdir to; mv .git/logs/HEAD to/HEAD; ln -s ../../to/HEAD .git/logs/HEAD',
    does: 'ln -sf $ELSEWHERE to/HEAD',
  },
  'a file of the index beside the tree': {
    does: RENAMED('to-made-by-git', '../made-by-git'),
    afterwards: 'git checkout .',
  },
  'a solution of a conflict in any file': { does: `${KNOWN}; printf '%s.-1\\t%s\\0' $i $ELSEWHERE >.git/MERGE_RR` },
  'options of a strategy': {
    does: `${TO_DO}; echo resolve >.git/rebase-merge/strategy; echo " '--index-output=$ELSEWHERE'" >.git/rebase-merge/strategy_opts`,
    afterwards: 'GIT_EDITOR=true git rebase --continue',
  },
  'options of a strategy for picks': {
    does: `${PICKS}; printf '[options]\\n strategy = resolve\\n strategy-option = index-output=%s\\n' $ELSEWHERE >.git/sequencer/opts`,
    afterwards: 'GIT_EDITOR=true git cherry-pick --continue',
  },
  'options of patches': {
    does: `${PATCHES}; echo " '--build-fake-ancestor=$ELSEWHERE'" >.git/rebase-apply/apply-opt`,
    afterwards: 'git checkout -q HEAD f; git am --skip',
  },
};

describe.each(USERS)('what git of %s writes afterwards', (user) => {
  const repository = owner(user);
  const ways = BUILDS.flatMap((build) => Object.entries(WRITES).map(([name, way]) => ({ build, name, ...way })));

  it.each(ways)('by $name stays in the workspace ($build)', ({ build, before, does, afterwards = '' }) => {
    const repo = repository(`${TWO}; ${before ?? ':'}`);
    const { code, stderr } = repo.inside(`{ ${does}; } >/dev/null 2>&1; exit 3`, PLAN, build);
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringMatching(/^cordon: t: /) });
    expect(stderr).not.toContain('warning');
    expect(repo.writesElsewhere(afterwards)).toBe(false);
  });

  it.each(Object.entries(WRITES))(
    'by %s does not where nothing is put back',
    (_name, { before, does, afterwards = '' }) => {
      const repo = repository(`${TWO}; ${before ?? ':'}`);
      repo.inside(`{ ${does}; } >/dev/null 2>&1`, unprotected(repo.folder));
      expect(repo.writesElsewhere(afterwards)).toBe(true);
    },
  );

  it('links go also where an earlier command left more than has room in a small table', () => {
    const repo = repository(TWO);
    const part = 'objects refs rebase-merge rebase-apply sequencer';
    const files = 'config config.worktree rebase-merge/git-rebase-todo rebase-apply/apply-opt sequencer/todo MERGE_RR';
    const { stderr } = repo.inside(
      `mkdir .git/modules; cd .git/modules; for i in $(seq 1 700); do mkdir m$i; cd m$i; mkdir ${part}; echo 'ref: refs/heads/main' >HEAD; touch ${files}; cd ..; done`,
    );
    expect(stderr).toBe('');
    expect(repo.inside('rm .git/logs/HEAD; ln -s $ELSEWHERE .git/logs/HEAD').stderr).toContain(
      '.git/logs/HEAD was made a link',
    );
    expect(repo.writesElsewhere('')).toBe(false);
  });

  it('links of the person stay', () => {
    const repo = repository('mv .git/logs ..git-logs; ln -s ../..git-logs .git/logs; git pack-refs --all');
    expect(repo.inside('git commit -q --allow-empty -m more').stderr).toBe('');
    expect(lstatSync(join(repo.folder, '.git/logs')).isSymbolicLink()).toBe(true);
  });

  it('more files than are looked at are put aside', () => {
    const { stderr } = repository().inside('mkdir .git/many; cd .git/many; seq 101000 | xargs touch');
    expect(stderr).toContain('.git/many has more files than are looked at and is now many.put-aside-');
  });
});

describe.each(USERS)('what %s finds afterwards', (user) => {
  const repository = owner(user);

  const ways = BUILDS.flatMap((build) => Object.entries(WAYS).map(([name, way]) => ({ build, name, ...way })));

  it.each(ways)('$name starts no program ($build)', ({ build, before, does, afterwards, isReadOnly }) => {
    const repo = repository(before);
    const { code, stderr } = repo.inside(`{ ${does}; rm -f "$RAN"; } 2>/dev/null; exit 3`, PLAN, build);
    expect({ code, stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(isReadOnly ? /^$/ : /^cordon: t: /),
    });
    expect(stderr).not.toMatch(/touch|warning/);
    expect(repo.runsSomething(afterwards)).toBe(false);
  });

  it.each(Object.entries(WAYS).filter(([name]) => !/lock|goes on|for good/.test(name)))(
    '%s starts one where nothing is put back',
    (_name, { before, does, afterwards }) => {
      const repo = repository(before);
      repo.inside(`{ ${does}; } 2>/dev/null; chmod 755 .git 2>/dev/null; rm -f "$RAN"`, unprotected(repo.folder));
      expect(repo.runsSomething(afterwards)).toBe(true);
    },
  );

  it('what was there before stays, to the byte', () => {
    const repo = repository(
      `git config core.fsmonitor false; git config alias.x '!echo x'; printf '# mine\\n[filter "a"] clean=cat\\n' >>.git/config`,
    );
    const before = repo.read('.git/config');
    const { ino, mtimeNs } = lstatSync(join(repo.folder, '.git/config'), { bigint: true });
    expect(repo.inside('git status').stderr).toBe('');
    expect(lstatSync(join(repo.folder, '.git/config'), { bigint: true })).toMatchObject({ ino, mtimeNs });
    repo.inside(`git config core.sshCommand x; git config filter.b.clean x; chmod 640 .git/config`);
    expect(repo.read('.git/config')).toBe(before);
    expect(lstatSync(join(repo.folder, '.git/config')).mode & 0o777).toBe(0o640);
  });

  it.each([
    ['a pipe', 'rm .git/config; mkfifo .git/config'],
    ['a folder', 'rm .git/config; mkdir .git/config'],
    ['bytes', 'head -c 1000 /dev/zero >.git/config'],
    ['more than is looked at', 'for i in $(seq 20000); do echo "# 0123456789 0123456789"; done >.git/config'],
    ['a broken line', 'printf "[core]\\nfsmonitor = x\\n[" >>.git/config'],
    ['closed', 'chmod 0 .git/config'],
  ])('a configuration that is %s is put aside for the old one', (_name, does) => {
    const repo = repository();
    const before = repo.read('.git/config');
    expect(repo.inside(does).stderr).toMatch(/config\.put-aside-[0-9a-f]+/);
    expect(repo.read('.git/config')).toBe(before);
    expect(readdirSync(join(repo.folder, '.git')).join('\n')).toMatch(/^config\.put-aside-[0-9a-f]+$/m);
  });

  it('ordinary work leaves the same configuration as outside', () => {
    const work = [
      'git init -q -b main --bare up.git',
      'git commit -q --allow-empty -m two',
      'git remote add origin "$PWD/up.git"',
      'git config user.name me',
      'git push -q -u origin main',
      'git checkout -q -b topic',
      'git branch -q -u origin/main',
      'git branch -q -m topic renamed',
      'git -c protocol.file.allow=always submodule --quiet add "$PWD/up.git" libs/s',
      'git config pull.rebase true',
      'git config --unset user.name',
      'git worktree add -q wt',
      'git remote rename origin other',
    ].join(' && ');
    const [out, within] = [repository(), repository()];
    out.outside(work);
    expect(within.inside(work)).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/cordon/) });
    for (const name of ['.git/config', '.git/modules/libs/s/config', '.git/worktrees/wt/commondir'])
      expect(within.read(name)).toBe(out.read(name).replaceAll(out.folder, within.folder));
    expect(within.outside('git -C libs/s status && git -C wt status')).toContain('main');
  });

  it.each([
    ['a submodule that is moved', 'git submodule --quiet add ./up.git s && git mv s t', 'git -C t status'],
    [
      'a repository that becomes a submodule',
      'git clone -q up.git s && git submodule --quiet add ./up.git s && git submodule --quiet absorbgitdirs s',
      'git -C s status',
    ],
    ['worktrees that are moved', 'git worktree add -q w1 && git worktree move w1 w2', 'git -C w2 status'],
    ['a sparse checkout', 'git sparse-checkout set --cone a', 'git sparse-checkout list; ls'],
    ['a sparse index', 'git sparse-checkout set --cone --sparse-index a; touch a/new; git add a', 'git ls-files'],
    [
      'an index in blocks',
      'git config index.threads 2; git config index.version 4; git config index.recordOffsetTable true; mkdir many; (cd many; seq 21000 | xargs touch); git add many; git update-index --index-version 4',
      'git ls-files | wc -l; git status --short',
    ],
    ['a part of a repository', 'git clone -q --filter=blob:none "file://$PWD/up.git" s', 'git -C s status'],
    ['an index that was split', 'touch new && git add new', 'git ls-files'],
    [
      'a rebase that stopped',
      'git rebase -q topic || { echo 3 >a/f; git add a/f; }',
      'GIT_EDITOR=true git rebase --continue; cat a/f',
    ],
    [
      'picks that stopped',
      'git cherry-pick main~..topic || { echo 3 >a/f; git add a/f; }',
      'git cherry-pick --skip; git status',
    ],
    ['a bisection', 'git bisect start -q HEAD HEAD~1', 'git bisect log; git bisect reset'],
    ['a stash', 'echo 4 >a/f; git stash', 'git stash pop; cat a/f'],
    ['a bare repository', 'git clone -q --bare . bare.git && git push -q bare.git main:x', 'git -C bare.git log x'],
  ])('%s goes on as outside', (_name, work, afterwards) => {
    const history =
      'git config protocol.file.allow always; mkdir a b; echo 1 >a/f; touch b/f; git add .; git commit -qm 1; git checkout -q -b topic; echo 2 >a/f; git commit -qam 2; git checkout -q main; echo 1.5 >a/f; git commit -qam 3; git clone -q --bare . up.git; git update-index --split-index';
    const [out, within] = [repository(history), repository(history)];
    out.outside(`{ ${work}; } 2>&1`);
    expect(within.inside(`{ ${work}; } >&2`).stderr).not.toContain('cordon: t:');
    const shown = (repo: Repository) => repo.outside(`{ ${afterwards}; } 2>&1; true`).replaceAll(repo.folder, '');
    expect(shown(within)).toBe(shown(out));
  });

  it('steps of a rebase that were there stay, and others go', () => {
    const repo = repository(
      "for i in 1 2; do echo $i >f; git add f; git commit -qm $i; done; git rebase -q -x false -x 'echo mine' HEAD~1 || true",
    );
    const todo = '.git/rebase-merge/git-rebase-todo';
    expect(repo.inside(`echo 'exec echo theirs' >>${todo}; echo 'pick HEAD' >>${todo}`).stderr).toBe(
      `cordon: t: ${todo}: what starts programs was added by the command and taken out\n`,
    );
    expect(repo.read(todo)).toMatch(/^exec echo mine\npick HEAD\n$/);
  });

  it("a submodule's files lie in the workspace, or nowhere", () => {
    const repo = repository(
      'git init -q ../$$ && git -C ../$$ commit -q --allow-empty -m s && git submodule --quiet add ../$$ s',
    );
    const { stderr } = repo.inside('git -C s config core.worktree ../../../../; git config core.worktree /etc');
    expect(stderr).toMatch(/\.git\/config: core\.worktree was set.*modules\/s\/config: core\.worktree was set/s);
  });

  it('of a new repository only programs are taken', () => {
    const folder = openFolder('git');
    const repo = new Repository(user, 'rm -rf .git', folder);
    const { stderr } = repo.inside(`git init -q . && git config core.pager less && git config user.name me`);
    expect(stderr).toBe('cordon: t: .git/config: core.pager was set by the command and put back\n');
    expect(repo.outside('git config user.name')).toBe('me\n');
  });

  it('a worktree whose git directory lies elsewhere', () => {
    const main = repository('git worktree add -q ../linked');
    const linked = new Repository(user, '', join(main.folder, '../linked'));
    linked.inside(`git config core.fsmonitor "${EVIL}"; echo "gitdir: evil" >.git`);
    expect(main.read('.git/config')).not.toContain('fsmonitor');
    expect(linked.read('.git')).toMatch(/^gitdir: .*worktrees\/linked\n$/);
    expect(linked.runsSomething()).toBe(false);
  });

  it('a part in the index of such a worktree', () => {
    const main = repository('git worktree add -q ../linked');
    const linked = new Repository(user, '', join(main.folder, '../linked'));
    const does = `${PART('x')}; git -C x config core.fsmonitor "${EVIL}"`;
    expect(linked.inside(does).stderr).toBe(
      'cordon: t: x/.git/config: core.fsmonitor was set by the command and put back\n',
    );
    expect(linked.runsSomething()).toBe(false);
    linked.outside(`git -C x config core.fsmonitor "${EVIL}"`);
    expect(linked.runsSomething()).toBe(true);
  });

  it('hooks of the submodules of such a worktree', () => {
    const main = repository(`${SUBMODULE}; git worktree add -q ../linked`);
    const linked = new Repository(user, '', join(main.folder, '../linked'));
    const modules = join(main.folder, '.git/modules');
    linked.inside(
      `H=${modules}/s/hooks; ${HOOK}; mv ${modules} ${modules}-old; mkdir -p ${modules}/s/hooks; H=${modules}/s/hooks; ${HOOK}; H=${main.folder}/.git/hooks; ${HOOK}`,
    );
    for (const name of ['s/hooks', '../hooks'])
      expect(main.outside(`find .git/modules/${name} -type f ! -name '*.sample'`)).toBe('');
    expect(main.runsSomething()).toBe(false);
    expect(linked.inside('git commit -q --allow-empty -m more && git log -1 --format=%s')).toMatchObject({
      code: 0,
      stdout: 'more\n',
    });
  });

  it.each(BUILDS)('which is noted however many folders of a layer are kept open with it (%s)', async (build) => {
    const repo = repository('git remote add origin https://example.com/r');
    const [state, home] = [openFolder('state'), openFolder('layer')];
    const shown = ['a', 'b', 'c', 'd', 'e'].map((name) => join(home, name, 'shown'));
    for (const folder of shown) mkdirSync(folder, { recursive: true });
    spawnSync('chown', ['-R', `${identityOf(user).uid}:${identityOf(user).gid}`, state, home]);
    const plan = [...PLAN, `git-notes ${state}/git`, `home ${home}`, `show ${shown.join(' ')}`];
    await repo.killedInside('true', plan, build);
    const notes = readdirSync(join(state, 'git')).map((name) => readFileSync(join(state, 'git', name), 'latin1'));
    expect(notes.join('')).toContain('https://example.com/r');
  });

  it.each(BUILDS)('of a launch that was killed with its group, when the next one begins (%s)', async (build) => {
    const kept = `git config alias.mine '!echo mine'; printf '#!/bin/sh\\n' >.git/hooks/pre-push; chmod 755 .git/hooks/pre-push
      git remote add origin https://user:tok-en@example.com/r`;
    const repo = repository(kept);
    const state = openFolder('state');
    chownSync(state, identityOf(user).uid, identityOf(user).gid);
    const plan = [...PLAN, `git-notes ${state}/git`];
    const before = repo.read('.git/config');
    await repo.killedInside(
      `${PART('x')}; git -C x config core.pager x; git config core.fsmonitor "${EVIL}"`,
      plan,
      build,
    );
    // Until the last of the group is gone, whose lock it is.
    const notes = readdirSync(join(state, 'git')).map((name) => join(state, 'git', name));
    for (const note of notes) spawnSync('flock', [note, 'true']);
    const noted = notes.map((note) => readFileSync(note, 'latin1')).join('');
    expect(noted).toContain('https://xxxxxxxxxxx@example.com/r');
    expect(noted).not.toContain('tok-en');
    expect(repo.read('.git/config')).toContain('fsmonitor');
    const { code, stderr } = repo.inside('git config alias.mine', plan, build);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^cordon: t: \.git\/config: core\.fsmonitor was set.*\ncordon: t: x\/.git\/config: core.pager.*\n$/,
      ),
    });
    expect(repo.read('.git/config')).toBe(before);
    expect(repo.outside('ls .git/hooks')).toMatch(/^pre-push$/m);
    expect(repo.runsSomething()).toBe(false);
    expect(repo.inside('git config core.fsmonitor x', plan, build).stderr).toMatch(/^cordon: .*put back\n$/);
    expect(repo.inside('true', plan, build).stderr).toBe('');
  });

  it.each(BUILDS)('of two commands at once, what one of them set is not old for the other (%s)', async (build) => {
    const repo = repository("git config alias.mine '!echo mine'");
    const state = openFolder('state');
    chownSync(state, identityOf(user).uid, identityOf(user).gid);
    const plan = [...PLAN, `git-notes ${state}/git`];
    const before = repo.read('.git/config');
    const set = `git config core.fsmonitor '${EVIL}'`;
    // The first sets it and waits for the second to have begun, which waits for the first to have ended.
    const first = repo.beginInside(`${set}; touch set; until [ -e begun ]; do sleep 0.05; done`, plan, build);
    repo.outside('until [ -e set ]; do sleep 0.05; done');
    const second = repo.beginInside(`touch begun; until [ -e over ]; do sleep 0.05; done; ${set}`, plan, build);
    await first;
    repo.outside('touch over');
    await second;
    expect(repo.read('.git/config')).toBe(before);
    expect(repo.runsSomething()).toBe(false);
  });

  it('many lines are not all told', () => {
    const { stderr } = repository().inside('for i in $(seq 50); do echo "[alias] a$i = !x"; done >>.git/config');
    expect(stderr.trim().split('\n')).toHaveLength(21);
    expect(stderr).toMatch(/and 30 more/);
  });

  it('names are shown without control sequences', () => {
    const { stderr } = repository().inside(`printf '[filter "\\033[31mx"]\\n clean = x\\n' >>.git/config`);
    expect(stderr).toContain('filter.\\x1b[31mx.clean was set by the command');
  });

  it('more git directories than are looked at are put aside', () => {
    const repo = repository();
    const { stderr } = repo.inside('mkdir .git/modules; cd .git/modules; mkdir $(seq 600)');
    expect(stderr).toContain('.git/modules has more folders than are looked at');
  });
});

describe.each(ONLY_ROOT)('as %s', () => {
  it('behind bubblewrap the same is put back', () => {
    const repo = owner('root')(
      'git init -q ../$$ && git -C ../$$ commit -q --allow-empty -m s && git submodule --quiet add ../$$ s',
    );
    const before = repo.read('.git/config');
    const { code, stderr } = repo.inBubblewrap(
      `git config core.fsmonitor "${EVIL}"; touch .git/modules/s/hooks/x 2>/dev/null && echo open >&2; exit 3`,
    );
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /bubblewrap's.*\ncordon: t: \.git\/config: core\.fsmonitor was set by the command and put back\n$/,
    );
    expect(repo.read('.git/config')).toBe(before);
  });

  it('on a full disk a configuration is put aside rather than left', () => {
    const folder = openFolder('git');
    const shim = shimOf(PLAN, 'release');
    const script = `mount -t tmpfs -o size=400k x ${folder} && cd ${folder} && git init -q . &&
    ${shim} -c 'git config core.fsmonitor x; cat /dev/zero >full 2>/dev/null'; ls .git`;
    const { stdout, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', script], {
      env: { PATH: '/usr/sbin:/usr/bin:/bin', HOME: '/dev/null' },
      encoding: 'utf8',
    });
    expect(stderr).toContain('warning: .git/config could not be put back: No space left on device');
    expect(stdout).toMatch(/^config\.put-aside-[0-9a-f]+$/m);
    expect(stdout).not.toMatch(/^config$/m);
  });
});

/* ── any configuration ── */

const HARMLESS = [
  /^user\.(name|email)$/,
  /^remote\..*\.(fetch|tagopt)$/s,
  /^core\.(autocrlf|bare)$/,
  /^branch\./,
  /^gc\.auto$/,
  /^diff\.renames$/,
];
const PROGRAM = /(hook|command|path)$/;
const isHarmless = ([name = '']: readonly string[]) =>
  HARMLESS.some((pattern) => pattern.test(name)) && !PROGRAM.test(name);

const SECTIONS = [
  '[user]',
  '[USER]',
  '[core]',
  '[ Core]',
  '[core "x"]',
  '[core.x]',
  '[remote "a b"]',
  '[remote "a\\"\\]"]',
  '[remote.O]',
];
const MORE = [
  '[branch "m"]',
  '[diff]',
  '[diff "renames"]',
  '[gc]',
  '[alias]',
  '[filter "f"]',
  '[include]',
  '[a]',
  '[]',
  '[x',
  '[core] ',
];
const KEYS = [
  'name',
  'Email',
  'fetch',
  'tagOpt',
  'url2',
  'autocrlf',
  'bare',
  'fsmonitor',
  'sshCommand',
  'merge',
  'auto',
  'renames',
];
const REST = ['clean', 'path', 'recentObjectsHook', '9x', '-y', 'k-1'];
const VALUES = [
  '',
  '=',
  '= x',
  ' = x y  ',
  '="a;b" # c',
  '= a\\\n b',
  '= "open',
  '= \\q',
  '= a\\\\',
  '= x;y',
  '= "\\n\\t\\b\\""',
  '=\t[core]',
];
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...SECTIONS, ...MORE) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.constantFrom('', '\t', ' '), fc.constantFrom(...KEYS, ...REST), fc.constantFrom(...VALUES))
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.constantFrom('# c', '; [core]', '  ', '\\', '"', '\r') },
);
const valid = fc
  .array(fc.tuple(piece, fc.constantFrom('\n', '\n', '\n', '\r\n', ' ')), { maxLength: 8 })
  .map((parts) => parts.flat().join(''));
const configuration = fc.oneof(
  valid,
  valid.map((text) => `\ufeff${text}`),
);
const pairs = fc.array(fc.tuple(configuration, configuration, fc.boolean()), { minLength: 20, maxLength: 40 });

function entriesIn(text: string): string[][] | undefined {
  const { status, stdout } = spawnSync('git', ['config', '--list', '-z', '--file', '-', '--no-includes'], {
    input: text,
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin' },
  });
  if (status !== 0) return undefined;
  return stdout
    .split('\0')
    .slice(0, -1)
    .map((entry) => [entry.split('\n', 1)[0] as string, entry]);
}

describe.each(BUILDS)('of any configuration, by the %s build,', (build) => {
  it('harmless entries and old ones are left, and nothing else', { timeout: 300_000 }, () => {
    const user = USERS.at(-1) as User;
    fc.assert(
      fc.property(pairs, (cases) => {
        const repo = new Repository(user);
        const write = (i: number, name: string, text: string) =>
          writeFileSync(join(repo.folder, `.git/modules/${i}/${name}`), text);
        repo.outside(`mkdir -p new ${cases.map((_, i) => `.git/modules/${i}`).join(' ')}`);
        cases.forEach(([old, added, isAppended], i) => {
          write(i, 'config', old);
          write(i, 'new', isAppended ? old + added : added);
        });
        repo.outside('true');
        const { code } = repo.inside(
          'for i in .git/modules/*; do cp $i/new $i/copy; mv -f $i/copy $i/config; done',
          PLAN,
          build,
        );
        expect(code).toBe(0);
        cases.forEach(([old], i) => {
          const read = (name: string) => readFileSync(join(repo.folder, `.git/modules/${i}/${name}`), 'utf8');
          const [now, left] = [entriesIn(read('new')), read('config')];
          if (now === undefined || old === read('new')) {
            expect(left).toBe(old);
            return;
          }
          const before = new Set((entriesIn(old) ?? []).map(([, entry]) => entry));
          expect(entriesIn(left)).toEqual(now.filter((entry) => isHarmless(entry) || before.has(entry[1] as string)));
        });
      }),
      { numRuns: 12 },
    );
  });
});
