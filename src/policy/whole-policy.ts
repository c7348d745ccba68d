import { isAbsolute, resolve } from 'node:path';
import { type Bytes, bytesOfText, showBytes, textOfBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { isUsableName } from '../host/parent-env.ts';
import { readPlain } from './load/plain.ts';
import { Problems, refuse } from './load/problems.ts';
import { readTrustedText } from './load/read-file.ts';
import { Source } from './load/source.ts';
import { HOST_EXPECTED, type HostRule, type NetworkPolicy, parseHost } from './network/rules.ts';
import { Pattern } from './pattern.ts';
import { PLACE_WORDS, WORKSPACE_MODES } from './places.ts';
import { DEFAULT_POLICY, type FilesystemPolicy, type Policy } from './policy.ts';
import { BASE_NAMES } from './presets/presets.ts';
import { check, choice, count, type DataOf, flag, listOf, object, type Shape, text } from './profile/shape.ts';

const must = <Data>(shape: Shape<Data>, about: string) => ({ shape, about, required: true });
const may = <Data>(shape: Shape<Data>, about: string) => ({ shape, about });

const origin = must(text(), 'Where the rule is written, for messages.');
const pattern = must(text({ expected: 'a pattern' }), 'A name, or one with `*`, `?`, `[seq]`, `[!seq]`.');
const exact = may(flag, 'It is this very name, whatever characters are in it.');
const paths = must(listOf(text({ expected: 'an absolute path' })), 'Absolute paths.');
const hosts = must(listOf(text({ expected: HOST_EXPECTED })), 'Hosts, as `--net` takes them.');

/** A policy without anything that has to be looked up elsewhere: no names of profiles, no `~`, no credentials. */
const WHOLE = object('an object with a whole policy', {
  version: must(count, 'The version of this form: 1.'),
  origin: must(text(), 'What messages and the audit record call it.'),
  base: must(
    object('an object with preset and origin', { preset: must(choice(BASE_NAMES), 'The base.'), origin }),
    'The base.',
  ),
  allow: must(
    listOf(
      object('an object with pattern and origin', {
        ...{ pattern, exact, origin },
        extra_key: may(flag, "An agent's own key: the credential guard leaves it alone."),
        plain: may(flag, 'An address, which may pass without a credential in it.'),
      }),
    ),
    'What passes on top of the base.',
  ),
  deny: must(
    listOf(
      object('an object with pattern, except and origin', {
        ...{ pattern, exact, origin },
        except: must(listOf(text({ expected: 'a pattern' })), 'What this pattern leaves alone.'),
      }),
    ),
    'What never passes.',
  ),
  set: must(
    listOf(
      object('an object with name, value and origin', {
        name: must(text(), 'Its name.'),
        value: must(text(), 'Its value.'),
        origin,
      }),
    ),
    'Variables with a value of their own.',
  ),
  guard: must(choice(['off', 'strip', 'forbid']), 'What happens to what looks like a credential.'),
  guard_exceptions: may(
    listOf(
      object('an object with name, reason and origin', {
        name: must(text(), 'Its name.'),
        reason: must(text(), 'Why.'),
        origin,
      }),
    ),
    'Names that only look like a credential.',
  ),
  filesystem: must(
    object('an object with the rules for files', {
      preset: must(choice(['all', 'guarded', 'workspace', 'minimal']), 'What is there to begin with.'),
      explicit: must(flag, 'It was asked for by name, so that it never degrades.'),
      ...{ write: paths, read: paths, hide: paths, expose: paths, show: paths },
      said: may(
        object('an object with plain and projects', {
          plain: paths,
          projects: must(
            listOf(
              object('an object with folder and aside', {
                folder: must(text({ expected: 'an absolute path' }), 'It has a folder for each project.'),
                aside: must(listOf(text()), 'Names in the folder of a project that are put aside.'),
              }),
            ),
            'Folders with one for each project.',
          ),
        }),
        "Where an agent's transcripts and logs are written.",
      ),
      workspace: must(
        object('an object with mode and folder', {
          mode: must(choice(WORKSPACE_MODES), 'What becomes of what is written there.'),
          folder: may(text({ expected: 'an absolute path' }), 'Without it, it is found from the working folder.'),
        }),
        'The workspace.',
      ),
    }),
    'The filesystem.',
  ),
  network: must(
    object('an object with the rules for the network', {
      mode: must(
        choice(['on', 'off', 'names', 'learn', 'ask']),
        'Whether there is one, and whether hosts are looked at.',
      ),
      ...{ allow: hosts, deny: hosts },
      connections: may(count, 'How many connections may be open at once.'),
      silence_seconds: may(count, 'How long a connection may be silent.'),
    }),
    'The network.',
  ),
  isolation: must(choice(['auto', 'barrier', 'filter']), 'How it is kept apart.'),
});

/** What the check makes sure of: everything that must be there is. */
type Whole<Data> = Data extends readonly (infer Item)[]
  ? readonly Whole<Item>[]
  : Data extends object
    ? { readonly [Key in keyof Data]-?: Whole<Exclude<Data[Key], undefined>> }
    : Data;
type WrittenPolicy = Whole<DataOf<typeof WHOLE>>;

/** The policy as such a file has it. Its credentials stay behind: those are a matter of who has them. */
export function wholePolicyText(policy: Policy): string {
  const { filesystem, network, guardExceptions = [] } = policy;
  const { connections, silenceSeconds } = network.limits ?? {};
  return JSON.stringify({
    version: 1,
    origin: policy.origin,
    base: policy.base,
    allow: policy.allow.map(({ pattern: one, origin: where, extraKey, plain }) => ({
      ...patternAsData(one),
      origin: where,
      extra_key: extraKey,
      plain,
    })),
    deny: policy.deny.map(({ pattern: one, except, origin: where }) => ({
      ...patternAsData(one),
      except: except.map(({ source }) => asText(source)),
      origin: where,
    })),
    set: policy.set.map(({ name, value, origin: where }) => ({
      name: asText(name),
      value: asText(value),
      origin: where,
    })),
    guard: policy.guard,
    guard_exceptions: guardExceptions.map((one) => ({ ...one, name: asText(one.name) })),
    filesystem,
    network: {
      ...{ mode: network.mode, allow: hostTexts(network.allow), deny: hostTexts(network.deny) },
      ...{ connections, silence_seconds: silenceSeconds },
    },
    isolation: policy.isolation,
  });
}

const patternAsData = ({ source, exact: isExact }: Pattern) => ({
  pattern: asText(source),
  exact: isExact && /[*?[]/.test(source) ? true : undefined,
});

/** As they are written: a set by its name. */
const hostTexts = (rules: readonly HostRule[]) => [...new Set(rules.map(({ text: written, set }) => set ?? written))];

function asText(bytes: Bytes): string {
  const found = textOfBytes(bytes);
  if (found !== undefined) return found;
  throw new CordonError('policy', `a file cannot hold what is not UTF-8: ${showBytes(bytes)}`);
}

/** Trusted and checked as any policy is: nobody else may have written the file, and every key of it is known. */
export function readWholePolicy(path: string): Policy {
  const source = new Source(path, readTrustedText(path).text);
  const problems = new Problems(source);
  const data = parsed(source);
  refuseOtherVersion(source, data);
  check(WHOLE, readPlain(source, data), problems);
  problems.throwIfAny();
  const written = data as WrittenPolicy;
  const policy = policyOf(written, problems);
  problems.throwIfAny();
  return { ...policy, files: [resolve(path)] };
}

function parsed(source: Source): unknown {
  try {
    return JSON.parse(source.text);
  } catch {
    return refuse(source, { path: '' }, 'the file is not JSON', { hint: 'a whole policy is one JSON object' });
  }
}

/** Before anything else: keys of another version are no mistakes of whoever wrote it. */
function refuseOtherVersion(source: Source, data: unknown): void {
  const { version } = Object(data) as { readonly version?: unknown };
  if (version === undefined || version === 1) return;
  refuse(source, { path: 'version' }, `this form has the version ${JSON.stringify(version)}, not 1`, {
    hint: 'write it with the same Cordon that reads it',
  });
}

function policyOf(written: WrittenPolicy, problems: Problems): Policy {
  return {
    ...DEFAULT_POLICY,
    origin: written.origin,
    base: written.base,
    allow: written.allow.map((rule) => ({
      ...{ pattern: patternOf(rule, problems), origin: rule.origin },
      ...(rule.extra_key === true ? { extraKey: true } : {}),
      ...(rule.plain === true ? { plain: true } : {}),
    })),
    deny: written.deny.map((rule) => ({
      pattern: patternOf(rule, problems),
      except: rule.except.map((one) => Pattern.parse(one, problems.source.name)),
      origin: rule.origin,
    })),
    set: written.set.map(({ name, value, origin: where }) => ({
      ...{ name: bytesOfText(name), value: bytesOfText(value), origin: where },
    })),
    guard: written.guard,
    guardExceptions: (written.guard_exceptions ?? []).map((one) => ({ ...one, name: bytesOfText(one.name) })),
    filesystem: filesystemOf(written.filesystem, problems),
    network: networkOf(written.network, problems),
    isolation: written.isolation,
  };
}

function patternOf(rule: { readonly pattern: string; readonly exact?: boolean }, problems: Problems): Pattern {
  if (rule.exact !== true) return Pattern.parse(rule.pattern, problems.source.name);
  const name = bytesOfText(rule.pattern);
  if (!isUsableName(name)) problems.add({ path: 'allow' }, `'${showBytes(name)}' is not the name of a variable`);
  return Pattern.exactly(name);
}

function filesystemOf(written: WrittenPolicy['filesystem'], problems: Problems): FilesystemPolicy {
  const { folder, mode } = written.workspace;
  for (const word of [...PLACE_WORDS, 'show'] as const)
    for (const path of written[word])
      if (!isAbsolute(path)) problems.add({ path: `filesystem.${word}` }, `'${path}' is not an absolute path`);
  for (const path of [...(written.said?.plain ?? []), ...(written.said?.projects ?? []).map((one) => one.folder)])
    if (!isAbsolute(path)) problems.add({ path: 'filesystem.said' }, `'${path}' is not an absolute path`);
  if (folder !== undefined && !isAbsolute(folder))
    problems.add({ path: 'filesystem.workspace.folder' }, `'${folder}' is not an absolute path`);
  return { ...written, workspace: { mode, ...(folder === undefined ? {} : { folder }) } };
}

function networkOf(
  { mode, allow, deny, connections, silence_seconds }: WrittenPolicy['network'],
  problems: Problems,
): NetworkPolicy {
  const rulesOf = (list: readonly string[], key: string) =>
    list.flatMap((host) => {
      const found = parseHost(host, problems.source.name);
      if ('rules' in found) return found.rules;
      problems.add({ path: `network.${key}` }, found.problem, found.hint);
      return [];
    });
  return {
    ...{ mode, allow: rulesOf(allow, 'allow'), deny: rulesOf(deny, 'deny') },
    limits: { connections, silenceSeconds: silence_seconds },
  };
}
