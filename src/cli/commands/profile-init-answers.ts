import { guardName } from '../../decide/guard/index.ts';
import { bytesOfText, textOfBytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { credentialRule } from '../../policy/credential.ts';
import { nearest } from '../../policy/nearest.ts';
import type { Context } from '../context.ts';
import { flagValues, hasFlag, type ParsedArguments, textValue, usageError } from '../flags.ts';
import type { Asker } from '../ui/ask.ts';

const AGENTS = ['claude-code', 'codex', 'gemini', 'agent', 'none'] as const;
const TOOLS = ['node', 'python', 'rust', 'go'] as const;

export interface Answers {
  readonly name: string;
  readonly agent: string;
  readonly tools: readonly string[];
  /** Names of variables, and of the vault's entries. */
  readonly credentials: readonly string[];
  readonly force: boolean;
}

const problemOfName = (name: string) =>
  /^\w[\w.-]{0,63}$/.test(name) ? undefined : 'a name has letters, digits, . _ and - only';

function problemOfChoice(known: readonly string[]): (answer: string) => string | undefined {
  return (answer) => {
    const unknown = words(answer).find((word) => !known.includes(word));
    if (unknown === undefined) return undefined;
    const near = nearest(unknown, known);
    return `'${unknown}' is not one of ${known.join(', ')}${near === undefined ? '' : `; did you mean ${near}?`}`;
  };
}

const words = (answer: string) => (answer === 'none' ? ['none'] : answer.split(/[\s,]+/).filter(Boolean));

function problemOfCredentials(answer: string): string | undefined {
  for (const name of words(answer).filter((word) => word !== 'none')) {
    try {
      credentialRule({ target: bytesOfText(name), source: name, origin: 'profile init' });
    } catch (error) {
      if (error instanceof CordonError) return error.message;
      throw error;
    }
  }
  return undefined;
}

export function answersFromFlags(parsed: ParsedArguments): Answers {
  const values = (flag: string) => flagValues(parsed, flag).map((value) => textValue(value, flag));
  const agent = values('--agent').at(-1) ?? 'agent';
  const answers: Answers = {
    name: values('--name').at(-1) ?? (agent === 'none' ? 'my' : `my-${agent}`),
    agent,
    tools: values('--tool').flatMap(words),
    credentials: [...new Set(values('--credential').flatMap(words))],
    force: hasFlag(parsed, '--force'),
  };
  refuse('--name', problemOfName(answers.name));
  refuse('--agent', problemOfChoice(AGENTS)(agent));
  refuse('--tool', problemOfChoice(TOOLS)(answers.tools.join(',')));
  refuse('--credential', problemOfCredentials(answers.credentials.join(',')));
  return answers;
}

function refuse(flag: string, problem: string | undefined): void {
  if (problem !== undefined) throw usageError(`${flag}: ${problem}`);
}

const list = (answer: string) => words(answer).filter((word) => word !== 'none');
const shown = (items: readonly string[]) => (items.length === 0 ? 'none' : items.join(', '));

export async function askForAnswers(given: Answers, asker: Asker, { env }: Context): Promise<Answers> {
  const agent = await asker.ask(`Which agent is it for? (${AGENTS.join(', ')})`, given.agent, problemOfChoice(AGENTS));
  const name = await asker.ask(
    'What is the profile called?',
    agent === 'none' ? given.name : `my-${agent}`,
    problemOfName,
  );
  const tools = await asker.ask(
    `What does it work with? (${TOOLS.join(', ')} or none)`,
    shown(given.tools),
    problemOfChoice([...TOOLS, 'none']),
  );
  const found = credentialNames(env.names().flatMap((variable) => textOfBytes(variable) ?? []));
  const question =
    found.length === 0
      ? 'Which credentials does it get?'
      : `Which credentials does it get? (set here: ${found.join(', ')})`;
  const credentials = await asker.ask(question, shown(given.credentials), problemOfCredentials);
  return { ...given, agent, name, tools: list(tools), credentials: [...new Set(list(credentials))] };
}

/** What is set now, looks like a credential and could be injected as one. */
function credentialNames(names: readonly string[]): string[] {
  return names
    .filter((name) => guardName(bytesOfText(name)) !== undefined && problemOfCredentials(name) === undefined)
    .toSorted();
}
