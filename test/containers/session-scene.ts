import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { canary } from '../support/leaks.ts';
import { IMAGE, Scene } from './scene.ts';

/** Cordon's folders with the secrets of two users, and a workspace for each. */
export class SessionScene extends Scene {
  readonly secret = canary();
  readonly #config = join(this.home, '.config/cordon');

  with(profile = ''): this {
    const folders = [
      join(this.home, '.config'),
      this.#config,
      join(this.#config, 'users'),
      join(this.#config, 'profiles'),
    ];
    const users = ['u1', 'u2'].flatMap((user) => [join(this.#config, 'users', user), this.workspace(user)]);
    const skill = [
      join(this.project, 'skills'),
      join(this.project, 'skills/tell'),
      join(this.project, 'skills/tell/scripts'),
    ];
    for (const folder of [...folders, join(this.project, 'work'), ...users, ...skill]) {
      mkdirSync(folder, { mode: 0o700 });
      this.own(folder);
    }
    this.write(join(this.#config, 'users/u1/secrets.yaml'), `sandboxed_envs:\n  A_TOKEN: ${this.secret}\n`, 0o600);
    this.write(join(this.#config, 'users/u2/secrets.yaml'), 'sandboxed_envs:\n  A_TOKEN: of-the-other\n', 0o600);
    this.write(join(this.#config, 'profiles/p.yaml'), profile);
    this.write(join(this.project, 'skills/tell/SKILL.md'), '# Tells what it gets\n');
    this.write(
      join(this.project, 'skills/tell/scripts/run.sh'),
      'echo "$1 $(cat)"; touch /skills/tell/x || echo held\n',
    );
    return this;
  }

  workspace(user: string): string {
    return join(this.project, 'work', user);
  }

  write(path: string, text: string, mode = 0o644): void {
    writeFileSync(path, text, { mode });
    this.own(path);
  }

  /** A program with a session of u1, in which `tell` prints a result. */
  program(text: string, more = '') {
    return this.script(`
      const target = 'podman:${IMAGE}';
      const open = (user = 'u1', others = {}) => cordon.openSession({
        user, workspace: '${join(this.project, 'work')}/' + user, in: target, skills: ['${join(this.project, 'skills')}'],
        ${more} ...others });
      const tell = (result) => console.log(JSON.stringify(
        { ...result, stdout: String(result.stdout), stderr: String(result.stderr), durationMs: undefined }));
      const session = await open();
      ${text}
      await session.close();`);
  }

  results(text: string, more = '', env: Record<string, string> = {}) {
    const { program, words } = this.program(text, more);
    const { stdout, stderr, status } = this.run(words, { program, env });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  refusal(text: string, more = '', env: Record<string, string> = {}): string {
    const { program, words } = this.program(text, more);
    const { stderr, status } = this.run(words, { program, env });
    expect(status).toBe(1);
    return stderr;
  }
}
