import { HOST_EXPECTED } from '../network/rules.ts';
import { PATH_EXPECTED, PATH_PATTERN, WORKSPACE_MODES } from '../places.ts';
import { BASE_NAMES } from '../presets/presets.ts';
import {
  choice,
  count,
  type DataOf,
  either,
  flag,
  type JsonSchema,
  listOf,
  mapOf,
  object,
  size,
  text,
} from './shape.ts';

/** A name, a name with one `*` at its end, or `*`. */
export const ALLOW_PATTERN = '^(\\*|[^\\s=*?\\[\\]\\u0000-\\u001f\\u007f]+\\*?)$';

const texts = either(text(), listOf(text()));
const pattern = text({ expected: 'a pattern', pattern: '^[^\\s=\\u0000]+$' });
const variable = text({ expected: 'the exact name of a variable', pattern: '^[^\\s=*?\\[\\]\\u0000]+$' });
const folders = listOf(text({ expected: 'an absolute path without a colon', pattern: '^/[^\\u0000:]*$' }));
const place = text({ expected: PATH_EXPECTED, pattern: PATH_PATTERN });
const places = listOf(place);

const WORKSPACE_PATTERN = `${WORKSPACE_MODES.map((mode) => `^${mode}$`).join('|')}|${PATH_PATTERN}`;
const hosts = listOf(text({ expected: HOST_EXPECTED, pattern: '^[^\\s,]+$' }));

const META = object('an object that says what the profile is', {
  name: { shape: text(), about: 'What messages call it.' },
  description: { shape: text(), about: 'What it is for, in one line; `cordon profile list` shows it.' },
  version: { shape: text(), about: 'For its readers; it changes nothing.' },
  author: { shape: text(), about: 'For its readers; it changes nothing.' },
});

const DENY = either(
  pattern,
  object('an object with pattern and except', {
    pattern: { shape: pattern, about: 'What is dropped: a name with `*`, `?`, `[seq]`, `[!seq]`.', required: true },
    except: {
      shape: either(pattern, listOf(pattern)),
      about: 'Patterns that this one, and no other, leaves alone.',
    },
    ignore_case: { shape: flag, about: 'Upper and lower case count alike, in the exceptions too.' },
  }),
);

const ALLOW_GLOB = either(
  pattern,
  object('an object with pattern and ignore_case', {
    pattern: { shape: pattern, about: 'What passes: a name with `*`, `?`, `[seq]`, `[!seq]`.', required: true },
    ignore_case: { shape: flag, about: 'Upper and lower case count alike.' },
  }),
);

const ENVIRONMENT = object('an object with the rules for inherited variables', {
  base: {
    shape: choice(BASE_NAMES),
    about:
      'A starting set that `allow_vars` and `allow_patterns` add to. Without it: `none` when there is one of them, else `all`.',
  },
  allow_vars: {
    shape: listOf(text({ expected: 'a name, PREFIX* or *', pattern: ALLOW_PATTERN })),
    about:
      'Which inherited variables pass: exact names, `PREFIX*`, or `*`. `[]` passes none. Without it everything passes, the code-injection list aside.',
  },
  allow_patterns: {
    shape: listOf(ALLOW_GLOB),
    about: 'Further inherited variables that pass, as full glob patterns; otherwise like `allow_vars`.',
  },
  deny_vars: {
    shape: listOf(DENY),
    about: 'What is dropped whatever `allow_vars` says; full glob patterns, each with exceptions of its own.',
  },
  set_vars: {
    shape: mapOf(text(), 'an object of NAME: value'),
    about:
      'Variables with a fixed value. `$HOME`, `$WORKDIR` and `$XDG_CONFIG_HOME`, `_DATA_`, `_STATE_`, `_CACHE_HOME`, `$XDG_RUNTIME_DIR` are expanded, nothing else is; `$$HOME` means the text. No place for secrets: use `env_credentials`.',
  },
  unset_vars: {
    shape: listOf(variable),
    about: 'Variables that are not there: not inherited, and neither set nor injected by a profile this one extends.',
  },
  guard: {
    shape: choice(['off', 'strip', 'forbid']),
    about:
      'What happens to variables that look like credentials: nothing (`off`), dropped (`strip`), or no launch (`forbid`).',
  },
  guard_exceptions: {
    shape: mapOf(text({ expected: 'the reason, in words' }), 'an object of NAME: reason'),
    about:
      'Names that only look like a credential, each with the reason why it is not one. The guard still looks at the value, and an agent refuses them.',
  },
});

const SOURCE =
  'Where the value comes from: `vault://NAME` (a bare name means this), `keyring://SERVICE/ACCOUNT`, `file:///PATH`, `env://NAME`, `op://VAULT/ITEM/FIELD`, `bw://ITEM/FIELD`.';

const CREDENTIALS = either(
  mapOf(text({ expected: 'the name of the variable' }), 'an object of SOURCE: TARGET'),
  listOf(
    object('an object with target and source or command', {
      target: { shape: text(), about: 'The variable the child finds it in.', required: true },
      source: { shape: text(), about: SOURCE },
      command: {
        shape: listOf(text()),
        about: "A command whose output is the value; only in profiles of Cordon's own home.",
      },
      for: {
        shape: texts,
        about:
          'The hosts that get the value: the child then holds a placeholder, which is swapped outside on the way there. `api.example.com`, `*.example.com`, `HOST:PORT`, or a service such as `@github`.',
      },
      as: {
        shape: texts,
        about:
          'Where in a request it stands: `authorization` (the header in any scheme; what is meant where nothing is said), `header NAME`, `query NAME`, `body FIELD`, `postgres` (the broker logs in; what is meant at port 5432), `postgres plain` (without TLS), `aws` (requests are signed anew).',
      },
      methods: { shape: texts, about: 'The methods it may be used with, such as GET; all of them without it.' },
      paths: { shape: texts, about: 'The paths it may be used for, such as `/repos/**`; all of them without it.' },
    }),
  ),
);

