import { describe, expect, it } from 'vitest';
import { abilitiesIn } from '../../src/launch/probe.ts';

describe('what the launcher says of this machine', () => {
  it.each([
    ['barrier own\noverlay yes\nlandlock 6\n', { barrier: { by: 'own' }, layers: { ok: true }, landlock: 6 }],
    [
      'barrier bubblewrap: user namespaces are refused\noverlay no: EPERM\nlandlock 0\n',
      { barrier: { by: 'bubblewrap' }, layers: { ok: false, why: 'EPERM' }, landlock: 0 },
    ],
    [
      'barrier none: user.max_user_namespaces is 0\n',
      { barrier: { by: 'none', why: 'user.max_user_namespaces is 0' }, layers: { ok: false, why: '' }, landlock: 0 },
    ],
    ['', undefined],
  ])('%j', (text, abilities) => expect(abilitiesIn(text)).toEqual(abilities));
});
