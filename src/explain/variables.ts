import type { Decision } from '../decide/decide.ts';
import { guardName, guardValue } from '../decide/guard/index.ts';
import { showBytes, showText, textOfBytes } from '../host/bytes.ts';
import { isOnPath } from '../host/folders.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { shellWord } from '../host/shell-word.ts';
import { type Answer, type PossibleChange, profileLine } from './answer.ts';

/** The answer about one variable, from the decision that a launch makes of it. */
export function variableAnswer(decision: Decision, env: ParentEnv): Answer {
  const { verdict, rule, origin, reason } = decision;
  return {
    kind: 'variable',
    name: showBytes(decision.name),
    verdict,
    rule,
    origin,
    reason,
    ...(env.get(decision.name) === undefined && isOnPath(decision.name, env)
      ? { otherwise: `cordon explain -- ${shellWord(showBytes(decision.name))}` }
      : {}),
    change: changeOf(decision, env),
  };
}

function changeOf(decision: Decision, env: ParentEnv): PossibleChange | undefined {
  const name = showBytes(decision.name);
  switch (decision.verdict) {
    case 'set':
      return { effect: 'to pass on the inherited value', flag: `leave out the line that sets it (${decision.origin})` };
    case 'credential':
      return { effect: 'to start without it', flag: `leave out the credential (${decision.origin})` };
    case 'pass':
      return dropping(decision);
    default:
      return changeOfDropped(decision, name, env);
  }
}

const line = (key: string, name: string) => profileLine({ section: 'environment', key, values: [name] });

/** A name as flags and profiles take it. White space and what is special in a pattern cannot be written there, but `?` stands for each. */
function writable(bytes: Decision['name']): string | undefined {
  const name = textOfBytes(bytes)?.replace(/[\s*?[\]]/gu, '?');
  // What has to be shown as an escape is no line to be pasted.
  return name !== undefined && showText(name) === name ? name : undefined;
}

function dropping({ name: bytes }: Decision): PossibleChange | undefined {
  const name = writable(bytes);
  if (name === undefined) return undefined;
  return { effect: 'to drop it', flag: `--deny ${shellWord(name)}`, profile: line('deny_vars', name) };
}

function changeOfDropped(
  { name: bytes, rule, origin }: Decision,
  name: string,
  env: ParentEnv,
): PossibleChange | undefined {
  const [kind = ''] = rule.split(' ', 1);
  if (name === 'SSH_AUTH_SOCK' && (kind === 'default' || kind === 'hold')) return AGENT;
  if (kind === 'default') return allowing(bytes, looksSecret(bytes, env));
  if (kind === 'deny')
    return {
      effect: 'to pass it on',
      flag: `--except ${shellWord(name)} right after the --deny that drops it (${origin})`,
      profile: `"environment": { "deny_vars": [{ "pattern": ${JSON.stringify(rule.slice(5))}, "except": [${JSON.stringify(name)}] }] }`,
    };
  if (kind === 'guard')
    return {
      effect: 'to hand it over all the same',
      flag: `--credential ${shellWord(`${name}=env://${name}`)}`,
      profile: `"env_credentials": { "env://${name}": "${name}" }`,
      gives: 'the credential itself, to this command and all that it starts',
    };
  return kind === 'hold' ? allowing(bytes, false) : undefined;
}

/** The variable is of no use without the socket that it names. */
const AGENT: PossibleChange = {
  effect: 'to let your ssh-agent be used',
  flag: '--ssh-agent',
  profile: '"environment": { "allow_vars": ["SSH_AUTH_SOCK"] }, "filesystem": { "expose": ["THE SOCKET"] }',
  gives: 'a log-in with every key that is in the agent, while the command runs',
};

function allowing(bytes: Decision['name'], secret: boolean): PossibleChange | undefined {
  const name = writable(bytes);
  if (name === undefined) return undefined;
  return {
    effect: 'to pass it on',
    flag: `--allow ${shellWord(name)}`,
    profile: line(name.includes('?') ? 'allow_patterns' : 'allow_vars', name),
    gives: secret ? 'what looks like a credential, to this command and all that it starts' : undefined,
  };
}

function looksSecret(name: Decision['name'], env: ParentEnv): boolean {
  const value = env.get(name);
  return guardName(name) !== undefined || (value !== undefined && guardValue(name, value) !== undefined);
}