const WORKSPACE = either(
  text({ expected: `a folder, or one of ${WORKSPACE_MODES.join(', ')}`, pattern: WORKSPACE_PATTERN }),
  object('an object with folder and mode', {
    folder: { shape: place, about: 'The folder; without it, it is found from the working folder.' },
    mode: {
      shape: choice(WORKSPACE_MODES),
      about: 'What is written there stays (`real`), is put aside (`aside`), or nothing is written (`read-only`).',
    },
  }),
);

const FILESYSTEM = object('an object with the rules for files', {
  preset: {
    shape: choice(['all', 'guarded', 'workspace', 'minimal']),
    about: 'What is there to begin with. Without it: `minimal` when there is an `allow`, else `guarded`.',
  },
  write: { shape: places, about: 'Places that are there as they are outside, writable.' },
  read: { shape: places, about: 'Places that are there as they are outside, read-only.' },
  hide: { shape: places, about: 'Places that are not there.' },
  expose: { shape: places, about: 'Places that are let through although they would be hidden.' },
  workspace: {
    shape: WORKSPACE,
    about: 'Which folder the workspace is, or what becomes of what is written there, or an object with both.',
  },
  allow: { shape: places, about: 'The old word for `write`; without a preset it means `minimal`.' },
});

const SESSION = object('an object with what concerns sessions', {
  memory: { shape: size, about: 'Memory of one call.' },
  processes: { shape: count, about: 'Processes of one call at once.' },
  cpu_seconds: { shape: count, about: 'Processor time of each process.' },
  file_size: { shape: size, about: 'Bytes of one file.' },
  temporary: { shape: size, about: 'Bytes of the private /tmp.' },
  output: { shape: size, about: 'Bytes that are kept of stdout, and as many of stderr.' },
  output_file: { shape: size, about: 'Bytes of the file that gets all of the output of one call.' },
  output_files: { shape: count, about: 'How many of these files an MCP server leaves in a workspace: the newest.' },
  output_total: { shape: size, about: 'Bytes of these files together; the oldest go first.' },
  timeout_seconds: { shape: count, about: 'Time of one call.' },
  path: { shape: folders, about: 'Folders that PATH has behind /usr/bin:/bin.' },
  blocked_hosts: {
    shape: hosts,
    about:
      'Hosts that a session cannot reach where the network is open: the same as `network.deny`, for sessions alone.',
  },
});

/** The whole language of profiles: checked here, published as JSON Schema, documented from it. */
export const PROFILE = object('an object with the keys of a profile', {
  $schema: { shape: text(), about: 'For editors: where the JSON Schema of this file is.' },
  meta: { shape: META, about: 'What the profile is.' },
  extends: {
    shape: texts,
    about: 'Profiles this one builds on, by name or path, in order: lists add up, this profile wins elsewhere.',
  },
  environment: {
    shape: ENVIRONMENT,
    about: 'Which inherited variables pass. Left out: all of them, the code-injection list aside.',
  },
  env_credentials: {
    shape: CREDENTIALS,
    about: 'Credentials that are injected, whatever the lists say: `SOURCE: TARGET`, or a list of objects.',
  },
  ssh_keys: {
    shape: listOf(
      object('an object with key and for', {
        key: {
          shape: text(),
          about:
            'A key of your ssh-agent: a fingerprint or a comment as `ssh-add -l` shows them, or a file of `~/.ssh`.',
          required: true,
        },
        for: {
          shape: texts,
          about:
            'The hosts that the child may log in to with it: `github.com`, `HOST:PORT`. They are in `known_hosts`.',
          required: true,
        },
      }),
    ),
    about:
      'The child gets an ssh-agent of its own with these keys, which signs log-ins to these hosts alone. Not for sessions.',
  },
  filesystem: { shape: FILESYSTEM, about: 'What of the filesystem is there. Needs the barrier.' },
  network: {
    shape: object('an object with block, allow, deny, connections and silence_seconds', {
      block: { shape: flag, about: 'Cuts the network off. Needs the barrier.' },
      allow: {
        shape: hosts,
        about:
          'The only hosts that can be reached: names, `*.example.com`, `HOST:PORT`, `@SET`, addresses, `@host:PORT`, `NAME=ADDRESS`. Needs the barrier.',
      },
      deny: {
        shape: hosts,
        about: 'Hosts that cannot be reached, whatever `allow` says. Without `allow`: all others can.',
      },
      connections: {
        shape: count,
        about: 'Where hosts are named: how many connections may be open at once, at each port. Without it 4096.',
      },
      silence_seconds: {
        shape: count,
        about: 'Where hosts are named: how long a connection may be silent before it is ended. Without it four hours.',
      },
    }),
    about: 'Network access: on without any of these.',
  },
  isolation: {
    shape: choice(['auto', 'barrier', 'filter']),
    about:
      'Behind the barrier (`barrier`), with a filtered environment only (`filter`), or the barrier where there is one (`auto`, the default).',
  },
  session: { shape: SESSION, about: 'What concerns sessions alone: limits of a call, folders of PATH, host names.' },
  redact: { shape: flag, about: 'Replaces injected credentials in what the child prints.' },
});

/** A profile as a plain object, for library use. */
export type ProfileData = DataOf<typeof PROFILE>;

export function profileJsonSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Cordon profile',
    description: 'What a program may see: inherited variables, injected credentials, files, network.',
    ...PROFILE.schema,
  };
}
