import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compileRules, type Rule } from '../decide/rules.ts';
import { bytesOfText } from '../host/bytes.ts';
import { textIn } from '../host/files.ts';
import { HERE, homesOf } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { PLAN_HEADER, planLine, textLine, wholePlanText } from '../plan/plan.ts';
import { linesOfRules } from '../plan/rule-lines.ts';
import { BY_NAME_ORIGIN, isByName, withProxyVariables } from '../policy/network/rules.ts';
import { MARKER_ORIGIN, type Policy } from '../policy/policy.ts';
import { surroundingsOf } from './audit.ts';
import { upstreamOf } from './outside.ts';
import type { Prepared } from './prepare.ts';
import type { LookedAt, Witness } from './witness.ts';

/** What differs from start to start: the front says it anew from the command line and the environment. */
const OF_THIS_START: ReadonlySet<string> = new Set(['name', 'set', 'command', 'arg', 'audit-head', 'launch']);

/** What may stand in a plan that is kept. A line of another kind may mean anything: such a plan is made anew each time. */
const KEPT: ReadonlySet<string> = new Set(
  `isolation supervise explicit bwrap seccomp landlock-scope limit audit warn-dir network root home show show-programs layer cut
  hide read write try-read try-write write-plain write-project expose-read expose-write private folder link data workspace workspace-at keep-out keep-read proc dev
  run ipc aside chdir mention quiet summary changes git-notes kept come-back save listen local outside outside-task`.split(
    /\s+/,
  ),
);

export interface KeepRequest {
  readonly prepared: Prepared;
  readonly policy: Policy;
  readonly env: ParentEnv;
  readonly witness: Witness;
}

/**
 * The plan with everything it came from, for the front to keep (docs/plan-format.md); undefined where the next run has to be planned
 * too. It holds no value but the policy's name and the sandbox's proxy: variables are decided about at each start.
 */
export function textToKeep({ prepared, env, witness, ...request }: KeepRequest): string | undefined {
  const policy = withProxyVariables(request.policy);
  if (!isKeepable(policy, prepared) || !isKeepableNetwork(policy, env) || !isKnownUser(env)) return undefined;
  const lines = keptLines(prepared);
  lookAtProgram();
  const { looked, incomparable } = witness.testimony;
  if (lines === undefined || incomparable !== undefined || env.wasReported) return undefined;
  const held = prepared.decisions.filter(({ rule, verdict }) => verdict === 'drop' && rule.startsWith('guard '));
  return [
    planLine('variables', ...env.asked, ...held.map(({ name }) => name)),
    ...(policy.guard !== 'off' || env.wasJudged ? ['judged'] : []),
    ...(prepared.startupFiles.length === 0 ? [] : [textLine('startup', ...prepared.startupFiles)]),
    ...lookedLines(looked),
    PLAN_HEADER,
    ...['name cordon', 'command /', 'arg /'],
    ...linesOfRules(compileRules(policy).map(withoutException)),
    ...held.map(({ name }) => planLine('deny', name)),
    ...policy.set.flatMap(({ name, value, origin }) => (OF_CORDON.has(origin) ? [planLine('set', name, value)] : [])),
    ...lines,
    textLine('audit-head', auditHead(policy)),
    'end',
    '',
  ].join('\n');
}

/** As the front compares them. */
export const lookedLines = (looked: LookedAt) =>
  [...looked].map(([path, stamps]) => planLine('looked', path, ...stamps.map(bytesOfText)));

/** Variables that Cordon itself sets, to what is no secret and the same at each start. */
const OF_CORDON: ReadonlySet<string> = new Set([MARKER_ORIGIN, BY_NAME_ORIGIN]);

/** The process outside is told of a proxy of the user's, whose address is a value of the environment; what asks says who does. */
const isKeepableNetwork = ({ network }: Policy, env: ParentEnv) =>
  !isByName(network) || (network.mode === 'names' && upstreamOf({ env }) === undefined);

/** Values are fetched, judged by a guard that forbids, or stand in a policy: nothing of that may lie in a file. Whoever is warned is warned each time. */
function isKeepable({ credentials, ssh, logIns, redact, guard, set, warnings }: Policy, prepared: Prepared): boolean {
  if (credentials.length > 0 || ssh !== undefined || logIns !== undefined || redact || guard === 'forbid') return false;
  if (set.some(({ origin }) => origin !== 'flag --set' && !OF_CORDON.has(origin))) return false;
  return warnings.length === 0 && prepared.warnings.length === 0 && prepared.plan.records?.audit !== undefined;
}

/** The user database may be anywhere; only where it is this file can the front see that it changed. */
function isKnownUser(env: ParentEnv): boolean {
  const { passwdHome } = homesOf(env);
  const line = new RegExp(String.raw`^[^:\n]*:[^:\n]*:${process.getuid?.()}:[^:\n]*:[^:\n]*:([^:\n]*):`, 'm');
  return passwdHome !== undefined && line.exec(textIn('/etc/passwd'))?.[1] === passwdHome;
}

/** Its parts are written together, these last. Node is what a process outside would be started with. */
export function lookAtProgram(): void {
  for (const name of ['start.cjs', 'quick.cjs', 'cli.js']) existsSync(join(HERE, name));
  existsSync(process.execPath);
}

function keptLines({ plan }: Prepared): string[] | undefined {
  const lines = wholePlanText(plan).split('\n').slice(1, -2);
  const others = lines.filter((line) => !line.startsWith('#') && !OF_THIS_START.has(wordOf(line)));
  return others.every((line) => KEPT.has(wordOf(line))) ? others : undefined;
}

const wordOf = (line: string) => line.slice(0, line.includes(' ') ? line.indexOf(' ') : undefined);

/** The code-injection list has no exceptions in a plan; what it drops, and what not, is the same in these words. */
function withoutException(rule: Rule): Rule {
  return rule.kind === 'never' && rule.except.length > 0 ? { ...rule, kind: 'deny' } : rule;
}

function auditHead(policy: Policy): string {
  const set = policy.set.map(({ name }) => name);
  return JSON.stringify({
    policy: policy.origin,
    asked: policy.isolation,
    set,
    credentials: [],
    ...surroundingsOf(policy),
  }).slice(0, -1);
}
