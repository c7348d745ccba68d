import { describe, expect, it } from 'vitest';
import { isBackup, lookThrough, mayBeSettings } from '../../../src/plan/settings/index.ts';

const PASSWORD = 'hunter2hunter2';
const LOGGED_IN = `https://${['ada', PASSWORD].join(':')}@`;
/** No real ones: each in the form that such a service gives out. */
const CUSTOMER = 'Zk4WhVq8mXc2Bd1R';

describe('a line with a log-in goes, and the line below it stays', () => {
  it.each([
    ['config.toml', `GITHUB_TOKEN = "${PASSWORD}"`],
    ['auth.toml', `password = '${PASSWORD}'`],
    ['.gemrc', `:rubygems_api_key: ${PASSWORD}`],
    ['npmrc', `//r.example/:_password="${PASSWORD}"`],
    ['.yarnrc.yml', `npmAuthIdent: "ada:${PASSWORD}"`],
    ['x.properties', `corp.password=${PASSWORD}`],
    ['maven.config', `-Dtoken=${PASSWORD}`],
    ['settings.xml', `<password>${PASSWORD}</password>`],
    ['.screenrc', `setenv OPENAI_API_KEY ${PASSWORD}`],
    ['init.el', `(setenv "OPENAI_API_KEY" "${PASSWORD}")`],
    ['init.el', `(setq gptel-api-key "${PASSWORD}")`],
    ['init.vim', `let $API_TOKEN='${PASSWORD}'`],
    ['startup.jl', `ENV["GITHUB_TOKEN"]="${PASSWORD}"`],
    ['config.kdl', `env { OPENAI_API_KEY "${PASSWORD}"; }`],
    ['global.sbt', `credentials += Credentials("Realm", "host", "ada", "${PASSWORD}")`],
    ['starship.toml', `command = "curl -H 'Authorization: Bearer ${PASSWORD}' x"`],
    ['config', `run = "deploy --token ${PASSWORD}"`],
    ['config', `# password: ${PASSWORD}`],
    ['config.yml', `"pass\\u0077ord": ${PASSWORD}`],
  ])('%s: %s', (name, line) => {
    const below = name.endsWith('.xml') ? '<offline>true</offline>' : 'other = 1';
    expect(lookThrough(name, `${line}\n${below}\n`)).toEqual({ copy: `\n${below}\n` });
    expect(lookThrough(name, `${line}\n`)).toBe('nothing');
  });

  it('under a heading that says so', () => {
    const text = '[tool]\nmode = "fast"\n[pypi-token]\npypi = "hunter2hunter2"\n';
    expect(lookThrough('auth.toml', text)).toEqual({ copy: '[tool]\nmode = "fast"\n[pypi-token]\n\n' });
  });

  it('an address stays without it', () => {
    const text = `corp: ${LOGGED_IN}r.example/\nmore: https://dl.example/${CUSTOMER}/org/\n`;
    expect(lookThrough('repositories', text)).toEqual({
      copy: 'corp: https://r.example/\nmore: https://dl.example/org/\n',
    });
  });

  it('in JSON the rest is whole', () => {
    const text = JSON.stringify({ a: [{ url: `${LOGGED_IN}r.example`, token: PASSWORD }], b: { keys: ['x'] } });
    const found = lookThrough('remotes.json', text);
    expect(JSON.parse((found as { copy: string }).copy)).toEqual({
      a: [{ url: 'https://r.example' }],
      b: { keys: ['x'] },
    });
  });
});

