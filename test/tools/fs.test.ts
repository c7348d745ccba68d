import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { USERS } from '../support/users.ts';
import { FILTER_ONLY, ToolBox } from './support.ts';

/** A home with credentials, a project and a shell that has a filesystem policy. */
function scene(
  user: (typeof USERS)[number],
  preset: string,
): { box: ToolBox; project: string; sh: (script: string, cwd?: string) => ReturnType<ToolBox['start']> } {
  const box = new ToolBox(user);
  box.folder(join(box.home, '.ssh'));
  box.write(join(box.home, '.ssh', 'id_rsa'), 'canary-key\n');
  box.write(join(box.home, '.netrc'), 'canary-netrc\n');
  box.write(join(box.home, '.bashrc'), '# mine\n');
  const project = box.folder(join(box.home, 'project'));
  box.write(join(project, 'file'), 'project-file\n');
  box.write(join(project, '.env'), 'project-env\n');
  box.did('tool', 'config', 'sh', 'fs', 'base', preset);
  return { box, project, sh: (script, cwd = project) => box.start('sh', ['-c', script], box.env, cwd) };
}

describe.each(USERS)('as %s', (user) => {
  test('guarded: credentials are not there, what is written in the home is put aside, the project is real', () => {
    const { box, project, sh } = scene(user, 'guarded');
    expect(sh('cat ~/.ssh/id_rsa ~/.netrc 2>/dev/null; cat file').stdout).toBe('project-file\n');
    expect(sh('echo evil >>~/.bashrc; echo evil >~/.zshenv; mkdir ~/.ssh; echo evil >~/.ssh/config').code).toBe(0);
    expect(sh('echo new >made').code).toBe(0);
    expect(readFileSync(join(project, 'made'), 'utf8')).toBe('new\n');
    expect(readFileSync(join(box.home, '.bashrc'), 'utf8')).toBe('# mine\n');
    expect(existsSync(join(box.home, '.zshenv'))).toBe(false);
    expect(readdirSync(join(box.home, '.ssh'))).toEqual(['id_rsa']);
  });

  test('guarded: what variables of this start name is hidden, whatever they said when the shim was written', () => {
    const { box, project } = scene(user, 'guarded');
    const written = box.shim('sh');
    const read = (file: string, env: Record<string, string>) =>
      box.start('sh', ['-c', `cat ${file}`], { ...box.env, ...env }, project).stdout;
    expect(read('file', {})).toBe('project-file\n');
    expect(read('file', { KUBECONFIG: join(project, 'file') })).toBe('');
    const other = box.folder(join(box.home, 'other'));
    box.folder(join(other, '.ssh'));
    box.write(join(other, '.ssh', 'id_rsa'), 'canary-key\n');
    expect(read(`${other}/.ssh/id_rsa`, { HOME: other })).toBe('');
    expect(read('file', {})).toBe('project-file\n');
    expect(box.shim('sh')).toBe(written);
  });

  test('guarded: a start-up file with secrets in it is not there, and no move reaches the real one', () => {
    const { box, sh } = scene(user, 'guarded');
    const text = 'export API_TOKEN=abcdef0123456789abcdef\n';
    box.write(join(box.home, '.bashrc'), text);
    box.did('tool', 'config', 'sh', 'fs', 'hide', '/nonexistent');
    expect(sh('cat ~/.bashrc').stdout).toBe('');
    sh('echo evil >>~/.bashrc; mv ~/.bashrc ~/x; rm -f ~/.bashrc');
    expect(readFileSync(join(box.home, '.bashrc'), 'utf8')).toBe(text);
    expect(box.shim('sh')).not.toContain('abcdef0123456789');
  });

  test('workspace: the working folder, whichever it is, and a home of its own', () => {
    const { box, project, sh } = scene(user, 'workspace');
    const { code, stdout } = sh(
      'cat file .env; echo new >made; cat ~/.netrc ~/.ssh/id_rsa ~/.bashrc /etc/shadow 2>/dev/null; echo x >~/inside && ls -A ~; ls -A /tmp; touch /usr/x 2>/dev/null || echo frozen',
    );
    expect(code).toBe(0);
    expect(stdout).not.toContain('canary');
    expect(stdout).toContain('project-file\nproject-env\n');
    expect(stdout).toContain('frozen');
    expect(existsSync(join(project, 'made'))).toBe(true);
    expect(existsSync(join(box.home, 'inside'))).toBe(false);
    const other = box.folder(join(box.home, 'other'));
    box.write(join(other, 'there'), 'other-file\n');
    expect(sh('cat there; ls ~/project 2>/dev/null', other).stdout).toBe('other-file\n');
  });

  test('workspace: a folder that would bring in what it keeps away is none', () => {
    const { box, sh } = scene(user, 'workspace');
    for (const folder of [box.home, '/', '/tmp', '/proc', '/proc/self', '/dev', '/sys', box.cordonHome, box.bin]) {
      const script = 'echo started; cat ~/.ssh/id_rsa ~/.netrc ~/project/.env 2>/dev/null; echo x 2>/dev/null >planted';
      expect([folder, sh(script, folder)]).toMatchObject([folder, { stdout: 'started\n' }]);
      expect([folder, existsSync(join(folder, 'planted'))]).toEqual([folder, false]);
    }
    expect(sh('true', box.home).stderr).toMatch(/^cordon: sh: no workspace here: .* is no project's own folder; /);
    expect(sh('true', box.home).stderr).toContain('what is written is put aside');
    expect(sh('true', '/').stderr).not.toContain('put aside');
    expect(sh('cat id_rsa', join(box.home, '.ssh')).stdout).toBe('');
  });

  test('workspace: what a shim does not show is named with what the shim understands', () => {
    const { box, project } = scene(user, 'workspace');
    const file = box.write(join(box.folder(join(box.home, 'other')), 'there'), 'other-file\n');
    const cat = () => box.start('sh', ['-c', 'cat "$0"', '../other/there'], box.env, project);
    const [, way = ''] = /is not shown inside; to show it: cordon (.*)\n/.exec(cat().stderr) ?? [];
    expect(way).toBe('tool config sh fs read ../other/there');
    box.did(...way.replace('../other/there', file).split(' '));
    expect(cat()).toMatchObject({ stdout: 'other-file\n', stderr: '' });
  });

  test('minimal: the system and what is listed', () => {
    const { box, project, sh } = scene(user, 'minimal');
    expect(sh('pwd; ls -A ~').stdout).toBe('/\n');
    expect(sh('true').stderr).toBe(`cordon: sh: ${project} is not shown inside: the command starts in /\n`);
    box.did('tool', 'config', 'sh', 'fs', 'ro', project);
    expect(sh('cat file; echo x >made').stdout).toBe('project-file\n');
    expect(existsSync(join(project, 'made'))).toBe(false);
    const data = box.folder(join(box.home, 'data'));
    box.did('tool', 'config', 'sh', 'fs', 'rw', data);
    expect(sh(`echo x >${data}/made`).code).toBe(0);
    expect(existsSync(join(data, 'made'))).toBe(true);
  });

  test('all with paths: the host as it is, but for these', () => {
    const { box, project, sh } = scene(user, 'all');
    box.did('tool', 'config', 'sh', 'fs', 'hide', '~/.ssh');
    box.did('tool', 'config', 'sh', 'fs', 'ro', project);
    expect(sh('cat ~/.ssh/id_rsa').code).not.toBe(0);
    expect(sh('cat ~/.netrc file').stdout).toBe('canary-netrc\nproject-file\n');
    expect(sh('echo x >made').code).not.toBe(0);
  });

  test('hidden stays hidden when the working folder lies above it', () => {
    const { box, project, sh } = scene(user, 'workspace');
    box.folder(join(project, 'secret'));
    box.write(join(project, 'secret', 'x'), 'canary\n');
    box.did('tool', 'config', 'sh', 'fs', 'hide', join(project, 'secret'));
    expect(sh('cat secret/x; cat file').stdout).toBe('project-file\n');
    expect(sh('mv secret elsewhere; cat elsewhere/x').stdout).toBe('');
  });

  test('with the barrier switched off the tool is not started, and nothing else changes that', () => {
    const { box } = scene(user, 'guarded');
    const { code, stdout, stderr } = box.start('sh', ['-c', 'echo started'], { ...box.env, ...FILTER_ONLY });
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toContain('sh has a filesystem policy, which needs the barrier: CORDON_DISABLE_BWRAP is set');
  });

  test('a credential file that appears later is hidden too', () => {
    const { box, sh } = scene(user, 'guarded');
    box.folder(join(box.home, '.aws'));
    box.write(join(box.home, '.aws', 'credentials'), 'canary-aws\n');
    expect(sh('cat ~/.aws/credentials').stdout).toBe('');
  });

  test('what variables point at stays hidden after the shim was written anew', () => {
    const { box, project } = scene(user, 'guarded');
    const elsewhere = box.write(join(box.home, 'cluster.yaml'), 'canary-kube\n');
    const env = { ...box.env, KUBECONFIG: elsewhere };
    box.cordon(['tool', 'config', 'sh', 'fs', 'base', 'guarded'], env);
    box.write(box.config, `# changed\n${box.policy()}`);
    for (const _ of [1, 2]) expect(box.start('sh', ['-c', `cat ${elsewhere}`], env, project).stdout).toBe('');
    expect(box.shim('sh')).toContain(elsewhere);
  });
});
