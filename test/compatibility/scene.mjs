// The home and the projects in which the hundred commands are typed, and what the servers serve. Everything belongs to cordon-test.
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const secret = () => randomBytes(20).toString('hex');
const REGISTRY = 'http://git.localhost:8080/npm/';

/** @param run runs a program as the user */
export function makeServed(folder, { uid, gid }, run) {
  const owned = (path) => {
    mkdirSync(path, { recursive: true });
    chownSync(path, uid, gid);
  };
  for (const name of ['', 'git', 'npm', 'pip', 'tls', 'ssh']) owned(join(folder, name));
  const sh = (script) => run('bash', ['-ec', script], folder);
  sh(`openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=git.localhost -addext subjectAltName=DNS:git.localhost \
    -keyout tls/key.pem -out tls/cert.pem 2>/dev/null
    ssh-keygen -q -t ed25519 -N '' -f ssh/host && ssh-keygen -q -t ed25519 -N '' -f ssh/user && cp ssh/user.pub ssh/authorized
    for name in lib team; do
      git init -q -b main $name && cd $name && echo "hello $name" > README.md && git add . &&
        git -c user.name=a -c user.email=a@b commit -qm "first of $name" && cd .. &&
        git clone -q --bare $name git/$name.git && git -C git/$name.git config http.receivepack true
    done`);
  servePackages(folder, sh);
  serveWheel(folder, sh);
}

const PACKAGES = {
  tiny: { 'index.js': "module.exports = 'tiny'\n" },
  'tiny-cli': { 'cli.js': "#!/usr/bin/env node\nconsole.log('tiny-cli ran')\n" },
  '@corp/ui': { 'index.js': "module.exports = 'corp ui'\n" },
};

function servePackages(folder, sh) {
  const packuments = Object.entries(PACKAGES).map(([name, files]) => {
    const manifest = {
      name,
      version: '1.0.0',
      ...('cli.js' in files ? { bin: { [name]: 'cli.js' } } : { main: 'index.js' }),
    };
    const file = `${name.replace(/\W/g, '-')}-1.0.0.tgz`;
    const at = join(folder, 'npm', file.replace('.tgz', ''), 'package');
    mkdirSync(at, { recursive: true });
    for (const [path, text] of Object.entries({ ...files, 'package.json': JSON.stringify(manifest) }))
      writeFileSync(join(at, path), text, { mode: 0o755 });
    execFileSync('tar', ['czf', join(folder, 'npm', file), '-C', dirname(at), 'package']);
    const data = readFileSync(join(folder, 'npm', file));
    const dist = {
      tarball: `${REGISTRY}${name}/-/${file}`,
      integrity: `sha512-${createHash('sha512').update(data).digest('base64')}`,
      shasum: createHash('sha1').update(data).digest('hex'),
    };
    return [name, { name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { ...manifest, dist } } }];
  });
  writeFileSync(join(folder, 'npm/packages.json'), JSON.stringify(Object.fromEntries(packuments)));
  sh('true');
}

function serveWheel(folder, sh) {
  sh(`mkdir -p wheel/greet-1.0.dist-info && cd wheel && printf "def main():\\n    print('greetings')\\n" > greet.py
    printf 'Metadata-Version: 2.1\\nName: greet\\nVersion: 1.0\\n' > greet-1.0.dist-info/METADATA
    printf 'Wheel-Version: 1.0\\nGenerator: hand\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n' > greet-1.0.dist-info/WHEEL
    printf '[console_scripts]\\ngreet = greet:main\\n' > greet-1.0.dist-info/entry_points.txt
    printf 'greet.py,,\\ngreet-1.0.dist-info/METADATA,,\\ngreet-1.0.dist-info/WHEEL,,\\n' > greet-1.0.dist-info/RECORD
    printf 'greet-1.0.dist-info/entry_points.txt,,\\ngreet-1.0.dist-info/RECORD,,\\n' >> greet-1.0.dist-info/RECORD
    python3 -c "import shutil; shutil.make_archive('../greet', 'zip', '.')" && mv ../greet.zip ../pip/greet-1.0-py3-none-any.whl`);
  chmodSync(join(folder, 'pip'), 0o755);
}

