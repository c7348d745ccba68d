import { chownSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bash, connectStdio, Place } from '../mcp/support.ts';
import { identityOf, USERS } from '../support/users.ts';

const CANARY = 'canary-of-the-key';
const DOCUMENT = '---\nname: foo\ndescription: a skill\n---\nDo it.\n';

/** Skills that lie in the workspace, where calls can write, and a key in the home. */
function placeWithSkills(user: (typeof USERS)[number]): { place: Place; skills: string; keys: string } {
  const place = new Place(user);
  const keys = join(place.home, '.ssh');
  const skills = join(place.workspaceOf('alice'), 'skills');
  const { uid, gid } = identityOf(user);
  for (const folder of [keys, skills, join(skills, 'foo')]) {
    mkdirSync(folder);
    chownSync(folder, uid, gid);
  }
  place.write(join(keys, 'id_rsa'), CANARY, 0o644);
  place.write(join(skills, 'foo', 'SKILL.md'), DOCUMENT);
  return { place, skills, keys };
}

describe.each(USERS)('a skill in the workspace, for %s', (user) => {
  it('that a call replaces by a link is not followed by the next one', async () => {
    const { place, skills, keys } = placeWithSkills(user);
    const { client } = await connectStdio(place, { more: ['--skills', skills] });
    await bash(client, `chmod -R u+w skills; rm -rf skills/foo; ln -s ${keys} skills/foo`);
    const { text } = await bash(client, 'cat /skills/foo/id_rsa /skills/*/id_rsa skills/foo/id_rsa; true');
    expect(text).not.toContain(CANARY);
  });

  it('that is a link leads to the key where nothing stands between', () => {
    const { skills, keys } = placeWithSkills(user);
    symlinkSync(keys, join(skills, 'bar'));
    expect(readFileSync(join(skills, 'bar', 'id_rsa'), 'utf8')).toBe(CANARY);
  });
});
