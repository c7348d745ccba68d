import { describe, expect, it } from 'vitest';
import { sessionPlaces } from '../../../src/plan/places/session.ts';
import { placeLines } from '../../../src/plan/plan.ts';
import { DEFAULT_POLICY } from '../../../src/policy/policy.ts';
import { HOME, inputFor, pathsAt } from './support.ts';

const folders = { workspace: '/srv/ada/ws', skills: new Map([['tidy', '/srv/skills/tidy']]), temporary: 4096 };

describe('the places of a session', () => {
  const plan = sessionPlaces(DEFAULT_POLICY.filesystem, inputFor({}), folders);

  it('are a built root, a bounded /tmp, the workspace and the skills', () => {
    const lines = placeLines(plan, 'with-values');
    expect(lines[0]).toBe('root empty');
    for (const line of [
      'private /tmp 1777 4096',
      'link /var/tmp ../tmp',
      'workspace /srv/ada/ws real',
      'workspace-at /workspace',
      'read /srv/skills/tidy /skills/tidy',
      'dev 4096',
      'chdir /workspace',
    ])
      expect(lines).toContain(line);
  });

  it('have no start-up files, no home, and of hides only those that matter', () => {
    expect(pathsAt(plan, 'try-read')).not.toContain('/etc/profile.d');
    expect(pathsAt(plan, 'home')).toEqual([]);
    expect(pathsAt(plan, 'hide')).toEqual([]);
    const reading = sessionPlaces({ ...DEFAULT_POLICY.filesystem, read: [HOME] }, inputFor({}), folders);
    expect(pathsAt(reading, 'try-read')).toContain(HOME);
    expect(pathsAt(reading, 'hide')).toContain(`${HOME}/.ssh`);
  });
});
