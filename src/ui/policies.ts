import { join } from 'node:path';
import { NO_CONFIG, readAgentConfig } from '../agents/config/read.ts';
import type { AgentConfig } from '../agents/config/tables.ts';
import { agentPolicy } from '../agents/policy.ts';
import { findAdapter } from '../agents/registry.ts';
import { decide } from '../decide/decide.ts';
import { explain } from '../decide/explain.ts';
import { withoutSecret } from '../decide/shown-line.ts';
import { wildcardWarnings } from '../decide/wildcard-warnings.ts';
import { bytesOfText, showBytes, showText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { type Folders, homesOf } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { targetText } from '../policy/container-target.ts';
import { Pattern } from '../policy/pattern.ts';
import { PLACE_WORDS } from '../policy/places.ts';
import { DEFAULT_POLICY, type GuardMode, type Policy } from '../policy/policy.ts';
import { isPresetEntry, presetRules } from '../policy/presets/presets.ts';
import { namedProfiles, type ProfilePlaces } from '../policy/profile/find.ts';
import { policyOf } from '../policy/profile/finish.ts';
import { profileLines } from '../policy/profile/lines.ts';
import { resolveFound, whereOf } from '../policy/profile/resolve.ts';
import { readConfig } from '../tools/config/read.ts';
import { policyOf as policyOfTool } from '../tools/tool-policy.ts';
import type { PolicyEntry, PolicyLine, PolicyName, ResolvedPolicy, WhatIf } from './api.ts';

export interface PolicySurroundings {
  readonly env: ParentEnv;
  readonly folders: Folders;
  readonly workdir: string;
}

interface Resolved {
  readonly policy: Policy;
  readonly where: string;
  readonly description: string;
  readonly chain: readonly string[];
  readonly lines: readonly PolicyLine[];
}

/** Every policy that can be named, with what it does to the variables of this process. One with a mistake in it hides no other. */
export async function listPolicies(around: PolicySurroundings): Promise<PolicyEntry[]> {
  return Promise.all(namesOf(around).map((name) => entryOf(name, around)));
}

function namesOf(around: PolicySurroundings): PolicyName[] {
  const named = (kind: PolicyName['kind'], names: readonly string[]) => names.map((name) => ({ kind, name }));
  return [
    { kind: 'defaults', name: 'cordon run' },
    ...named(
      'profile',
      namedProfiles(profilePlaces(around)).map(({ name }) => name),
    ),
    ...named(
      'agent',
      withoutMistakes(() => agentsOf(around).adapters.map(({ name }) => name)),
    ),
    ...named(
      'tool',
      withoutMistakes(() => [...toolsOf(around).tools.keys(), ...toolsOf(around).broken.keys()]),
    ),
  ];
}

/** A cordon.toml that can't be read is said by the commands that need it. */
function withoutMistakes(names: () => string[]): string[] {
  try {
    return names();
  } catch (error) {
    if (error instanceof CordonError) return [];
    throw error;
  }
}

async function entryOf(name: PolicyName, around: PolicySurroundings): Promise<PolicyEntry> {
  try {
    const { policy, where, description } = await resolve(name, around);
    const verdicts = decide(policy, around.env).map(({ verdict }) => verdict);
    const count = (...wanted: string[]) => verdicts.filter((verdict) => wanted.includes(verdict)).length;
    const counts = { passed: count('pass'), dropped: count('drop'), added: count('set', 'credential') };
    return { ...name, where: showText(where), description: showText(description), error: null, ...counts };
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    return { ...name, where: '', description: '', error: error.message, passed: 0, dropped: 0, added: 0 };
  }
}

/** One policy, every line with its origin, every variable with its reason; with a change laid over it where one is tried. */
export async function resolvePolicy(
  name: PolicyName,
  around: PolicySurroundings,
  change?: WhatIf,
): Promise<ResolvedPolicy> {
  const resolved = await resolve(name, around);
  const policy = change === undefined ? resolved.policy : changed(resolved.policy, change);
  return {
    ...name,
    where: showText(resolved.where),
    description: showText(resolved.description),
    chain: resolved.chain.map(showText),
    lines: [...resolved.lines, ...(change === undefined ? [] : changeLines(change))].map(withoutSecret).map(shownLine),
    decisions: explain(policy, around.env).map(({ name: variable, verdict, rule, origin, reason }) => ({
      ...{ name: showBytes(variable), verdict, rule, reason },
      origin: showText(origin),
    })),
    warnings: [...policy.warnings, ...wildcardWarnings(policy, around.env)].map(showText),
  };
}

function resolve({ kind, name }: PolicyName, around: PolicySurroundings): Promise<Resolved> | Resolved {
  if (kind === 'profile') return resolveProfile(name, around);
  if (kind === 'agent') return resolveAgent(name, around);
  return kind === 'tool' ? resolveTool(name, around) : resolvedOf(DEFAULT_POLICY, 'built-in', 'without any policy');
}

async function resolveProfile(name: string, around: PolicySurroundings): Promise<Resolved> {
  const places = profilePlaces(around);
  const found = namedProfiles(places).find((one) => one.name === name);
  if (found === undefined) throw new CordonError('policy', `there is no profile '${name}'`);
  const resolved = await resolveFound(found, places);
  return {
    policy: policyOf(resolved),
    where: whereOf(found),
    description: resolved.description ?? '',
    chain: resolved.chain,
    lines: profileLines(resolved),
  };
}

function resolveAgent(name: string, around: PolicySurroundings): Resolved {
  const config = agentsOf(around);
  const adapter = findAdapter(name, config.adapters);
  return resolvedOf(agentPolicy({ adapter, config, env: around.env }), adapter.origin, `the agent ${adapter.program}`);
}

function resolveTool(name: string, around: PolicySurroundings): Resolved {
  const { tools, broken, name: file } = toolsOf(around);
  const tool = tools.get(name);
  if (tool === undefined) throw broken.get(name) ?? new CordonError('policy', `there is no tool '${name}'`);
  const where = tool.in === undefined ? '' : `, in ${targetText(tool.in)}`;
  return resolvedOf(policyOfTool(tool, homesOf(around.env)), file, `what its shim does${where}`);
}

const resolvedOf = (policy: Policy, where: string, description: string): Resolved => ({
  ...{ policy, where, description },
  chain: [policy.origin],
  lines: linesOf(policy),
});

export function profilePlaces({ env, folders, workdir }: PolicySurroundings): ProfilePlaces {
  const { home, passwdHome } = homesOf(env);
  return { config: folders.config, home: home ?? passwdHome, workdir };
}

const configFile = ({ folders }: PolicySurroundings) =>
  folders.config === undefined ? undefined : join(folders.config, 'cordon.toml');

function agentsOf(around: PolicySurroundings): AgentConfig {
  const file = configFile(around);
  return file === undefined ? NO_CONFIG : readAgentConfig(file);
}

function toolsOf(around: PolicySurroundings): ReturnType<typeof readConfig> {
  return readConfig(configFile(around) ?? '/nonexistent');
}

/** The lines of a policy that is not written as a profile, in the words of one. */
function linesOf(policy: Policy): PolicyLine[] {
  const { base, allow, deny, set, credentials, filesystem, origin } = policy;
  const line = (key: string, value: string, where: string): PolicyLine => ({ key, value, origin: where });
  return [
    line('environment.base', base.preset, base.origin),
    ...allow.map((rule) => line('environment.allow_vars', showBytes(rule.pattern.source), rule.origin)),
    ...deny.map(({ pattern, except, origin: where }) =>
      line(
        'environment.deny_vars',
        [pattern, ...except].map(({ source }) => showBytes(source)).join(' except '),
        where,
      ),
    ),
    ...set.map((rule) => line('environment.set_vars', `${showBytes(rule.name)}=${showBytes(rule.value)}`, rule.origin)),
    line('environment.guard', policy.guard, origin),
    ...credentials.map((rule) => line('env_credentials', showBytes(rule.target), rule.origin)),
    ...(policy.ssh ?? []).map(({ key, origin }) => line('ssh_keys', showText(key), origin)),
    line('filesystem.preset', filesystem.preset, origin),
    ...[...PLACE_WORDS, 'show' as const].flatMap((word) =>
      filesystem[word].map((path) => line(`filesystem.${word}`, path, origin)),
    ),
    line('filesystem.workspace.mode', filesystem.workspace.mode, origin),
    line('network', policy.network.mode, origin),
    ...(['allow', 'deny'] as const).flatMap((word) =>
      policy.network[word].map(({ text, set: named, origin: where }) =>
        line(`network.${word}`, named === undefined ? text : `${text} (${named})`, where),
      ),
    ),
    line('isolation', policy.isolation, origin),
    line('redact', String(policy.redact), origin),
  ];
}

const TRIED = 'what you try';

/** The same steps as the flags of `cordon run`, in the same order. */
function changed(policy: Policy, { allow, deny, guard }: WhatIf): Policy {
  return {
    ...policy,
    allow: [...policy.allow, ...allow.flatMap(allowRules)],
    deny: [
      ...policy.deny,
      ...deny.map((entry) => ({ pattern: Pattern.ofBytes(bytesOfText(entry), TRIED), except: [], origin: TRIED })),
    ],
    guard: guard === '' ? policy.guard : (guard as GuardMode),
  };
}

function allowRules(entry: string): Policy['allow'] {
  const bytes = bytesOfText(entry);
  return isPresetEntry(bytes) ? presetRules(bytes, TRIED) : [{ pattern: Pattern.ofBytes(bytes, TRIED), origin: TRIED }];
}

function changeLines({ allow, deny, guard }: WhatIf): PolicyLine[] {
  const line = (key: string, value: string): PolicyLine => ({ key, value: showText(value), origin: TRIED });
  return [
    ...allow.map((entry) => line('environment.allow_vars', entry)),
    ...deny.map((entry) => line('environment.deny_vars', entry)),
    ...(guard === '' ? [] : [line('environment.guard', guard)]),
  ];
}

const shownLine = ({ key, value, origin }: PolicyLine): PolicyLine => ({
  key,
  value: showText(value),
  origin: showText(origin),
});
