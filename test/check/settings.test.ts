import { describe, expect, it } from 'vitest';
import { findingsIn } from './support.ts';

const TOKEN = ['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6'].join('_');
const rules = async (name: string, text: string) => (await findingsIn(name, text)).map((line) => line.split(' ')[1]);

describe('settings that come with a repository', () => {
  it.each([
    ['.mcp.json', { mcpServers: { gh: { command: 'npx', args: ['-y', 'x'], env: { GITHUB_TOKEN: TOKEN } } } }],
    ['.cursor/mcp.json', { mcpServers: { db: { command: 'db', args: [`postgres://u:${'pw9xKq'}@db.example/x`] } } }],
    [
      '.vscode/mcp.json',
      { servers: { a: { url: 'https://a.example', headers: { Authorization: `Bearer ${TOKEN}` } } } },
    ],
    ['.claude/settings.json', { env: { API_TOKEN: TOKEN } }],
    ['.devcontainer/devcontainer.json', { containerEnv: { GH_TOKEN: TOKEN } }],
  ])('%s with a value in it', async (name, settings) => {
    expect(await rules(name, JSON.stringify(settings))).toEqual(['literal-credential']);
  });

  it.each([
    ['.mcp.json', { mcpServers: { gh: { command: 'npx', env: { GITHUB_TOKEN: `\${GITHUB_TOKEN}` } } } }],
    ['.claude/settings.json', { env: { LOG_LEVEL: 'debug' }, permissions: { allow: ['Bash(npm test)'] } }],
    ['.devcontainer/devcontainer.json', { image: 'node:20', remoteEnv: { GH_TOKEN: `\${localEnv:GH_TOKEN}` } }],
    ['.vscode/settings.json', { 'editor.tabSize': 2 }],
  ])('%s with references alone is fine', async (name, settings) => {
    expect(await findingsIn(name, JSON.stringify(settings))).toEqual([]);
  });

  it('GitLab CI', async () => {
    const job = (value: string) => `variables:\n  DEPLOY_TOKEN: "${value}"\ntest:\n  script: [make]\n`;
    expect(await rules('.gitlab-ci.yml', job(TOKEN))).toEqual(['literal-credential']);
    expect(await findingsIn('.gitlab-ci.yml', job('$CI_JOB_TOKEN'))).toEqual([]);
  });

  it.each([
    ['/var/run/docker.sock:/var/run/docker.sock', 'daemon-in-container'],
    ['~/.ssh:/app/.ssh:ro', 'credentials-mounted'],
    ['$' + '{HOME}/.aws:/app/.aws', 'credentials-mounted'],
    ['$HOME:/host', 'credentials-mounted'],
    ['./src:/app', undefined],
    ['~/.cache/pip:/app/pip', undefined],
    ['data:/var/lib/postgresql', undefined],
  ])('compose mounts %s', async (mount, rule) => {
    const text = `services:\n  a:\n    image: x\n    volumes:\n      - "${mount}"\n`;
    expect(await rules('compose.yaml', text)).toEqual(rule === undefined ? [] : [rule]);
  });

  it('devcontainers mount by name', async () => {
    const mounts = [
      'source=/var/run/docker.sock,target=/var/run/docker.sock,type=bind',
      'source=cache,target=/c,type=volume',
    ];
    expect(await rules('devcontainer.json', JSON.stringify({ mounts }))).toEqual(['daemon-in-container']);
  });

  it('every word of a text allowlist counts', async () => {
    expect(await rules('allowlist.txt', 'PATH MY_API_KEY GITHUB_TOKEN # SECRET_X\n')).toEqual([
      'allowlist-entry-denied',
      'allowlist-entry-denied',
    ]);
  });
});
