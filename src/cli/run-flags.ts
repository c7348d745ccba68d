import { BASE_NAMES } from '../policy/presets/presets.ts';
import type { FlagSpec } from './flags.ts';

export const PLACE_FLAGS: readonly FlagSpec[] = [
  { name: '--write', value: 'PATH', help: 'this place as it is outside, writable; repeatable' },
  { name: '--read', value: 'PATH', help: 'this place as it is outside, read-only; repeatable' },
  { name: '--hide', value: 'PATH', help: 'this place is not there, in the workspace there and closed; repeatable' },
  { name: '--expose', value: 'PATH', help: 'let this place through although it would be hidden; repeatable' },
  {
    name: '--workspace',
    value: 'DIR|aside|read-only',
    help: 'which folder is the workspace; what is written there is put aside, or cannot be written',
  },
];

/** What says which policy a command gets. */
export const POLICY_FLAGS: readonly FlagSpec[] = [
  { name: '--profile', value: 'NAME|FILE', help: 'start from this profile; several add up in order' },
  { name: '--tool', value: 'TOOL', help: 'start from the policy of this tool' },
  {
    name: '--agent',
    value: 'AGENT',
    help: 'start from the policy of this agent; none: also a known agent gets no policy of its own',
  },
  {
    name: '--policy',
    value: 'FILE',
    help: 'start from a whole policy in JSON, with nothing left to look up elsewhere',
  },
  { name: '--role', value: 'ROLE', help: 'with an agent: what this role of cordon.toml adds' },
  { name: '--id', value: 'ID', help: 'with an agent: the id that scopes of credentials go by' },
  {
    name: '--mode',
    value: 'MODE',
    choices: ['strict', 'permissive'],
    help: 'with an agent: strict starts nothing when the guard holds something back, permissive reports it',
  },
  {
    name: '--base',
    value: 'PRESET',
    choices: BASE_NAMES,
    help: 'starting set: all, none, os-common (default), core or agent',
  },
  { name: '--allow', value: 'PAT', help: 'also pass what matches; repeatable' },
  { name: '--deny', value: 'PAT', help: 'drop what matches, whatever else says; repeatable' },
  { name: '--except', value: 'PAT', help: 'an exception of the --deny before it; repeatable' },
  { name: '--set', value: 'K=V', help: 'set a variable to this value; repeatable' },
  { name: '--unset', value: 'NAME', help: 'not there at all: neither inherited, nor set or injected; repeatable' },
  {
    name: '--credential',
    value: 'NAME[=SOURCE]',
    help: 'inject a credential, from the vault unless SOURCE says otherwise; repeatable',
  },
  {
    name: '--broker',
    value: 'NAME@HOST|@SERVICE',
    optional: /^(?:@[a-z0-9]+|[A-Za-z_]\w*(?:=[^\s@]+)?@\S+|ssh:.*)$/,
    help: 'the command holds a placeholder, the value goes to HOST alone, from outside (ssh:KEY@HOST: a key of yours); alone: the key or log-in of the agent',
  },
  {
    name: '--env-file',
    value: 'FILE',
    help: 'variables of a file, NAME=value; references such as op:// and vault:// are injected; repeatable',
  },
  { name: '--credential-timeout', value: 'SECONDS', help: 'how long all credentials together may take (default 30)' },
  {
    name: '--guard',
    value: 'MODE',
    choices: ['off', 'strip', 'forbid'],
    help: 'names and values that look like credentials: off (default), strip them, or forbid the launch',
  },
  {
    name: '--fs',
    value: 'PRESET',
    choices: ['all', 'guarded', 'workspace', 'minimal'],
    help: 'what of the filesystem is there: all, guarded (default), workspace or minimal',
  },
  ...PLACE_FLAGS,
  { name: '--ssh-agent', help: 'let the command use your ssh-agent, with every key that is in it' },
  {
    name: '--net',
    value: 'on|off|own|learn|ask|HOST',
    offers: ['on', 'off', 'own', 'learn', 'ask'],
    help: 'the network: on (default), off, or only these hosts (NAME, *.NAME, HOST:PORT, @SET); repeatable',
  },
  {
    name: '--isolation',
    value: 'MODE',
    choices: ['auto', 'barrier', 'filter'],
    help: 'auto (default: the barrier, else the filter with a warning), barrier or filter',
  },
  { name: '--redact', help: 'replace injected credentials in the output by [NAME]' },
];

/** For what can also be started in a container. */
export const IN_FLAG: FlagSpec = {
  name: '--in',
  value: 'ENGINE:IMAGE',
  offers: ['podman:', 'docker:', 'container:'],
  help: 'in a container: podman:IMAGE, docker:IMAGE, or container:NAME for one that runs',
};

/** For what is started from a terminal. */
export const QUIET_FLAGS: readonly FlagSpec[] = [
  { name: '--quiet', help: 'leave out what is only good to know; -q and CORDON_QUIET=1 do the same' },
  { name: '-q', help: 'the same as --quiet' },
];

/** What `run` takes besides a policy. */
export const RUN_FLAGS: readonly FlagSpec[] = [
  IN_FLAG,
  { name: '--dry-run', help: 'show decisions, places and network, start nothing' },
  { name: '--plan', help: 'show the plan too, start nothing' },
  { name: '--trace', help: 'tell at the end what of all that it tried the policy kept away or led elsewhere' },
  { name: '--write-profile', value: 'FILE', help: 'with --trace: also write a profile that lets it happen' },
  {
    name: '--throwaway-home',
    help: 'HOME is a folder that you made for this run: your own home is not there, nothing is kept or recorded',
  },
  ...QUIET_FLAGS,
];
