import { readCommands } from './commands.ts';
import { Reader } from './reader.ts';
import type { Dialect, Script } from './script.ts';

export * from './script.ts';
export { ASSIGNMENT } from './word.ts';

/**
 * Finds the simple commands of a script with the place of every word. It need not tell what a script does, only never take one thing
 * for another: whatever it isn't sure of is `NotUnderstood`.
 */
export function readScript(text: string, dialect: Dialect): Script {
  const reader = new Reader(text, dialect);
  readCommands(reader, 'file');
  reader.refuseLateDocuments();
  return reader;
}