describe('a value on another line than its name, or in brackets', () => {
  const RANDOM = 'Zx9Qw8Er7Ty6Ui5Op4As3Df2Gh1Jk0Lz';
  it.each([
    ['config.yml', `a: b\npassword:\n  ${PASSWORD}\n`, 3],
    ['config.yml', `a: b\npassword:\n\n  "correct horse"\n`, 4],
    ['config.yml', `a: b\ntokens:\n  - ${RANDOM}\n`, 3],
    ['config.yml', `a: b\ntokens:\n- a\n- ${RANDOM}\n`, 4],
    ['config.yml', `a: b\npasswords: [${PASSWORD}]\n`, 2],
    ['config.yml', `a: b\nauth:\n  github.com:\n    value: ${RANDOM}\n`, 4],
    ['config.toml', `A="b"\ntokens = [\n  "${RANDOM}",\n]\n`, 3],
    ['config.toml', `A="b"\ntokens = ["${RANDOM}"]\n`, 2],
    ['config.toml', `A="b"\nauth = { host = "${RANDOM}" }\n`, 2],
    ['x.json', `{// c\n"a":"1",\n"token":\n"${RANDOM}"}\n`, 4],
    ['x.json', `{// c\n"auth":\n{"github.com": {\n"value": "${RANDOM}"}}}\n`, 4],
    ['init.lua', `vim.g.x = 1\nvim.g.api_key =\n  "${PASSWORD}"\n`, 3],
    ['init.lua', `vim.g.x = 1\nvim.g.api_key = [[\n${PASSWORD}\n]]\n`, 2],
    ['init.lua', `vim.g.x = 1\nsecrets = {\n  openai = "${RANDOM}",\n}\n`, 3],
    ['settings.xml', `<a>\n<password>\n  ${PASSWORD}\n</password></a>\n`, 3],
  ])('costs the file: %s %j', (name, text, line) => expect(lookThrough(name, text)).toEqual({ line }));

  it('goes where the line is whole', () => {
    const text = `vim.g.api_key = [[${PASSWORD}]]\nvim.g.x=1\n`;
    expect(lookThrough('init.lua', text)).toEqual({ copy: '\nvim.g.x=1\n' });
    const toml = `[a]\nb = 1\n[tokens]\nhost = "${RANDOM}"\nkeyword = "red"\n`;
    expect(lookThrough('x.toml', toml)).toEqual({ copy: '[a]\nb = 1\n[tokens]\n\nkeyword = "red"\n' });
  });

  it('goes from JSON, by the names above it', () => {
    for (const text of [`{"a":1,"auth":{"h.example":{"value":"${RANDOM}"}}}`, `{"a":1,\n"token":\n"${RANDOM}"}`]) {
      const { copy = '' } = lookThrough('x.json', text) as { copy?: string };
      expect(copy).not.toContain(RANDOM);
      expect(JSON.parse(copy)).toMatchObject({ a: 1 });
    }
  });

  it.each([
    ['config.yml', 'tokens:\n  - keyword\n  - comment\nsecrets:\n  - openai\npassword:\nother: word\n'],
    ['config.yml', 'auth:\n  provider: oauth2-proxy\n  type: basic\ntoken:\n  type: bearer\n  file: ~/.token\n'],
    ['init.lua', 'opts = { semantic_tokens = {\n  comments = "italic",\n}, auth = { kind = "oauth" } }\n'],
    ['init.lua', 'local get_token = function()\n  return vim.env.TOKEN\nend\ntoken = {\n  cmd = "pass show x"\n}\n'],
    ['init.el', '(setq auth-sources\n      \'("~/.authinfo.gpg"))\n'],
    [
      'lazy-lock.json',
      '{"git-credential": {"branch": "main", "commit": "2b2f8d3f2c1b7a5c9f3ce0d1a2b3c4d5e6f70819"}}\n',
    ],
    ['package.json', '{\n"keywords": [\n"a",\n"CanvasRenderingContext2D"\n]}\n'],
    ['x.xml', '<type name="x-gimp-pat">\n  <a>GIMP pattern2Hx9Qw8Er7Ty6</a>\n</type>\n'],
    ['a.toml', '[[keyboard.bindings]]\nkey = "V"\nmods = "Control|Shift"\n[colors.primary]\nbackground = "0x1d1f21"\n'],
  ])('and what is none stays: %s %j', (name, text) => expect(lookThrough(name, text)).toBe('clean'));
});

describe('JSON keeps what it says', () => {
  it('line by line where that leaves JSON', () => {
    const text = `{\n  "id": 12345678901234567890,\n  "token": "${PASSWORD}",\n  "b": 1.0\n}\n`;
    expect(lookThrough('x.json', text)).toEqual({ copy: '{\n  "id": 12345678901234567890,\n\n  "b": 1.0\n}\n' });
  });

  it.each([
    `{"id": 12345678901234567890, "token": "${PASSWORD}"}`,
    `{"n": 1e400, "token": "${PASSWORD}"}`,
    `{"n": "\\u4e2d", "token": "${PASSWORD}"}`,
    `{"a": 1, "a": 2, "token": "${PASSWORD}"}`,
  ])('and is absent where it would say another thing: %s', (text) =>
    expect(lookThrough('x.json', text)).toEqual({ line: 1 }),
  );
});

describe('a control character hides nothing', () => {
  it.each(['\f', '\x1b', '\x01', '\x7f', '\b'])('%j on another line, before the name and in it', (control) => {
    const kept = `set x ${control}y`;
    for (const line of [`token = "${PASSWORD}"`, `${control}token = "${PASSWORD}"`, `tok${control}en = "${PASSWORD}"`])
      expect(lookThrough('.vimrc', `${kept}\n${line}\n`)).toEqual({ copy: `${kept}\n\n` });
    expect(lookThrough('.vimrc', `${kept}\nset nu\n`)).toBe('clean');
  });

  it('and what is no text is shown where it is no settings either', () => {
    expect(lookThrough('a.lua', `\xff\xfet\0o\0k\0e\0n\0`)).toBe('no text');
    expect(lookThrough('a.lua', `t\0o\0k\0e\0n\0`)).toBe('no text');
    expect(lookThrough('config', `token=${PASSWORD}\0`)).toBe('no text');
    const files = ['\x89PNG\r\n\x1a\n\0', '\x7fELF\x02\0', '\0\x01\0\0', 'wOF2\0', 'SQLite format 3\0', 'b0VIM 9\0'];
    for (const text of files) expect(lookThrough('a', `${text}\0token=${PASSWORD}`)).toBe('clean');
  });
});

