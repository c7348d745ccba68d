import type { Bytes } from '../../host/bytes.ts';
import { nearest } from '../../policy/nearest.ts';
import type { Context } from '../context.ts';
import { toolsOf } from '../credential-tools.ts';
import { JSON_FLAG, type ParsedArguments, parseArguments, usageError } from '../flags.ts';
import { initVault, listVault, removeFromVault, setInVault, testSource } from './creds-actions.ts';
import { importIntoVault } from './creds-import.ts';

const ACTIONS = {
  set: setInVault,
  list: listVault,
  test: testSource,
  rm: removeFromVault,
  init: initVault,
  import: importIntoVault,
} as const;

export const CREDS_WORDS = Object.keys(ACTIONS) as readonly (keyof typeof ACTIONS)[];

const OWN_FLAGS = ['--passphrase', '--keyring', '--file', '--all', '--replace', '--force'].map((name) => ({
  name,
  help: '',
}));
const AS = { name: '--as', value: 'FORM', help: '', choices: ['.env', '1password-env', 'doppler-json', 'docker-env'] };

export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, { flags: [JSON_FLAG, AS, ...OWN_FLAGS] });
  const [word, ...words] = parsed.words;
  const action = CREDS_WORDS.find((name) => name === word);
  if (action === undefined) throw unknownAction(word);
  const rest: ParsedArguments = { ...parsed, words };
  await ACTIONS[action](rest, { context, tools: toolsOf(context) });
  return 0;
}

function unknownAction(word: Bytes | undefined): Error {
  const near = word === undefined ? undefined : nearest(word, CREDS_WORDS);
  const hint = near === undefined ? `it takes ${CREDS_WORDS.join(', ')}` : `did you mean cordon creds ${near}?`;
  return usageError(
    word === undefined ? 'creds needs a word that says what to do' : `creds does not know '${word}'`,
    hint,
  );
}