/** What someone has in the home after a year. */
const homeFiles = (home) => ({
  '.gitconfig': `[user]
\tname = Dev Eloper
\temail = dev@example.test
[init]
\tdefaultBranch = main
[core]
\tpager = less -FRX
[http]
\tsslCAInfo = ${home}/.config/corp/ca.pem
[credential]
\thelper = store
[alias]
\tst = status
`,
  '.git-credentials': `http://${['dev', 'let-me-push'].join(':')}@git.localhost%3a8080\n`,
  '.npmrc': `registry=${REGISTRY}
@corp:registry=${REGISTRY}
//git.localhost:8080/npm/:_authToken=${secret()}
ignore-scripts=true
prefix=${home}/.npm-global
update-notifier=false
cafile=${home}/.config/corp/ca.pem
`,
  '.yarnrc': `registry "${REGISTRY}"\n`,
  '.config/pip/pip.conf': '[global]\nindex-url = http://git.localhost:8080/simple/\ntrusted-host = git.localhost\n',
  '.config/gh/config.yml': 'git_protocol: ssh\neditor: vim\nprompt: disabled\n',
  '.config/gh/hosts.yml': `github.localhost:\n    user: dev\n    oauth_token: ${secret()}\n    git_protocol: ssh\n`,
  '.docker/config.json': JSON.stringify({
    auths: { 'registry.example.test': { auth: Buffer.from(`dev:${secret()}`).toString('base64') } },
    currentContext: 'work',
  }),
  [`.docker/contexts/meta/${createHash('sha256').update('work').digest('hex')}/meta.json`]: JSON.stringify({
    Name: 'work',
    Metadata: {},
    Endpoints: { docker: { Host: 'tcp://127.0.0.1:2375', SkipTLSVerify: false } },
  }),
  '.pgpass': `127.0.0.1:5432:postgres:careful:${['care', 'ful', '1'].join('')}\n`,
  '.psqlrc': '\\set QUIET 1\n',
  '.ssh/config': 'Host git.localhost\n  Port 2222\n  User cordon-test\n',
  '.aws/credentials': `[default]\naws_secret_access_key = ${secret()}\n`,
  '.netrc': `machine example.test login dev password ${secret()}\n`,
  '.profile': '[ -f ~/.bashrc ] && . ~/.bashrc\nexport PATH="$HOME/.local/bin:$PATH"\n',
  '.bashrc': `alias ll='ls -l'\nexport DEPLOY_TOKEN=${secret()}\nHISTSIZE=1000\n`,
  '.zshrc': "alias gs='git status'\n",
  '.config/fish/config.fish': 'abbr --add gco git checkout\n',
  '.config/direnv/direnv.toml': '[global]\nwarn_timeout = "1m"\n',
  '.vimrc': 'set nobackup\n',
  '.bash_history': 'ls\n',
  'Documents/notes.md': 'one\ntwo\n',
  'Pictures/cat.txt': 'meow\n',
});

