import { describe, expect, it } from 'vitest';
import { check, findingsIn } from './support.ts';

const WORKFLOW = '.github/workflows/ci.yml';
const secret = (name: string) => `\${{ secrets.${name} }}`;
const steps = (text: string) => `on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n${text}`;

describe('workflows', () => {
  it('secrets of workflow and job are there for every step, and for the agent in one of them', async () => {
    const text = `on: push\nenv:\n  NPM_TOKEN: ${secret('NPM_TOKEN')}\njobs:\n  a:\n    env:\n      KEY: "\${{ github.token }}"\n      LOG: info\n    steps:\n      - run: claude -p hi\n`;
    const { findings } = await check({ [WORKFLOW]: text });
    expect(findings.map(({ rule, region, names }) => [`${region?.line}:${region?.column}`, rule, names])).toEqual([
      ['3:3', 'credential-for-every-step', ['NPM_TOKEN']],
      ['7:7', 'credential-for-every-step', ['KEY']],
      ['10:14', 'credential-to-agent', ['NPM_TOKEN', 'KEY']],
    ]);
  });

  it.each([
    ['claude -p hi', true],
    ['npx -y @anthropic-ai/claude-code@1.2 -p hi', true],
    ['sudo -E timeout 60 /usr/local/bin/codex exec "fix"', true],
    ['cd x && FOO=1 gemini -p hi', true],
    ['echo "$(aider --message hi)"', true],
    ['if true; then goose run; fi', true],
    ['cordon agent run claude "fix it"', false],
    ['cordon run -- claude -p hi', false],
    ['echo claude', false],
    ['claude --version', false],
    ['# claude -p hi', false],
    ['npm test', false],
  ])('%s: an agent with a secret that is not its own: %s', async (command, found) => {
    const text = steps(`      - run: |\n          ${command}\n        env:\n          DEPLOY: ${secret('DEPLOY')}\n`);
    expect(await findingsIn(WORKFLOW, text)).toEqual(found ? ['9:11 credential-to-agent'] : []);
  });

  it('its own key is what an agent needs', async () => {
    const text = steps(
      `      - uses: anthropics/claude-code-action@v1\n        env:\n          ANTHROPIC_API_KEY: ${secret('A')}\n          GH_TOKEN: ${secret('G')}\n`,
    );
    expect(await findingsIn(WORKFLOW, text)).toEqual(['9:11 credential-to-agent']);
  });

  it.each([
    ['npm ci', true],
    ['npm install left-pad', true],
    ['yarn', true],
    ['pnpm i --frozen-lockfile', true],
    ['npm ci --ignore-scripts', false],
    ['cordon run -- npm ci', false],
    ['npm publish', false],
  ])('%s: install scripts get the secret of the step: %s', async (command, found) => {
    const text = steps(`      - run: ${command}\n        env:\n          NODE_AUTH_TOKEN: ${secret('N')}\n`);
    expect(await findingsIn(WORKFLOW, text)).toEqual(found ? ['8:11 credential-to-install-scripts'] : []);
  });

  it('build arguments, containers and scripts', async () => {
    const text = `on: push
jobs:
  a:
    container:
      image: node
      env:
        DB_PASSWORD: ${secret('DB')}
    services:
      pg: { image: pg, env: { PGPASSWORD: "${secret('DB')}" } }
    steps:
      - run: |
          docker build \\
            --build-arg NPM_TOKEN=${secret('NPM')} \\
            --build-arg=VERSION=1 .
          docker run -e GH_TOKEN --env-file .env image
      - uses: docker/build-push-action@v6
        with:
          build-args: |
            VERSION=1
            PAT=${secret('P')}
          secrets: |
            npm=${secret('NPM')}
      - run: echo "\${{ toJSON(secrets) }}"
  b:
    uses: ./x.yml
    secrets: inherit
`;
    expect(await findingsIn(WORKFLOW, text)).toEqual([
      '7:9 credential-to-container',
      '9:31 credential-to-container',
      '13:25 credential-in-build-arg',
      '13:35 secret-in-script',
      '15:25 credential-to-container',
      '15:45 whole-env-file',
      '20:13 credential-in-build-arg',
      '23:20 all-secrets-at-once',
      '26:14 all-secrets-at-once',
    ]);
  });

  it('a credential that is written out', async () => {
    const text = steps(
      `      - run: git push https://bob:x9Kd72mQ@github.com/x/y\n        env:\n          A: ghp_${'a1B2'.repeat(9)}\n          CACHE_KEY: v1-npm\n          ADMIN_PASSWORD: correcthorse\n`,
    );
    expect(await findingsIn(WORKFLOW, text)).toEqual([
      '6:14 literal-credential',
      '8:11 literal-credential',
      '10:11 secret-in-plain-text',
    ]);
  });

  it('harmless workflows have no findings', async () => {
    const text = steps(
      '      - uses: actions/checkout@v4\n      - run: npm ci && npm test\n        env: { CI: true, MAX_TOKENS: 100, TOKENIZERS_PARALLELISM: "false" }\n      - run: echo done # claude\n',
    );
    expect(await findingsIn(WORKFLOW, text)).toEqual([]);
  });
});

