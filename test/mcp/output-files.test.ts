import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFolder } from '../support/project.ts';
import { USERS } from '../support/users.ts';
import { bash, call, connectStdio, eventually, Place } from './support.ts';

const folderOf = (place: Place) => join(place.workspaceOf('alice'), '.cordon');
const filesOf = (place: Place) => readdirSync(folderOf(place)).filter((name) => name.startsWith('output-'));
const nameOf = (file: unknown) => String(file).slice('/workspace/.cordon/'.length);

describe.each(USERS)('files with all of the output, as %s', (user) => {
  test('the newest are kept, as many as the profile says', async () => {
    const place = new Place(user);
    const { client } = await connectStdio(place, { more: place.profile('session: { output_files: 3 }\n') });
    const files: unknown[] = [];
    for (let i = 0; i < 5; i++) files.push((await bash(client, `echo ${i}`)).data.output_file);
    await eventually(() => expect(filesOf(place).toSorted()).toEqual(files.slice(2).map(nameOf).toSorted()));
    expect(readdirSync(folderOf(place))).toContain('.gitignore');
  });

  test('no more bytes than the profile says, but the last is always there', async () => {
    const place = new Place(user);
    const { client } = await connectStdio(place, { more: place.profile('session: { output_total: 25K }\n') });
    for (let i = 0; i < 4; i++) await bash(client, 'head -c 10240 /dev/zero');
    await eventually(() => expect(filesOf(place)).toHaveLength(2));
    const { data } = await bash(client, 'head -c 60000 /dev/zero');
    await eventually(() => expect(filesOf(place)).toEqual([nameOf(data.output_file)]));
  });

  test('one that is still written to is not old', async () => {
    const place = new Place(user);
    const { client } = await connectStdio(place, { more: place.profile('session: { output_files: 1 }\n') });
    const long = bash(client, 'echo first; until [ -e go ]; do sleep 0.05; done; echo last');
    await eventually(() => expect(filesOf(place)).toHaveLength(1));
    for (let i = 0; i < 3; i++) await bash(client, `echo ${i}`);
    await bash(client, 'touch go');
    const file = nameOf((await long).data.output_file);
    expect(readFileSync(join(folderOf(place), file), 'utf8')).toBe('first\nlast\n');
    const { data } = await bash(client, 'echo next');
    await eventually(() => expect(filesOf(place)).toEqual([nameOf(data.output_file)]));
  });

  test('one that another server still writes to is not old either', async () => {
    const place = new Place(user);
    const more = place.profile('session: { output_files: 1 }\n');
    const [{ client }, other] = [await connectStdio(place, { more }), await connectStdio(place, { more })];
    const long = bash(client, 'echo first; until [ -e go ]; do sleep 0.05; done; echo last');
    await eventually(() => expect(filesOf(place)).toHaveLength(1));
    for (let i = 0; i < 3; i++) await bash(other.client, `echo ${i}`);
    await bash(other.client, 'touch go');
    const file = nameOf((await long).data.output_file);
    expect(readFileSync(join(folderOf(place), file), 'utf8')).toBe('first\nlast\n');
  });

  test('nothing else is removed: neither other files nor what a link leads to', async () => {
    const place = new Place(user);
    const { client } = await connectStdio(place, { more: place.profile('session: { output_files: 1 }\n') });
    const outside = openFolder('outside');
    const names = ['output-20200101000000-000000000000.txt', 'output-20200101000001-000000000000.txt'];
    for (const name of names) place.write(join(outside, name), 'kept');
    place.write(join(folderOf(place), 'output-of-mine.txt'), 'mine');
    mkdirSync(join(folderOf(place), names[0] as string));
    await bash(client, 'echo one');
    await bash(client, 'echo two');
    expect(readdirSync(folderOf(place))).toEqual(expect.arrayContaining(['output-of-mine.txt', names[0]]));
    renameSync(folderOf(place), `${folderOf(place)}.old`);
    symlinkSync(outside, folderOf(place));
    const { data } = await bash(client, 'echo three');
    expect(data.notes).toEqual([expect.stringContaining('the full output was not kept')]);
    expect(readdirSync(outside).toSorted()).toEqual(names);
    rmSync(folderOf(place));
  });

  test('what is over the limit is cut, and the answer says so', async () => {
    const place = new Place(user);
    place.skill('loud', '# Loud\n', { name: 'run.sh', text: '#!/bin/bash\nseq 1 100000\n' });
    const { client } = await connectStdio(place, { more: place.profile('session: { output_file: 10K }\n') });
    const { text, data, isError } = await call(client, 'skill_loud', {});
    const file = join(folderOf(place), nameOf(data.output_file));
    expect(statSync(file).size).toBe(10_240);
    expect(readFileSync(file, 'utf8').startsWith('1\n2\n3\n')).toBe(true);
    expect(text).toContain('[Cordon: this call hit the limit of 10 KiB for the output file');
    expect(data).toMatchObject({ output_bytes: 588_895, exit_code: 0, limit: expect.stringContaining('10 KiB') });
    expect(isError).toBe(false);
  });
});
