import { existsSync } from 'node:fs';
import { decide } from '../../decide/decide.ts';
import { explain } from '../../decide/explain.ts';
import type { Answer } from '../../explain/answer.ts';
import { commandAnswer, hostAnswer } from '../../explain/hosts.ts';
import { pathAnswer } from '../../explain/paths.ts';
import { variableAnswer } from '../../explain/variables.ts';
import { type Bytes, bufferOfBytes, bytesOfText, showBytes, textOfBytes } from '../../host/bytes.ts';
import { homesOf, workingFolder } from '../../host/folders.ts';
import { lookAt } from '../../launch/look.ts';
import { startupCopies, startupPlaces, startupPolicy } from '../../launch/startup-files.ts';
import { factsOf } from '../../plan/places/index.ts';
import type { StartupNote } from '../../plan/startup-file.ts';
import { expandPath } from '../../policy/places.ts';
import type { Policy } from '../../policy/policy.ts';
import { type Context, print, showNotes, showWarnings } from '../context.ts';
import { JSON_FLAG, parseArguments, usageError } from '../flags.ts';
import { IN_FLAG, POLICY_FLAGS } from '../run-flags.ts';
import { policyForCommand, targetOf } from '../start-policy.ts';
import { answersAsJson, showAnswer } from '../ui/answers.ts';
import { decisionGroups, decisionSummary } from '../ui/decisions.ts';
import { showPlaces } from '../ui/places.ts';
import { showStartupNotes, withStartupNotes } from '../ui/startup-notes.ts';

/** What becomes of variables, paths, sockets, hosts and a command line under a policy, why, and what would change it. */
export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, { flags: [...POLICY_FLAGS, IN_FLAG, JSON_FLAG] });
  const { policy, notes } = await policyForCommand(parsed, parsed.rest?.[0], context);
  showWarnings(policy.warnings, context);
  showNotes(notes, context);
  const target = await targetOf(parsed, context);
  if (target !== undefined)
    return (await import('../container-explain.ts')).explainIn({ policy, target }, parsed, context);
  const startup = startupNotes(policy, context);
  const asked = parsed.words.length > 0 || parsed.rest !== undefined;
  const answers = asked
    ? await answersTo({ questions: parsed.words, command: parsed.rest }, { policy, startup, context })
    : explained([], { policy, startup, context }).map((decision) => variableAnswer(decision, context.env));
  return print(parsed, context, answersAsJson(answers), () => {
    if (asked) return answers.map((answer) => showAnswer(answer, context)).join('');
    const decisions = explained([], { policy, startup, context });
    const variables = `${decisionGroups(decisions, context)}\n${decisionSummary(decisions)}`;
    return `${variables}${showPlaces(policy.filesystem)}${showStartupNotes(startup, context)}`;
  });
}

interface AnswerSources {
  readonly policy: Policy;
  readonly startup: readonly StartupNote[];
  readonly context: Context;
}

const explained = (names: readonly Bytes[], { policy, startup, context }: AnswerSources) =>
  explain(policy, context.env, names).map((decision) => withStartupNotes(decision, startup));

interface Questions {
  readonly questions: readonly Bytes[];
  readonly command: readonly Bytes[] | undefined;
}

/** Each in its turn; all paths are looked at together, by one process. */
async function answersTo({ questions, command }: Questions, around: AnswerSources): Promise<Answer[]> {
  const { policy, context } = around;
  const [program, ...args] = command ?? [];
  if (command !== undefined && program === undefined)
    throw usageError('no command was given', 'write it after --, for example: cordon explain -- npm test');
  if (questions.includes('' as Bytes))
    throw usageError('an empty word asks for nothing', 'name a variable, a path, a host, or a command after --');
  const isPlace = (word: Bytes) => isPath(word) || isFileHere(word, context);
  const places = [...questions, ...args].filter(isPlace).map(absolute(context));
  const paths = [...new Set(places)];
  const homes = homesOf(context.env);
  const home = homes.home ?? homes.passwdHome;
  const argv: [Bytes] = [program ?? bytesOfText('/bin/sh')];
  const looked =
    paths.length === 0
      ? undefined
      : await lookAt({ policy, env: context.env, workdir: workingFolder(), argv }, paths.map(bytesOfText));
  const aboutPath = (path: string): Answer[] => {
    const found = looked?.found[paths.indexOf(path)];
    return looked === undefined || found === undefined
      ? []
      : [pathAnswer({ path, found }, { looked, filesystem: policy.filesystem, logIns: policy.logIns, home })];
  };
  const about = (word: Bytes): Answer[] => {
    if (isPlace(word)) return aboutPath(absolute(context)(word));
    const host = hostIn(word, context);
    if (host !== undefined) return [hostAnswer(host, policy.network)];
    return explained([word], around).map((decision) => variableAnswer(decision, context.env));
  };
  return [
    ...questions.flatMap(about),
    ...(program === undefined ? [] : [commandAnswer(program, policy, context.env)]),
    ...args.filter(isPlace).flatMap(about),
  ];
}

/** A name with a slash, or one that begins as paths do. An address on the net has `://`. */
const isPath = (word: Bytes) => /^(?:~|\.{0,2}\/|\.{1,2}$)/.test(word) || (word.includes('/') && !word.includes('://'));

/** A bare word that is no variable now, and a file of the working folder. */
const isFileHere = (word: Bytes, { env }: Context) =>
  word !== '' && !word.startsWith('-') && env.get(word) === undefined && existsSync(bufferOfBytes(word));

const absolute =
  ({ env }: Context) =>
  (word: Bytes): string => {
    const text = textOfBytes(word);
    if (text === undefined) throw usageError(`${showBytes(word)} is not valid UTF-8`);
    const homes = homesOf(env);
    const roots = { home: homes.home ?? homes.passwdHome, workdir: workingFolder(), relativeTo: workingFolder() };
    const expanded = expandPath(text, roots);
    if ('problem' in expanded) throw usageError(expanded.problem, expanded.hint);
    return expanded.path;
  };

const HOST =
  /^(?:[a-z][a-z0-9+.-]*:\/\/)?((?:[a-z0-9-]+\.)+[a-z0-9-]+|localhost|\[[0-9a-f:.]+\])(:\d{1,5})?(?:\/.*)?$/i;

/** Variables have no dots in their names, unless someone set one. */
function hostIn(word: Bytes, { env }: Context): string | undefined {
  if (env.get(word) !== undefined) return undefined;
  const [, host, port = ''] = HOST.exec(word) ?? [];
  return host === undefined ? undefined : `${host.toLowerCase()}${port}`;
}

/** What shells would bring back from their start-up files, and the copies don't. */
function startupNotes(policy: Policy, { env }: Context): readonly StartupNote[] {
  if (policy.filesystem.preset === 'all') return [];
  return startupCopies(startupPlaces(factsOf(env), workingFolder()), startupPolicy(policy, env, decide(policy, env)))
    .notes;
}
