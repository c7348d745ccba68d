import type { Probe } from '../../probe.ts';
import { OWN_BLOCK, withBlock } from '../../scripts.ts';
import { inEnvironment } from './secrets.ts';

const ENVIRON = 'https://man7.org/linux/man-pages/man7/environ.7.html';

export const DISGUISED: readonly Probe[] = [
  inEnvironment({
    name: 'odd-case',
    title: 'names in lower case, in mixed case and with digits',
    gives: 'the secrets that a list of upper-case names overlooks',
    planted: 'github_token, dbPassword, Api_Key_2, my.secret and my-token',
    variables: (canary) =>
      Object.fromEntries(
        ['github_token', 'dbPassword', 'Api_Key_2', 'my.secret', 'my-token'].map((name) => [name, canary]),
      ),
  }),
  inEnvironment({
    name: 'harmless-names',
    title: 'secrets under names that say nothing',
    gives: 'what no list of suspicious names can know',
    planted: 'BUILD_INFO, NOTE, X and FOO_BAR with a secret in each',
    variables: (canary) => ({ BUILD_INFO: canary, NOTE: canary, X: canary, FOO_BAR: canary }),
  }),
  inEnvironment({
    name: 'private-keys',
    title: 'a private key with its line breaks',
    gives: 'the key; where lines are taken for variables, parts of it under other names',
    planted: 'DEPLOY_KEY with several lines, one of which looks like LANG=…',
    variables: (canary) => ({
      DEPLOY_KEY: `-----BEGIN OPENSSH PRIVATE KEY-----\n${canary}\nLANG=${canary}\n-----END OPENSSH PRIVATE KEY-----\n`,
    }),
  }),
  inEnvironment({
    name: 'long-values',
    title: 'a value nearly as long as the kernel takes',
    gives: 'the secret at its end, where a launcher cuts or gives up',
    planted: 'SERVICE_ACCOUNT with 128 KiB, the secret last',
    variables: (canary) => ({ SERVICE_ACCOUNT: `${'x'.repeat(131_000 - canary.length)}${canary}` }),
    reference: 'https://man7.org/linux/man-pages/man2/execve.2.html',
  }),
];

export const ENCODED: Probe = {
  id: 'environment/encoded',
  title: 'a secret in Base64 under a name that says nothing',
  gives: 'the secret: a list of suspicious values does not know it',
  planted: 'BUILD_INFO with the secret in Base64',
  tried: 'decoding every value',
  reference: 'https://attack.mitre.org/techniques/T1027/013/',
  promise: 'environment',
  env: ({ canary }) => ({ BUILD_INFO: Buffer.from(canary).toString('base64') }),
  trial: () => ({ sh: "cat /proc/self/environ | tr '\\0' '\\n' | sed -n 's/^BUILD_INFO=//p' | base64 -d" }),
};

export const TWICE: Probe = {
  id: 'environment/twice',
  title: 'a variable that is in the environment twice',
  gives: 'the second value, where the launcher takes away the first',
  planted: 'API_TOKEN two times in the block, with another variable between',
  tried: 'reading the whole block',
  reference: ENVIRON,
  promise: 'environment',
  starter: ({ canary }) => withBlock(`API_TOKEN=${canary}`, 'OTHER=1', `API_TOKEN=${canary}-again`),
  trial: () => ({ python: OWN_BLOCK }),
};

export const SECOND_VALUE: Probe = {
  id: 'environment/second-value',
  title: 'a second value behind a name that may pass',
  gives: 'a variable of any content under the name of a harmless one',
  planted: 'LOGNAME two times in the block, the second with a secret',
  tried: 'reading the whole block',
  reference: ENVIRON,
  promise: 'environment',
  starter: ({ canary }) => withBlock('LOGNAME=me', `LOGNAME=${canary}`),
  trial: () => ({ python: OWN_BLOCK }),
  // One of the two is the variable, whichever the launcher takes it to be; both are not.
  worked: ({ canary }, { stdout }) => stdout.includes('LOGNAME=me') && stdout.includes(canary),
};

const named = (name: Buffer | string, value: string) => Buffer.concat([Buffer.from(name), Buffer.from(`=${value}`)]);

export const ODD_NAMES: Probe = {
  id: 'environment/odd-names',
  title: 'names that are in no encoding, or hold control bytes',
  gives: 'variables that the launcher cannot see, name or compare',
  planted: 'entries with bytes outside of every encoding, a line break or an escape sequence in the name',
  tried: 'reading the whole block',
  reference: ENVIRON,
  promise: 'environment',
  starter: ({ canary }) =>
    withBlock(named(Buffer.from('fffec3', 'hex'), canary), named('A\nPATH', canary), named('\x1b[2J', canary)),
  trial: () => ({ python: OWN_BLOCK }),
};

export const NO_NAMES: Probe = {
  id: 'environment/no-names',
  title: 'entries without a name or without a value',
  gives: 'text that is handed on because it is no variable at all',
  planted: 'entries like =secret, =PATH=secret and the bare secret',
  tried: 'reading the whole block',
  reference: ENVIRON,
  promise: 'environment',
  starter: ({ canary }) => withBlock(`=${canary}`, `PATH ${canary}`, `=PATH=${canary}`, canary),
  trial: () => ({ python: OWN_BLOCK }),
};
