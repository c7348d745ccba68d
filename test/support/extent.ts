/** .ci/run tries everything; the tests by themselves what tells most for its time. CONTRIBUTING.md says what that leaves out. */
export const EVERYTHING = process.env.CORDON_TEST_ALL === '1';
