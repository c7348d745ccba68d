import { join } from 'node:path';
import { showBytes, textOfBytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { CHANGES_FOLDER } from '../../launch/own.ts';
import { TOOL_BASES, TOOL_FS_BASES } from '../../policy/config/shape.ts';
import { HOST_SETS } from '../../policy/network/sets.ts';
import { WORKSPACE_MODES } from '../../policy/places.ts';
import { COMMANDS } from '../commands.ts';
import type { Context } from '../context.ts';

export interface Candidate {
  readonly word: string;
  readonly what?: string | undefined;
}

/** Asks for what only the shell knows: files, folders, programs. */
export const FROM_SHELL = { FILE: ':file', FOLDER: ':folder', PROGRAM: ':program' } as const;

type Source = (context: Context) => Promise<readonly Candidate[]> | readonly Candidate[];

const plain = (words: readonly string[]): Candidate[] => words.map((word) => ({ word }));

const SOURCES: Readonly<Record<string, Source>> = {
  FILE: () => plain([FROM_SHELL.FILE]),
  FOLDER: () => plain([FROM_SHELL.FOLDER]),
  WORKSPACE: () => plain([...WORKSPACE_MODES, FROM_SHELL.FOLDER]),
  PROGRAM: () => plain([FROM_SHELL.PROGRAM]),
  PROFILE: async (context) => [...(await profiles(context)), { word: FROM_SHELL.FILE }],
  TOOL: tools,
  TOOL_BASE: () => plain(TOOL_BASES),
  PENDING: waiting,
  LAUNCH: async (context) =>
    (await putAside(context)).map(({ launch, name }) => ({ word: launch, what: showBytes(name) })),
  CHANGED: async (context) =>
    plain((await putAside(context)).at(-1)?.changes.flatMap(({ path }) => textOfBytes(path) ?? []) ?? []),
  HOST_SET: () => Object.entries(HOST_SETS).map(([name, { about }]) => ({ word: `@${name}`, what: about })),
  FS_PRESET: () => plain(TOOL_FS_BASES),
  AGENT: async (context) => (await agentConfig(context)).adapters.map(({ name }) => ({ word: name })),
  ROLE: async (context) => plain([...(await agentConfig(context)).roles.keys()]),
  VARIABLE: ({ env }) => plain(env.names().flatMap((name) => textOfBytes(name) ?? [])),
  TOPIC: () => COMMANDS.map(({ name, summary }) => ({ word: name, what: summary })),
};

/** A file that cannot be read offers nothing: the command itself will say what is wrong with it. */
export async function namesOf(kind: string, context: Context): Promise<readonly Candidate[]> {
  try {
    return (await SOURCES[kind]?.(context)) ?? [];
  } catch (error) {
    if (error instanceof CordonError) return [];
    throw error;
  }
}

async function profiles(context: Context): Promise<Candidate[]> {
  const [{ namedProfiles }, { profilePlaces }] = await Promise.all([
    import('../../policy/profile/find.ts'),
    import('../profiles.ts'),
  ]);
  return namedProfiles(profilePlaces(context)).map(({ name }) => ({ word: name }));
}

async function tools({ folders }: Context): Promise<Candidate[]> {
  if (folders.config === undefined) return [];
  const { readConfig } = await import('../../tools/config/read.ts');
  return plain([...readConfig(join(folders.config, 'cordon.toml')).tools.keys()]);
}

/** What launches put aside, as far as it can be read. */
async function putAside({ folders }: Context) {
  if (folders.state === undefined) return [];
  const { isReadable, readRecords } = await import('../../changes/record.ts');
  return readRecords(join(folders.state, CHANGES_FOLDER)).filter(isReadable);
}

async function waiting({ folders }: Context): Promise<Candidate[]> {
  if (folders.state === undefined) return [];
  const { pendingIn } = await import('../../network/pending.ts');
  return pendingIn(folders.state).map(({ id, name, port }) => ({ word: id, what: `${name}:${port}` }));
}

async function agentConfig(context: Context) {
  return (await import('../agent-policy.ts')).agentConfig(context);
}