describe('Dockerfiles', () => {
  it('continuations, comments between them, quotes, the old form, heredocs', async () => {
    const text = [
      '# syntax=docker/dockerfile:1',
      'FROM node:20',
      'ARG NPM_TOKEN',
      'arg VERSION=1 GH_PAT=',
      'ENV NODE_ENV=production \\',
      '    # a comment',
      '    API_TOKEN="$NPM_TOKEN" A="b c" DB_PASSWORD=\'correct horse\'',
      'ENV MY_SECRET $X',
      'ENV GPG_KEY A035C8C19219BA821ECEA86B64E628F8D684696D',
      'ENV DB_PASSWORD_FILE=/run/secrets/db KEYBOARD_LAYOUT=de',
      'COPY --chown=1 .npmrc package.json ./',
      'COPY --from=build /app/.env /app/',
      'COPY .env.example ./',
      'RUN --mount=type=secret,id=npm npm ci',
      'RUN <<EOT',
      'ENV INSIDE_TOKEN=1',
      'git clone https://bob:x9Kd72mQ@github.com/x/y',
      'EOT',
      'ARG AFTER_SECRET',
    ].join('\n');
    expect(await findingsIn('Dockerfile', text)).toEqual([
      '3:5 credential-in-build-arg',
      '4:15 credential-in-build-arg',
      '7:5 credential-in-image-env',
      '7:36 secret-in-plain-text',
      '8:5 credential-in-image-env',
      '11:16 credential-file-in-image',
      '15:1 literal-credential',
      '19:5 credential-in-build-arg',
    ]);
  });

  it('another escape character', async () => {
    expect(await findingsIn('x.dockerfile', '# escape=`\nFROM a\nENV A=1 `\n  B_TOKEN=$X\n')).toEqual([
      '4:3 credential-in-image-env',
    ]);
  });
});

describe('compose files', () => {
  it('both forms, what is merged in, agents, build arguments, files', async () => {
    const text = `x-env: &env
  NPM_TOKEN: \${NPM_TOKEN}
services:
  web:
    build: { args: [GH_TOKEN, VERSION=1] }
    env_file: [.env, { path: other.env, required: false }]
    environment:
      <<: *env
      POSTGRES_PASSWORD_FILE: /run/secrets/pg
      ADMIN_PASSWORD: correcthorse
      DEBUG: 1
  agent:
    image: ghcr.io/x/claude-code:1
    environment: [ANTHROPIC_API_KEY, GH_TOKEN]
  db:
    image: !reset null
`;
    expect(await findingsIn('docker-compose.prod.yml', text)).toEqual([
      '2:3 credential-to-container',
      '5:21 credential-in-build-arg',
      '6:16 whole-env-file',
      '6:30 whole-env-file',
      '10:7 secret-in-plain-text',
      '14:38 credential-to-agent',
    ]);
  });
});

describe('what kind a file is', () => {
  it.each([
    ['x.yaml', 'jobs: {}\n', 'workflow'],
    ['x.yml', 'services: {}\n', 'compose'],
    ['x.yaml', 'sandboxed_envs: {}\n', 'secrets'],
    ['x.toml', '[tools.a]\nenv_base = "none"\n', 'config'],
    ['x.json', '{"addToAllowlist": []}', 'allowlist'],
    ['x.json', '{"environment": {"allow_vars": []}}', 'profile'],
    ['Containerfile', 'FROM x\n', 'dockerfile'],
    ['.env.example', 'A=1\n', 'env-list'],
  ])('%s with %j is a %s', async (name, text, kind) => {
    expect((await check({ [name]: text })).files).toEqual([{ file: name, kind }]);
  });

  it('it can be said', async () => {
    const files = { 'notes.txt': 'MY_TOKEN\n' };
    expect((await check(files)).troubles).toHaveLength(1);
    expect((await check(files, { kind: 'allowlist' })).findings.map(({ rule }) => rule)).toEqual([
      'allowlist-entry-denied',
    ]);
  });
});
