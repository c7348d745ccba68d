import { type Bytes, bytesOfText, showBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { CredentialRule } from '../policy/policy.ts';
import { Secret } from './secret.ts';
import { parseSource, type SourceRequest } from './sources/index.ts';
import { type CredentialMap, type Tools, Unavailable } from './sources/source.ts';
import { checkedForTarget } from './value.ts';

export interface ResolveOptions {
  /** For all credentials together. */
  readonly timeLimit?: number;
  /** What is missing where a source has no value: the credential for a variable, unless said otherwise. */
  readonly missing?: (target: Bytes) => string;
}

const TIME_LIMIT = 30_000;

/** All values, asked for at once, before anything is started. One that is missing stops the launch, and all that are missing are named. */
export async function resolveCredentials(
  rules: readonly CredentialRule[],
  tools: Omit<Tools, 'signal'>,
  { timeLimit = TIME_LIMIT, missing = (target) => `no credential for ${showBytes(target)}` }: ResolveOptions = {},
): Promise<CredentialMap> {
  const asked = lastPerTarget(rules).map((rule) => ({ rule, missing: missing(rule.target), ...parseSource(rule) }));
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeLimit);
  try {
    const late = whenAborted(limit.signal, timeLimit);
    const answers = asked.map((one) => Promise.race([resolveOne(one, { ...tools, signal: limit.signal }), late]));
    return collect(
      asked.map(({ rule }) => rule),
      await Promise.allSettled(answers),
    );
  } finally {
    clearTimeout(timer);
    limit.abort();
  }
}

/** For a rehearsal: the same names, nothing resolved. References that no source understands are still errors. */
export function unresolvedCredentials(rules: readonly CredentialRule[]): CredentialMap {
  for (const rule of rules) parseSource(rule);
  return new Map(rules.map(({ target }) => [target, new Secret(bytesOfText('not resolved'))]));
}

function lastPerTarget(rules: readonly CredentialRule[]): CredentialRule[] {
  return [...new Map(rules.map((rule) => [rule.target, rule])).values()];
}

type AskedSource = SourceRequest & { readonly rule: CredentialRule; readonly missing: string };

async function resolveOne({ rule, missing, source, request }: AskedSource, tools: Tools): Promise<Secret> {
  try {
    return checkedForTarget(await source.resolve(request, tools), rule.target);
  } catch (error) {
    throw unavailable(rule.origin, `${missing} from ${request.label}`, error);
  }
}

function unavailable(where: string, what: string, error: unknown): unknown {
  if (!(error instanceof Unavailable || error instanceof CordonError)) return error;
  return new CordonError('credential', `${what}: ${error.message}`, { where, hint: error.hint });
}

function whenAborted(signal: AbortSignal, timeLimit: number): Promise<never> {
  const late = new Promise<never>((_, reject) => {
    const error = new CordonError('credential', `a credential was not there after ${timeLimit / 1000} s`, {
      hint: 'a source may be waiting for an answer; --credential-timeout SECONDS gives it longer',
    });
    // Sources that notice the end themselves say more, and get a moment for it.
    signal.addEventListener('abort', () => setTimeout(() => reject(error), 500).unref(), { once: true });
  });
  late.catch(() => undefined);
  return late;
}

function collect(rules: readonly CredentialRule[], answers: readonly PromiseSettledResult<Secret>[]): CredentialMap {
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : []));
  const unexpected = failures.find((failure) => !(failure instanceof CordonError));
  if (unexpected !== undefined) throw unexpected;
  if (failures.length > 0) throw together(failures as CordonError[]);
  return new Map(
    rules.map(({ target }, at): [Bytes, Secret] => [target, (answers[at] as PromiseFulfilledResult<Secret>).value]),
  );
}

function together(failures: readonly CordonError[]): CordonError {
  const [first, ...others] = failures as [CordonError, ...CordonError[]];
  if (others.length === 0) return first;
  const hints = failures.flatMap(({ hint }) => (hint === undefined ? [] : [hint]));
  return new CordonError('credential', failures.map(({ message }) => message).join('; '), {
    hint: [...new Set(hints)].join('\n'),
  });
}
