import { guardName } from '../../decide/guard/index.ts';
import { bytesOfText, showText, textOfBytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { credentialRule } from '../../policy/credential.ts';
import { nearest } from '../../policy/nearest.ts';
import { resolveProfiles } from '../../policy/profile/resolve.ts';
import { Secret } from '../../secrets/secret.ts';
import { Unavailable } from '../../secrets/sources/source.ts';
import type { Context } from '../context.ts';
import { toolsOf } from '../credential-tools.ts';
import { flagValues, hasFlag, type ParsedArguments, textValue, usageError } from '../flags.ts';
import { existingProfile, profilePlaces, writeProfile } from '../profiles.ts';
import { Asker } from '../ui/ask.ts';
import type { ProfileArguments } from './profile.ts';

/** Writes a first profile: asks on a terminal, else goes by the flags. */
export async function init({ parsed, words }: ProfileArguments, context: Context): Promise<number> {
  if (words.length > 0) throw usageError('profile init takes no words', 'cordon profile init --name NAME');
  const asker = process.stdin.isTTY && !hasFlag(parsed, '--yes') ? new Asker() : undefined;
  try {
    const given = answersFromFlags(parsed);
    const answers = asker === undefined ? given : await askForAnswers(given, asker, context);
    await refuseExisting(answers, asker, context);
    const path = writeProfile(folderOf(context), answers.name, profileText(answers));
    context.out(`wrote ${showText(path)}\n`);
    await storeInVault(answers.credentials, { asker, context });
    await nextSteps(answers, context);
    return 0;
  } finally {
    asker?.close();
  }
}

function folderOf({ folders }: Context): string {
  if (folders.config !== undefined) return folders.config;
  throw new CordonError('policy', 'there is no folder for profiles: no home folder is known', {
    hint: 'set CORDON_HOME or HOME',
  });
}

async function refuseExisting({ name, force }: Answers, asker: Asker | undefined, context: Context): Promise<void> {
  const path = existingProfile(folderOf(context), name);
  if (path === undefined || force) return;
  if ((await asker?.confirm(`${showText(path)} is there already. Write over it?`, false)) === true) return;
  throw new CordonError('policy', 'there is a profile of that name already', {
    where: path,
    hint: 'choose another --name, or --force to write over it',
  });
}

/** Reading it back makes sure that what was written is a profile. */
async function nextSteps({ name, credentials }: Answers, context: Context): Promise<void> {
  await resolveProfiles([name], profilePlaces(context));
  const unset = credentials.filter((variable) => context.env.get(bytesOfText(variable)) === undefined);
  const steps = [
    ...unset.map((variable) => [`cordon creds set ${variable}`, 'store the credential it needs']),
    [`cordon explain --profile ${name}`, 'every variable, and whether it arrives'],
    [`cordon run --profile ${name} -- CMD`, 'start something with it'],
  ];
  const width = Math.max(...steps.map(([command]) => command?.length ?? 0));
  for (const [command, what] of steps) context.out(`  ${command?.padEnd(width)}  ${what}\n`);
}

/** A profile in JSON with comments that says what each part is for. */
function profileText({ name, agent, tools, credentials }: Answers): string {
  const bases = [...(agent === 'none' ? [] : [agent]), ...tools.map((tool) => `${tool}-dev`)];
  const json = (value: unknown) => JSON.stringify(value);
  return `// Shown as a whole, with what it builds on: cordon profile show ${name}
{
  "meta": {
    "name": ${json(name)},
    "description": ${json(descriptionOf(agent, tools))}
  },

  // The profiles this one builds on, in order: lists add up, this file wins elsewhere.
  "extends": [${(bases.length === 0 ? ['default'] : bases).map(json).join(', ')}],

  "environment": {
    // Further variables of the shell that pass: exact names, or PREFIX* for all that begin so.
    "allow_vars": [],
    // What never passes, whatever is allowed. An exception: { "pattern": "*TOKEN*", "except": ["MY_TOKEN_COUNT"] }
    "deny_vars": [],
    // Fixed values. No place for secrets.
    "set_vars": {}
  },

  // Credentials from the vault (cordon creds set NAME), whatever the lists above say: "NAME IN THE VAULT": "VARIABLE".
  // Other sources: "env://VARIABLE", "file:///path", "keyring://service/account", "op://vault/item/field".
  "env_credentials": ${credentialText(credentials)},

  // Places on top of the preset: "write" and "read" let them through, "hide" takes them away, "expose" lifts a mask.
  // The workspace is yours to write; "aside" puts aside what is written there, "read-only" lets nothing be written.
  "filesystem": { "write": [], "read": [], "expose": [] },

  // true cuts the network off.
  "network": { "block": false },

  // auto: behind the barrier where there is one. barrier: there or not at all. filter: only the environment.
  "isolation": "auto",

  // true replaces injected credentials in what the program prints.
  "redact": false
}
`;
}

function descriptionOf(agent: string, tools: readonly string[]): string {
  const who = agent === 'none' || agent === 'agent' ? 'My own work' : `My ${agent}`;
  return tools.length === 0 ? who : `${who}, with ${tools.join(', ')}`;
}

function credentialText(credentials: readonly string[]): string {
  if (credentials.length === 0) return '{}';
  return `{\n${credentials.map((name) => `    ${JSON.stringify(name)}: ${JSON.stringify(name)}`).join(',\n')}\n  }`;
}

interface Storing {
  readonly asker: Asker | undefined;
  readonly context: Context;
}

/** Takes the values that are set in this shell into the vault, so that they need not stay in the shell. What the vault has already is kept. */
async function storeInVault(names: readonly string[], { asker, context }: Storing): Promise<void> {
  const set = names.filter((name) => (context.env.get(bytesOfText(name)) ?? '') !== '');
  if (set.length === 0) return;
  const agreed = await asker?.confirm(`Take ${set.join(', ')} from this shell into the vault?`, true);
  if (agreed === false) return context.out(set.map((name) => `  cordon creds set ${name}\n`).join(''));
  for (const name of set) await storeOne(name, context);
}

async function storeOne(name: string, context: Context): Promise<void> {
  const { vault } = toolsOf(context);
  const value = context.env.get(bytesOfText(name));
  if (value === undefined) return;
  try {
    if ((await vault.get(name)) !== undefined)
      return context.out(`the vault has ${name} already, which stays as it is\n`);
    await vault.set(name, new Secret(value));
    context.out(`stored ${name} in the vault; it need not be exported in your shell any more\n`);
  } catch (error) {
    if (!(error instanceof CordonError || error instanceof Unavailable)) throw error;
    context.err(`cordon: ${name} was not stored: ${error.message}\n  hint: cordon creds set ${name}\n`);
  }
}

const AGENTS = ['claude-code', 'codex', 'gemini', 'agent', 'none'] as const;
const TOOLS = ['node', 'python', 'rust', 'go'] as const;

interface Answers {
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

function answersFromFlags(parsed: ParsedArguments): Answers {
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

async function askForAnswers(given: Answers, asker: Asker, { env }: Context): Promise<Answers> {
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
