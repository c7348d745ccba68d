import { join, resolve } from 'node:path';
import { CordonError } from '../host/errors.ts';
import { ensureFolder } from '../host/files.ts';
import { whyItFailed } from '../host/system-error.ts';
import { replaceFile } from '../host/whole-file.ts';
import type { KeptPage, LaunchDetails, ResolvedPolicy } from './api.ts';
import { type PageFile, pageWith } from './page-file.ts';
import { listPolicies, type PolicySurroundings, resolvePolicy } from './policies.ts';
import type { PageRecords } from './records/index.ts';

export interface KeepOptions extends PolicySurroundings {
  readonly page: PageFile;
  readonly records: PageRecords;
  readonly version: string;
}

const NEWEST_WITH_DETAILS = 1000;

/** The page as it is now, in a folder of its own: one file to open, and the same as JSON. Readable by its owner only. */
export async function keep(folder: string, options: KeepOptions): Promise<string> {
  const kept = await everything(options);
  const page = resolve(folder, 'index.html');
  try {
    ensureFolder(resolve(folder));
    replaceFile(page, pageWith(kept, options.page));
    replaceFile(join(folder, 'data.json'), `${JSON.stringify(kept, null, 1)}\n`);
  } catch (cause) {
    if (cause instanceof CordonError) throw cause;
    throw new CordonError('write', `the page cannot be written there: ${whyItFailed(cause)}`, {
      where: folder,
      hint: 'give --static a folder that you may write to',
      cause,
    });
  }
  return page;
}

async function everything(options: KeepOptions): Promise<KeptPage> {
  const { records, version } = options;
  // What runs or waits is over when somebody looks at it.
  const launches = { ...records.launches(0), running: [], asking: 0 };
  const policies = await listPolicies(options);
  const usable = policies.filter(({ error }) => error === null);
  const resolved: ResolvedPolicy[] = await Promise.all(usable.map((one) => resolvePolicy(one, options)));
  return {
    version,
    date: new Date().toISOString(),
    launches,
    details: detailsOf(
      launches.rows.slice(-NEWEST_WITH_DETAILS).map(({ id }) => id),
      records,
    ),
    policies,
    resolved,
    proofs: records.proofs(),
    sessions: await records.sessions(),
    pending: { ...records.pending(), questions: [], asking: 0, profiles: [] },
  };
}

function detailsOf(ids: readonly string[], records: PageRecords): Record<string, LaunchDetails> {
  const details = ids.map((id) => [id, records.launch(id)] as const).filter(([, one]) => one !== undefined);
  return Object.fromEntries(details) as Record<string, LaunchDetails>;
}
