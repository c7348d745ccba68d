import { explain } from '../decide/explain.ts';
import { variableAnswer } from '../explain/variables.ts';
import { bytesOfText } from '../host/bytes.ts';
import { workingFolder } from '../host/folders.ts';
import { configuredEnv, engineOf, holdsTogether } from '../launch/container/engine.ts';
import { decideInside, environmentInside, prepareInside } from '../launch/container/inside.ts';
import type { ContainerRequest } from '../launch/container/launch-in.ts';
import { placesForContainer } from '../launch/container/places.ts';
import { refuseUnfit } from '../launch/container/unfit.ts';
import { targetText } from '../policy/container-target.ts';
import { withProxyVariables } from '../policy/network/rules.ts';
import type { Policy } from '../policy/policy.ts';
import { type AskedOfContainer, forContainer, held } from './container-run.ts';
import { type Context, jsonText, print, showWarnings } from './context.ts';
import { hasFlag, type ParsedArguments, usageError } from './flags.ts';
import { answersAsJson, showAnswer } from './ui/answers.ts';
import { decisionGroups, decisionSummary, decisionsAsJson } from './ui/decisions.ts';
import { networkWords } from './ui/rehearsal.ts';

/** What would be decided, from what the engine says of the image; nothing is started. */
export async function rehearse(asked: ContainerRequest, parsed: ParsedArguments, context: Context): Promise<number> {
  const { target } = asked;
  refuseUnfit(asked.policy, target);
  // Values that would have to be fetched are no part of a decision, unless placeholders are made of them.
  const request = isBrokering(asked.policy)
    ? { ...asked, ...(await held(asked.policy, parsed, context, true)) }
    : { ...asked, policy: withoutCredentials(asked.policy) };
  const { policy } = request;
  const engine = await engineOf(target, context.env);
  const block = await configuredEnv(engine, target);
  const places = await placesForContainer(request);
  const { decisions } = prepareInside(request, { block, places, together: holdsTogether(engine) });
  if (hasFlag(parsed, '--json')) {
    const binds = places.binds.map(({ path, writable }) => ({ path, writable }));
    const shown = decisionsAsJson(decisions);
    context.out(jsonText({ in: targetText(target), network: policy.network.mode, decisions: shown, binds }));
    return 0;
  }
  showWarnings(policy.warnings, context);
  context.out(`${decisionGroups(decisions, context)}\n${decisionSummary(decisions)}\n`);
  const shown = places.binds.map(({ path, writable }) => `${path}${writable ? '' : ' (read-only)'}`).join(', ');
  const network = networkWords(policy.network);
  context.out(
    `in         ${targetText(target)}\nof the host ${shown === '' ? 'nothing' : shown}\nnetwork    ${network}\n`,
  );
  return 0;
}

/** The variables of a command in a container; its files are those of the image and what is bound. */
export async function explainIn(
  { policy: asked, target }: Pick<AskedOfContainer, 'policy' | 'target'>,
  parsed: ParsedArguments,
  context: Context,
): Promise<number> {
  const policy = withProxyVariables(forContainer(asked));
  refuseUnfit(policy, target);
  const odd = parsed.rest?.[0] ?? parsed.words.find((word) => /[/.]/.test(word));
  if (odd !== undefined)
    throw usageError('explain --in tells of variables only', 'cordon run --in … --dry-run shows what else is there');
  const block = await configuredEnv(await engineOf(target, context.env), target);
  const request = { policy, env: context.env, argv: [bytesOfText('sh')] as const, workdir: workingFolder(), target };
  const inside = environmentInside(block, context.env, await placesForContainer(request));
  const decided = decideInside(policy, inside);
  const decisions =
    parsed.words.length === 0
      ? decided
      : parsed.words.flatMap(
          (word) => decided.find(({ name }) => name === word) ?? explain(policy, inside.env, [word]),
        );
  const answers = decisions.map((decision) => variableAnswer(decision, inside.env));
  return print(parsed, context, answersAsJson(answers), () =>
    parsed.words.length > 0
      ? answers.map((answer) => showAnswer(answer, context)).join('')
      : `${decisionGroups(decisions, context)}\n${decisionSummary(decisions)}`,
  );
}

const isBrokering = ({ credentials, ssh, logIns }: Policy) =>
  ssh !== undefined || logIns !== undefined || credentials.some(({ broker }) => broker !== undefined);

const withoutCredentials = (policy: Policy): Policy => ({ ...policy, credentials: [] });
