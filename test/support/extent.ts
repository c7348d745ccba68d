import { USERS, type User } from './users.ts';

/** .ci/run tries everything; the tests by themselves what tells most for its time. CONTRIBUTING.md says what that leaves out. */
export const EVERYTHING = process.env.CORDON_TEST_ALL === '1';

/** Those who try every probe: both users, or the ordinary one, who is most like the users we have. */
export const PROBE_USERS: readonly User[] = EVERYTHING ? USERS : ['cordon-test'];
