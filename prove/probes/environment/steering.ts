import type { Probe } from '../../probe.ts';
import { OWN_BLOCK } from '../../scripts.ts';

// They name files that the C library reads; each value leads somewhere of the attacker's choice.
export const LOCALE: Probe = {
  id: 'environment/locale-files',
  title: 'values of LANG, TZ and TERM that name files',
  gives: 'files of one’s choice read by every program that starts, and texts of its messages',
  planted: 'LANG, LC_ALL, LC_MESSAGES, TZ and TERM with paths as their values',
  tried: 'reading the whole block',
  reference: 'https://www.sudo.ws/docs/man/sudoers.man/#env_check',
  promise: 'environment',
  env: ({ canary }) => ({
    LANG: `../../${canary}`,
    LC_ALL: `/tmp/${canary}`,
    LC_MESSAGES: `%n${canary}`,
    TZ: `/etc/${canary}`,
    TERM: `../${canary}`,
  }),
  trial: () => ({ python: OWN_BLOCK }),
};

export const FUNCTIONS: Probe = {
  id: 'environment/functions',
  title: 'values that a shell would take for a function',
  gives: 'code that runs in old shells at their start, in newer ones under the name of a command',
  planted: 'BASH_FUNC_ls%% and LC_ALL with values that begin with () {',
  tried: 'reading the whole block',
  reference: 'https://nvd.nist.gov/vuln/detail/CVE-2014-6271',
  promise: 'environment',
  env: ({ canary }) => ({ 'BASH_FUNC_ls%%': `() { echo ${canary}; }`, LC_ALL: `() { echo ${canary}; }` }),
  trial: () => ({ python: OWN_BLOCK }),
};
