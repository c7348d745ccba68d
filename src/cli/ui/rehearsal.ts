import { existsSync } from 'node:fs';
import { shortened } from '../../explain/paths.ts';
import { bytesOfText, showBytes, showText } from '../../host/bytes.ts';
import { homesOf } from '../../host/folders.ts';
import { lookAt } from '../../launch/look.ts';
import type { Prepared } from '../../launch/prepare.ts';
import { type Operation, plainOf } from '../../plan/places/index.ts';
import { planText } from '../../plan/plan.ts';
import type { FilesystemPolicy, Policy } from '../../policy/policy.ts';
import { type Context, jsonText } from '../context.ts';
import { painter } from './colour.ts';
import { decisionGroups, decisionSummary, decisionsAsJson } from './decisions.ts';
import { definitions } from './definitions.ts';
import { placesAsJson, showPlaces } from './places.ts';
import { showStartupNotes, startupNotesAsJson } from './startup-notes.ts';

export interface RehearsalOptions {
  readonly json: boolean;
  /** Also the plan as the launcher would read it, without values. */
  readonly plan: boolean;
}

/** What would happen, through the same code that makes it happen: decisions, places and network in a few lines. */
export async function showRehearsal(
  prepared: Prepared,
  policy: Policy,
  { json, plan }: RehearsalOptions,
  context: Context,
): Promise<number> {
  if (json) {
    context.out(jsonText(rehearsalAsJson(prepared, policy.filesystem)));
    return 0;
  }
  const { decisions } = prepared;
  const paint = painter(context.colour.out);
  context.out(`${decisionGroups(decisions, context)}\n${decisionSummary(decisions)}\n`);
  context.out(`${(await surroundings(prepared, policy, context)).join('\n')}\n`);
  context.out(showPlaces(policy.filesystem).replace(/^(?=.)/gm, '  '));
  context.out(showStartupNotes(prepared.startup, context));
  if (plan) context.out(`${paint('bold', 'PLAN')}\n${showPlan(prepared)}`);
  return 0;
}

async function surroundings(prepared: Prepared, policy: Policy, context: Context): Promise<string[]> {
  const { plan } = prepared;
  const homes = homesOf(context.env);
  const home = homes.home ?? homes.passwdHome;
  const barrier = plan.isolation !== 'filter';
  const list = [
    { term: 'command', text: showBytes(plan.command.path) },
    { term: 'policy', text: policy.origin },
    { term: 'workspace', text: barrier ? await workspaceOf(prepared, policy, context, home) : 'files are as they are' },
    ...(barrier ? placesTold(plan.places, policy, home) : []),
    { term: 'network', text: networkWords(policy.network) },
    { term: 'isolation', text: plan.isolation },
  ];
  return definitions(list, { width: context.columns });
}

/** The launcher finds it, so it is asked: the folder whose mount holds the working folder inside. */
async function workspaceOf(
  { plan }: Prepared,
  policy: Policy,
  { env }: Context,
  home: string | undefined,
): Promise<string> {
  const request = { policy, env, workdir: plan.workdir, argv: [plan.command.path] as const };
  const { found, isolation } = await lookAt(request, [bytesOfText(plan.workdir)]);
  const [here] = found;
  if (isolation === 'filter') return 'files are as they are: there is no barrier here';
  if (here === undefined || here.filesystem === 'overlay' || here.mount === '/')
    return 'none: what is written is put aside';
  const how = policy.filesystem.workspace.mode === 'real' ? 'written for real, its git hooks aside' : 'read-only';
  return `${showText(shortened(here.mount ?? plan.workdir, home))} (${how})`;
}

const MOST_NAMED = 6;

function placesTold(operations: readonly Operation[], { filesystem }: Policy, home: string | undefined) {
  const hidden = operations
    .flatMap((operation) => (operation.kind === 'hide' ? operation.paths : []))
    .flatMap((pattern) => plainOf(pattern) ?? [])
    .filter((path) => existsSync(path));
  const names = [...new Set(hidden)].map((path) => showText(shortened(path, home)));
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  const isLayered = operations.some(({ kind }) => kind === 'home' || kind === 'layer');
  return [
    { term: 'files', text: FILES[filesystem.preset] },
    ...(isLayered ? [{ term: 'home', text: 'what programs need, to read; what is written there is put aside' }] : []),
    ...(names.length === 0 ? [] : [{ term: 'hidden', text: `${names.slice(0, MOST_NAMED).join(', ')}${more}` }]),
  ];
}

const FILES: Readonly<Record<FilesystemPolicy['preset'], string>> = {
  all: 'all: the machine as it is',
  guarded: "guarded: the machine read-only, /tmp and /run the command's own",
  workspace: 'workspace: programs of the system, the workspace, and nothing else',
  minimal: 'minimal: programs of the system, and what the policy names',
};

function rehearsalAsJson({ decisions, plan, startup }: Prepared, filesystem: FilesystemPolicy): object {
  return {
    decisions: decisionsAsJson(decisions),
    command: { path: showBytes(plan.command.path), argv: plan.command.argv.map(showBytes) },
    workdir: plan.workdir,
    isolation: plan.isolation,
    bwrap: plan.bwrap ?? null,
    places: placesAsJson(filesystem),
    operations: plan.places.map(withoutTexts),
    startup: startupNotesAsJson(startup),
  };
}

/** The seccomp program is a long line that says nothing to a reader. */
function showPlan({ plan }: Prepared): string {
  return Buffer.from(planText(plan, 'hidden'), 'latin1')
    .toString('utf8')
    .replace(/^(seccomp ).*$/m, '$1…');
}

/** Hosts by the entries they were written as, a set as one. */
export function networkWords({ mode, allow, deny }: Policy['network']): string {
  if (mode === 'off') return 'off, this machine included';
  if (mode === 'on') return 'on';
  const written = (rules: typeof allow) => [...new Set(rules.map(({ text, set }) => set ?? text))].join(' ');
  const denied = deny.length === 0 ? '' : `, never ${written(deny)}`;
  if (mode === 'learn') return `everything, to learn what is needed${denied}`;
  return `only ${written(allow) || 'nothing'}${mode === 'ask' ? ', others when allowed by `cordon net`' : ''}${denied}`;
}

/** What is kept of a file, and what the process outside is told, are nobody else's business. */
function withoutTexts(place: Operation): object {
  if (place.kind === 'data' || place.kind === 'try-data') return { ...place, text: '***' };
  if (place.kind !== 'network-names' || 'at' in place.outside) return place;
  return { ...place, outside: place.outside.words, task: '***' };
}