const PROJECTS = {
  'work/web/package.json': JSON.stringify({
    name: 'web',
    version: '1.0.0',
    files: ['src'],
    scripts: {
      build: 'mkdir -p dist && node src/build.js > dist/out.txt',
      test: 'node --test --test-reporter=tap src',
    },
    dependencies: { tiny: '^1.0.0', '@corp/ui': '^1.0.0' },
  }),
  'work/web/README.md': 'hello web\n',
  'work/web/.gitignore': 'node_modules\ndist\n',
  'work/web/src/build.js': "console.log(require('tiny'), require('@corp/ui'))\n",
  'work/web/src/sum.test.js': "require('node:test')('sums', () => require('node:assert').equal(1 + 1, 2))\n",
  'work/yarned/package.json': JSON.stringify({
    name: 'yarned',
    version: '1.0.0',
    license: 'MIT',
    scripts: { hello: 'echo hello from yarn' },
    dependencies: { tiny: '^1.0.0' },
  }),
  'work/app/package.json': JSON.stringify({ name: 'app', version: '1.0.0', type: 'module' }),
  'work/app/tsconfig.json': JSON.stringify({
    compilerOptions: { module: 'nodenext', target: 'es2022', strict: true, rootDir: 'src', types: [] },
    files: ['src/sum.ts'],
  }),
  'work/app/src/sum.ts': 'export const sum = (a: number, b: number): number => a + b;\nconsole.log(sum(40, 2));\n',
  'work/app/src/sum.test.ts': "import { expect, test } from 'vitest';\ntest('sums', () => expect(1 + 1).toBe(2));\n",
  'work/app/shot.mjs': `import { chromium } from 'playwright-core';
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium' });
const page = await browser.newPage();
await page.setContent('<h1>hello</h1>');
console.log(await page.textContent('h1'));
await page.screenshot({ path: 'shot.png' });
await browser.close();
`,
  'work/app/worker.cjs': `const { Worker, isMainThread, parentPort } = require('node:worker_threads');
if (isMainThread) new Worker(__filename).on('message', console.log);
else parentPort.postMessage(6 * 7);
`,
  'work/app/server.mjs': `import { createServer } from 'node:http';
createServer((_, response) => response.end('served\\n')).listen(3210, '127.0.0.1');
`,
  'work/py/sums.py': 'def add(a, b):\n    return a + b\n',
  'work/py/test_sum.py':
    'import unittest\nfrom sums import add\n\n\nclass Sums(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 1), 2)\n',
  'work/py/run-me.py': '#!/usr/bin/env python3\nprint("ran")\n',
  'work/py/note.ipynb': JSON.stringify({
    cells: [{ cell_type: 'code', execution_count: null, id: 'a', metadata: {}, outputs: [], source: 'print(6*7)' }],
    metadata: { kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' } },
    nbformat: 4,
    nbformat_minor: 5,
  }),
  'work/c/hello.c': '#include <stdio.h>\nint main(void) { puts("hello from c"); return 0; }\n',
  'work/c/list.cc':
    '#include <iostream>\n#include <vector>\nint main() { std::cout << std::vector<int>{1, 2}.size() << "\\n"; }\n',
  'work/c/Makefile': 'hello: hello.c\n\t$(CC) -o $@ $<\nclean:\n\trm -f hello\n',
  'work/c/CMakeLists.txt': 'cmake_minimum_required(VERSION 3.10)\nproject(hello C)\nadd_executable(hello hello.c)\n',
  'work/rust/Cargo.toml': '[package]\nname = "counter"\nversion = "0.1.0"\nedition = "2021"\n',
  'work/rust/src/main.rs':
    'fn main() { let n: i32 = std::env::args().nth(1).map_or(1, |a| a.parse().unwrap()); println!("{}", n * 2); }\n#[test]\nfn two() { assert_eq!(1 + 1, 2); }\n',
  'work/go/go.mod': 'module example.test/counter\n\ngo 1.19\n',
  'work/go/main.go':
    'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(add(40, 2)) }\n\nfunc add(a, b int) int { return a + b }\n',
  'work/go/main_test.go':
    'package main\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif add(1, 1) != 2 {\n\t\tt.Fatal()\n\t}\n}\n',
  'work/java/Hello.java':
    'class Hello { public static void main(String[] a) { System.out.println("hello from java"); } }\n',
  'work/envs/.envrc': 'export COLOUR=green\n',
};

const EXECUTABLE = ['work/py/run-me.py'];
const PRIVATE = ['.git-credentials', '.npmrc', '.pgpass', '.netrc', '.ssh/config', '.config/gh/hosts.yml'];

export function makeHome(home, { folder, tools, uid, gid, run }) {
  for (const [name, text] of Object.entries({ ...homeFiles(home), ...PROJECTS })) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  for (const name of EXECUTABLE) chmodSync(join(home, name), 0o755);
  for (const name of PRIVATE) chmodSync(join(home, name), 0o600);
  chmodSync(join(home, '.ssh'), 0o700);
  cpSync(join(tools, 'node_modules'), join(home, 'work/app/node_modules'), { recursive: true, verbatimSymlinks: true });
  for (const name of ['.npm-global/bin', '.npm-global/lib', '.local/bin', '.config/corp'])
    mkdirSync(join(home, name), { recursive: true });
  cpSync(join(folder, 'tls/cert.pem'), join(home, '.config/corp/ca.pem'));
  cpSync(join(folder, 'ssh/user'), join(home, '.ssh/id_ed25519'));
  cpSync(join(folder, 'ssh/user.pub'), join(home, '.ssh/id_ed25519.pub'));
  const hostKey = readFileSync(join(folder, 'ssh/host.pub'), 'utf8').split(' ').slice(0, 2).join(' ');
  writeFileSync(join(home, '.ssh/known_hosts'), `[git.localhost]:2222 ${hostKey}\n`);
  execFileSync('chown', ['-R', `${uid}:${gid}`, home]);
  run('bash', ['-ec', makeProjects(folder)], home);
}

const makeProjects = (folder) => `cd work/web && npm install --silent --package-lock-only --no-audit
  git init -q && for word in 'first commit' second third; do echo "$word" >> log.txt; git add . && git commit -qm "$word"; done
  git worktree add -q ../web-side -b side
  git remote add team ssh://git.localhost${folder}/git/team.git && git remote add upstream http://git.localhost:8080/git/team.git
  cd ../yarned && yarn install --silent && rm -r node_modules && cd ../envs && direnv allow .`;
