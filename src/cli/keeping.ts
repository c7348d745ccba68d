import { type BigIntStats, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CordonError } from '../host/errors.ts';
import { ensureFolder, textIn } from '../host/files.ts';
import { homesOf } from '../host/folders.ts';
import type { Keeping } from '../policy/config/changes.ts';
import type { Context } from './context.ts';

/**
 * Whether cordon.toml has to be read for a launch: it may say how much of what is put aside is kept, or it changed since it was last read.
 * Looked for as text: what reads the file is large.
 */
export function needsConfig(context: Context): boolean {
  const file = configOf(context);
  return file !== undefined && (mentionsChanges(file) || textIn(seenFile(context)) !== stampOf(file));
}

export interface ReadConfig {
  readonly keeping?: Keeping | undefined;
  /** What is wrong with the file, where that stops no launch: said each time. */
  readonly warnings: readonly string[];
}

export async function keepingOf(context: Context): Promise<ReadConfig> {
  const file = configOf(context);
  if (file === undefined || !needsConfig(context)) return { warnings: [] };
  const { readKeeping } = await import('../policy/config/changes.ts');
  if (mentionsChanges(file)) return { keeping: readKeeping(file, homesOf(context.env).home), warnings: [] };
  try {
    const { readTrustedText } = await import('../policy/load/read-file.ts');
    const [{ readToml }, { Source }] = await Promise.all([
      import('../policy/load/toml.ts'),
      import('../policy/load/source.ts'),
    ]);
    const stamp = stampOf(file);
    readToml(new Source(file, readTrustedText(file).text));
    remember(context, stamp);
    return { warnings: [] };
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    return {
      warnings: [`${error.where ?? file}: ${error.message}; nothing in cordon.toml is in force until it is mended`],
    };
  }
}

function configOf({ folders }: Context): string | undefined {
  const file = folders.config === undefined ? undefined : join(folders.config, 'cordon.toml');
  return file !== undefined && stampOf(file) !== undefined ? file : undefined;
}

const mentionsChanges = (file: string) => textIn(file).includes('changes');

function stampOf(file: string): string | undefined {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true }) as BigIntStats;
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch {
    return undefined;
  }
}

const seenFile = ({ folders }: Context) => (folders.state === undefined ? '' : join(folders.state, 'config-seen'));

/** So that the next launch need not read it; where nothing can be written, each one does. */
function remember(context: Context, stamp: string | undefined): void {
  try {
    ensureFolder(context.folders.state as string);
    writeFileSync(seenFile(context), stamp ?? '', { mode: 0o600 });
  } catch {
    // Read again, then.
  }
}
