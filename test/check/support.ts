import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkFiles } from '../../src/check/check.ts';
import type { Finding, Report } from '../../src/check/finding.ts';
import type { Kind } from '../../src/check/kinds/kind.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';

export interface Checked {
  readonly kind?: Kind;
  readonly env?: Readonly<Record<string, string>>;
}

/** Writes the files into a new folder and checks them; names in the report are those that were given. */
export async function check(
  files: Readonly<Record<string, string | Buffer>>,
  { kind, env = {} }: Checked = {},
): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'cordon-check-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  }
  const paths = Object.keys(files).map((name) => join(folder, name));
  const places = { config: join(folder, 'home'), home: folder, workdir: folder };
  const report = await checkFiles({ files: paths, kind, env: ParentEnv.fromRecord(env), places });
  return JSON.parse(JSON.stringify(report, withMessage).replaceAll(`${folder}/`, '')) as Report;
}

/** Errors leave their message out of JSON. */
const withMessage = (_: string, value: unknown) =>
  value instanceof Error ? { ...value, message: value.message } : value;

export const brief = ({ rule, region }: Finding): string => `${region?.line ?? '-'}:${region?.column ?? '-'} ${rule}`;

/** `line:column rule` of everything found in one file. */
export async function findingsIn(name: string, content: string, options: Checked = {}): Promise<string[]> {
  const report = await check({ [name]: content }, options);
  if (report.troubles.length > 0) throw new Error(`${name} could not be checked`);
  return report.findings.map(brief);
}
