import { CordonError } from '../host/errors.ts';
import { OutputFile } from '../sessions/output-file.ts';

export const OUTPUT_FOLDER = '.cordon';

/** What commands print may hold secrets: a repository in the workspace must not pick it up. */
export function keepOutOfRepositories(workspace: string): void {
  const everything = Buffer.from('*\n');
  try {
    const file = new OutputFile(workspace, `${OUTPUT_FOLDER}/.gitignore`, everything.length);
    file.write(everything);
    file.close();
  } catch (error) {
    // It is there already, or nothing can be written; calls say so themselves.
    if (!(error instanceof CordonError)) throw error;
  }
}
