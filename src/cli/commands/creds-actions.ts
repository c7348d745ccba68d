import { agentOfEntry } from '../../broker/vaulted-log-in.ts';
import { type Bytes, bytesOfText, showBytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { whyItFailed } from '../../host/system-error.ts';
import { credentialRule } from '../../policy/credential.ts';
import { resolveCredentials } from '../../secrets/resolve.ts';
import type { Secret } from '../../secrets/secret.ts';
import { isVaultName } from '../../secrets/sources/index.ts';
import { type Tools, Unavailable } from '../../secrets/sources/source.ts';
import { checkedForTarget, READ_LIMIT, secretOf } from '../../secrets/value.ts';
import type { KeyPlace } from '../../secrets/vault/identity.ts';
import { type Context, print } from '../context.ts';
import { hasFlag, type ParsedArguments, usageError } from '../flags.ts';
import { table } from '../ui/table.ts';

export interface CredsTools {
  readonly context: Context;
  readonly tools: Omit<Tools, 'signal'>;
}

export async function setInVault({ words }: ParsedArguments, { context, tools }: CredsTools): Promise<void> {
  const name = vaultName(words[0], 'set');
  if (words.length > 1) {
    throw usageError(
      'a value is never given as an argument: other users could see it in the list of processes, and shells remember it',
      `type it at the prompt of cordon creds set ${name}, or pipe it in`,
    );
  }
  const agent = agentOfEntry(name);
  if (agent !== undefined) throw usageError(`${name} is the key of the log-in of ${agent}`, 'choose another name');
  const fresh = tools.vault.keyPlace() === undefined;
  await storing(name, tools.vault.set(name, checked(await readValue(name), name)));
  context.err(
    `stored ${name}${fresh ? `; the key of the new vault is kept ${KEPT[tools.vault.keyPlace() ?? 'file']}` : ''}\n`,
  );
}

const KEPT: Readonly<Record<KeyPlace, string>> = {
  keyring: 'in the keyring',
  file: 'in a file that only you can read',
  passphrase: 'under a passphrase',
};

/** The prompt on a terminal, else all of stdin. */
async function readValue(name: string): Promise<Secret> {
  if (process.stdin.isTTY) return (await import('../ui/hidden-prompt.ts')).askHidden(`Value of ${name}: `);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= READ_LIMIT) break;
  }
  return secretOf(Buffer.concat(chunks));
}

export function checked(secret: Secret, name: string): Secret {
  try {
    return checkedForTarget(secret, bytesOfText(name));
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    throw new CordonError('vault', `nothing was stored for ${name}: ${error.message}`, { hint: error.hint });
  }
}

export async function listVault(parsed: ParsedArguments, { context, tools }: CredsTools): Promise<void> {
  if (parsed.words.length > 0) throw usageError('creds list takes no words');
  const entries = await storing('the vault', tools.vault.list());
  const rows = entries.map(({ name, changed, fingerprint }) => ({
    name,
    source: sourceShown(name),
    changed,
    fingerprint,
  }));
  print(parsed, context, rows, () =>
    rows.length === 0 ? 'the vault is empty; store something with cordon creds set NAME\n' : vaultTable(rows, context),
  );
}

/** The key of a log-in is nothing to inject. */
function sourceShown(name: string): string {
  const agent = agentOfEntry(name);
  return agent === undefined ? `vault://${name}` : `the log-in of ${agent}`;
}

function vaultTable(rows: readonly Readonly<Record<string, string>>[], context: Context): string {
  const cells = rows.map(({ name = '', source = '', changed = '', fingerprint = '' }) => [
    ...[name, source, changed.replace('T', ' ').slice(0, 19), fingerprint],
  ]);
  return table(
    { titles: ['NAME', 'SOURCE', 'CHANGED', 'FINGERPRINT'], fold: ['NAME', 'SOURCE'], rows: cells },
    context,
  );
}

/** Takes a name of the vault or any other reference, resolves it as a launch would, and says only that it worked. */
export async function testSource({ words }: ParsedArguments, { context, tools }: CredsTools): Promise<void> {
  const [word, ...more] = words;
  if (word === undefined || more.length > 0)
    throw usageError('creds test takes one name or reference', 'for example: cordon creds test OPENAI_API_KEY');
  const source = showBytes(word);
  const target = bytesOfText('CREDENTIAL_TEST');
  const rule = { ...credentialRule({ target, source, origin: 'creds test' }) };
  // A test has no variable to fill, so no message speaks of one.
  await resolveCredentials([rule], tools, { missing: () => 'nothing' });
  context.out(`ok: ${String(rule.source)} has a value\n`);
}

export async function removeFromVault({ words }: ParsedArguments, { context, tools }: CredsTools): Promise<void> {
  const name = vaultName(words[0], 'rm');
  if (words.length > 1) throw usageError('creds rm takes one name');
  const agent = agentOfEntry(name);
  if (agent !== undefined)
    throw usageError(`${name} is the key of the log-in of ${agent}`, `take that out with cordon creds give ${agent}`);
  const found = await storing(name, tools.vault.remove(name));
  if (!found) throw new CordonError('vault', `the vault has no ${name}`, { hint: 'see cordon creds list' });
  context.err(`removed ${name}\n`);
}

const KEY_PLACES: readonly KeyPlace[] = ['passphrase', 'keyring', 'file'];

export async function initVault(parsed: ParsedArguments, { context, tools }: CredsTools): Promise<void> {
  const asked = KEY_PLACES.filter((place) => hasFlag(parsed, `--${place}`));
  if (asked.length > 1 || parsed.words.length > 0)
    throw usageError('creds init takes one of --keyring, --file or --passphrase');
  const kept = asked[0] ?? ((await tools.keyring.works()) ? 'keyring' : 'file');
  await storing('the vault', tools.vault.create(kept));
  context.err(`the key of the vault is kept ${KEPT[kept]}\n`);
}

function vaultName(word: Bytes | undefined, action: string): string {
  if (word === undefined)
    throw usageError(`creds ${action} needs a name`, `for example: cordon creds ${action} OPENAI_API_KEY`);
  if (isVaultName(word)) return word;
  throw usageError(
    `'${showBytes(word)}' cannot be the name of a credential`,
    'letters, digits, . _ - and @, at most 128 of them',
  );
}

/** What a keyring or a full disk has to say, as an error with a hint. */
export async function storing<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Unavailable) throw new CordonError('vault', `${what}: ${error.message}`, { hint: error.hint });
    const { code, syscall, path } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    throw new CordonError('vault', `${what}: the vault could not be used: ${whyItFailed(error)}`, {
      where: path,
      hint: 'what was stored before is unchanged',
    });
  }
}
