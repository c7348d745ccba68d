import { createHash } from 'node:crypto';
import { shardOf } from '../../src/mcp/http/shards.ts';

const NAMES = ['user0', 'user1', 'user2', 'user3', 'user4', 'user5', 'user6', 'user7'];

const of = (number: number) => NAMES.filter((name) => shardOf(name, 2) === number);

/** Whose sessions are at the first server, and whose at the second. */
export const [HERE, LEAVING] = of(0) as [string, string];
export const [THERE, BESIDE] = of(1) as [string, string];
export const PEOPLE = [HERE, THERE, LEAVING, BESIDE];

/** Who else has a token and secrets: those who come all at once. */
export const CROWD = Array.from({ length: 200 }, (_, i) => `crowd${i}`);

/** Of its own form, so that a search for it finds nothing else; the same in every process of one run. */
const canaryOf = (what: string) =>
  `canary-${createHash('sha256').update(`${process.env.CORDON_TEST_FOLDER} ${what}`).digest('hex').slice(0, 24)}`;

/** Calls print this one, and so it is in what is kept of their output. */
export const secretOf = (name: string) => canaryOf(`printed ${name}`);

/** And this one never. */
export const quietSecretOf = (name: string) => canaryOf(`quiet ${name}`);