it.each([
  ['profiles.clj', `{:a 1\n :b {:password "${PASSWORD}"\n     :c 2}}\n`, 2],
  ['config.yml', `token: |\n  ${PASSWORD}\nother: 1\n`, 1],
  ['x.conf', `run a \\\n  --password ${PASSWORD}\n`, 2],
  ['id', '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n(\n', undefined],
])('a line that is part of more: %s', (name, text, line) => {
  const found = lookThrough(name, text);
  if (line === undefined) expect(found).not.toBe('clean');
  else expect(found).toEqual({ line });
});

describe('what people write in settings stays', () => {
  it.each([
    ['.tmux.conf', 'bind-key r source-file ~/.tmux.conf\nset -g mode-keys vi\nunbind-key C-b\n'],
    ['init.lua', 'keys = { { "<leader>k", "<cmd>x<cr>", desc = "keys" } }\nlocal token = get_token()\n'],
    ['init.lua', 'opts = { semantic_tokens = "full", password = os.getenv("PASSWORD") }\n'],
    ['lazy-lock.json', '{"a": {"branch": "main", "commit": "0123456789abcdef0123456789abcdef01234567"}}\n'],
    ['settings.json', '{"key": "ctrl+k", "tokenColors": "dark", "editor.semanticTokenType": "fine"}\n'],
    ['config.toml', `[keys.normal]\n"C-s" = ":w"\ntoken = "\${TOKEN}"\npassword-store = "keyring"\n`],
    ['.npmrc', `//r.example/:_authToken=\${NPM_TOKEN}\nalways-auth=true\n`],
    ['config', 'url = git@host.example:a/b.git\npushurl = ssh://git@host.example/a\n'],
    ['config', '# the token: see the handbook of the company\nkey_file = ~/.keys/a.pem\n'],
    ['.crates.toml', '"ripgrep 14.1.0 (registry+https://github.com/rust-lang/crates.io-index)" = ["rg"]\n'],
    ['settings.xml', '<url>https://r.example/v2/0a1b2c3d-0a1b-4c3d-8e5f-0a1b2c3d4e5f/x</url>\n'],
    ['htoprc', 'fields=0 48 17 18 38 39 40 2 46 47 49 1\ncolor_scheme=0\n'],
    ['.vimrc', 'let mapleader = " "\nnnoremap <silent> <leader>p :set paste<CR>\n" password: ask the boss for it\n'],
    ['.vimrc', `let g:netrw_http_cmd="curl -u user:$PASS"\nlet g:x="curl -u 'me:\${PASS}' https://h.example"\n`],
    ['config.yml', '  - key: "C"\n    command: "GITHUB_TOKEN=$(gh auth token) gh pr create"\n'],
    ['config.yml', 'command: "GITHUB_TOKEN=`gh auth token` gh pr create --token $TOKEN"\n'],
  ])('%s: %j', (name, text) => expect(lookThrough(name, text)).toBe('clean'));

  it.each([
    ...['curl -u $USER:hunter2hunter2 x', 'TOKEN=$(echo hunter2hunter2) x', 'A=$(curl -u me:hunter2hunter2 h) x'],
    ...[
      `curl -u me:\${PASS:-hunter2hunter2} x`,
      'A_TOKEN=$X-hunter2hunter2 x',
      'TOKEN=$(gh auth token) x -u me --password hunter2',
    ],
  ])('but not what is written beside a reference: %s', (command) => {
    expect(lookThrough('config.yml', `a: 1\nrun: "${command}"\n`)).toEqual({ copy: 'a: 1\n\n' });
  });
});

it('copies that were left of settings are told by their names', () => {
  const names = ['settings.xml.bak', 'config.toml~', '.npmrc.old', 'gradle.properties.bak2', 'config.save'];
  expect(names.filter(isBackup)).toEqual(names);
  expect(['a.lua', 'rebackup', 'Makefile~', 'config.toml'].filter(isBackup)).toEqual([]);
  expect(
    ['.npmrc', 'auth.toml', 'credentials', 'remotes.json', 'env', 'global.sbt'].every((one) =>
      mayBeSettings(one, false),
    ),
  ).toBe(true);
  expect(['cargo', 'README.md', 'libx.so', 'nvm-exec'].some((one) => mayBeSettings(one, false))).toBe(false);
});

it.each([
  ...['https://a@', 'token=', 'a"', '"a', "'", '<a>', 'password: ', '{[(', 'credentials("a",', 'A_KEY ', '://x/', 'x'],
  ...['token=[', 'token:\n', 'token:\n ', 'tokens = [\n', '["a",', 'auth:{"a":', '{"auth":', 'key = [[', 'a=$(', 'a=`'],
])('nothing hangs on %j, over and over', (piece) => {
  const start = process.cpuUsage();
  lookThrough('config', piece.repeat((1 << 18) / piece.length));
  expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
});
