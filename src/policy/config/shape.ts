import { TARGET_EXPECTED, TARGET_PATTERN } from '../container-target.ts';
import { HOST_EXPECTED } from '../network/rules.ts';
import { WORKSPACE_MODES } from '../places.ts';
import type { FsPreset } from '../policy.ts';
import { choice, count, type DataOf, either, flag, listOf, mapOf, object, size, text } from '../profile/shape.ts';

export const TOOL_BASES = ['all', 'none', 'os-common'] as const;
export const TOOL_FS_BASES = ['all', 'guarded', 'workspace', 'minimal'] as const satisfies readonly FsPreset[];
export const AGENT_MODES = ['strict', 'permissive'] as const;
export const TOOL_PATH_EXPECTED = 'an absolute path or one that begins with ~/ or $HOME/';
export const OUTPUT_FORMATS = ['text', 'claude', 'codex', 'gemini', 'opencode'] as const;

const patterns = listOf(text({ expected: 'a pattern' }));
const files = listOf(text({ expected: 'an absolute path or one that begins with ~/', pattern: '^(/|~(/|$))' }));
const place = text({ expected: TOOL_PATH_EXPECTED, pattern: '^(/|(~|\\$HOME)(/|$))[^$\\u0000]*$' });
const places = listOf(place);
const keys = listOf(text({ expected: 'the exact name of a variable' }));

const except = { shape: patterns, about: 'Patterns that this one, and no other, leaves alone.' };

const hosts = listOf(text({ expected: HOST_EXPECTED }));
const NETWORK = object('a table with block, allow, deny, connections and silence_seconds', {
  block: { shape: flag, about: 'Cuts the network off.' },
  allow: { shape: hosts, about: 'The only hosts that can be reached.' },
  deny: { shape: hosts, about: 'Hosts that cannot be reached, whatever `allow` says.' },
  connections: { shape: count, about: 'How many connections may be open at once, at each port.' },
  silence_seconds: { shape: count, about: 'How long a connection may be silent before it is ended.' },
});

export const TOOL = object('a table with the policy of a tool', {
  env_base: { shape: choice(TOOL_BASES), about: 'What of the environment passes to begin with.' },
  env_allow: { shape: patterns, about: 'What passes on top of the base.' },
  env_deny: {
    shape: mapOf(object('an object with except', { except }), 'a table of "PATTERN" = { except = […] }'),
    about: 'What never passes, whatever base and allow say.',
  },
  fs_base: { shape: choice(TOOL_FS_BASES), about: 'What of the filesystem is there to begin with.' },
  fs_write: { shape: places, about: 'Places that are there as they are outside, writable.' },
  fs_read: { shape: places, about: 'Places that are there as they are outside, read-only.' },
  fs_hide: { shape: places, about: 'Places that are not there.' },
  fs_expose: { shape: places, about: 'Places that are let through although they would be hidden.' },
  fs_workspace: {
    shape: either(
      text({ expected: `a folder, or one of ${WORKSPACE_MODES.join(', ')}` }),
      object('a table with folder and mode', {
        folder: { shape: place, about: 'The folder; without it, it is found from the working folder.' },
        mode: { shape: choice(WORKSPACE_MODES), about: 'What becomes of what is written there.' },
      }),
    ),
    about: 'Which folder the workspace is, or what becomes of what is written there, or a table with both.',
  },
  network: { shape: NETWORK, about: 'Which hosts the tool can reach, as in a profile.' },
  in: {
    shape: text({ expected: TARGET_EXPECTED, pattern: TARGET_PATTERN }),
    about: 'The container it runs in: its program is that of the image.',
  },
  fs_ro: { shape: places, about: 'The old word for fs_read.' },
  fs_rw: { shape: places, about: 'The old word for fs_write.' },
});

const DENY = either(
  text({ expected: 'a pattern' }),
  object('an object with pattern and except', {
    pattern: { shape: text(), about: 'What is dropped.', required: true },
    except,
  }),
);

const SHARED = {
  extra_keys: { shape: keys, about: 'Variables that pass although they are credentials, by their exact names.' },
  allow: { shape: patterns, about: 'What passes besides, credentials never; `@proxy` is the preset of that name.' },
  network: {
    shape: NETWORK,
    about: 'Which hosts can be reached, as in a profile; `@own` are those of the agent itself.',
  },
  credentials: {
    shape: mapOf(text({ expected: 'a source such as vault://NAME' }), 'a table of TARGET = "SOURCE"'),
    about: 'Where the value of a key comes from, when not from the variable of its name.',
  },
};

const AGENT = object('a table that describes an agent', {
  ...SHARED,
  command: {
    shape: listOf(either(text(), listOf(text()))),
    about:
      'The command line, with {prompt}, {model} and {workdir}. A list inside is left out when it has a placeholder without a value. Without {prompt} it goes over stdin.',
  },
  files: { shape: files, about: 'Files in the home folder that it needs although they are hidden otherwise.' },
  install: { shape: text(), about: 'How to install it, for the message when it is missing.' },
  model: { shape: text(), about: 'The model when none is asked for.' },
  output: {
    shape: choice(OUTPUT_FORMATS),
    about: 'How its output is written: `text`, or the events of another agent.',
  },
});

const ROLE = object('a table that describes a role', {
  ...SHARED,
  deny: { shape: listOf(DENY), about: 'What never passes, whatever else says.' },
  profile: { shape: text(), about: 'A profile whose rules are added.' },
  mode: {
    shape: choice(AGENT_MODES),
    about: '`strict` stops where the guard holds something back; `permissive` reports it.',
  },
});

const SCOPE = object('a table with the keys of a scope', {
  keys: { shape: keys, about: 'The only keys an agent of this scope gets.', required: true },
});

export const CHANGES = object('a table about what is put aside', {
  days: { shape: count, about: 'For how many days it is kept (14).' },
  size: { shape: size, about: 'How much is kept of all launches together (1G).' },
  keep: { shape: places, about: 'Files that are kept although they look like credentials.' },
});

/** The whole of cordon.toml: whoever reads a part of it has checked all of it. */
export const CONFIG = object('tables', {
  tools: { shape: mapOf(TOOL, 'a table of tools'), about: 'Policies of tools.' },
  agents: { shape: mapOf(AGENT, 'a table of agents'), about: 'Agents; `"*"` is for all of them.' },
  roles: { shape: mapOf(ROLE, 'a table of roles'), about: 'Roles.' },
  scopes: { shape: mapOf(SCOPE, 'a table of scopes'), about: 'Scopes of credentials.' },
  changes: { shape: CHANGES, about: 'What is kept of what commands put aside.' },
});

/** The file as a plain object, for library use. */
export type ConfigData = DataOf<typeof CONFIG>;
