import type { Bytes } from '../../host/bytes.ts';
import { CREDS_FLAGS } from '../command-flags.ts';
import type { Context } from '../context.ts';
import { toolsOf } from '../credential-tools.ts';
import { chosen, type ParsedArguments, parseArguments, usageError } from '../flags.ts';
import { type CredsTools, initVault, listVault, removeFromVault, setInVault, testSource } from './creds-actions.ts';
import { importIntoVault } from './creds-import.ts';
import { giveLogIn, takeLogIn } from './creds-log-ins.ts';

const ACTIONS: Readonly<Record<string, (parsed: ParsedArguments, tools: CredsTools) => Promise<void> | void>> = {
  set: setInVault,
  list: listVault,
  test: testSource,
  rm: removeFromVault,
  remove: removeFromVault,
  get: refuseToShow,
  show: refuseToShow,
  init: initVault,
  import: importIntoVault,
  take: takeLogIn,
  give: giveLogIn,
};

export async function run(args: readonly Bytes[], context: Context): Promise<number> {
  const parsed = parseArguments(args, { flags: CREDS_FLAGS });
  const [word, ...words] = parsed.words;
  const act = chosen('cordon creds', word, ACTIONS, ['remove', 'get', 'show']);
  const rest: ParsedArguments = { ...parsed, words };
  await act(rest, { context, tools: toolsOf(context) });
  return 0;
}

/** What people try first; the nearest word would be `set`, which would write over what they want to see. */
function refuseToShow(): never {
  throw usageError(
    'the vault shows no value to anybody but the command that is started with it',
    'cordon run --credential NAME -- CMD; cordon creds test NAME says whether it is there',
  );
}
