import type { Bytes } from '../../../src/host/bytes.ts';
import { type Copy, cleanCopy } from '../../../src/plan/rc/clean.ts';
import { exportedNames, rangesOfExportAll } from '../../../src/plan/rc/contents.ts';
import { type Dialect, readScript } from '../../../src/plan/rc/syntax/index.ts';

const PASSED = /^(?:PATH|HOME|LANG|LC_\w+)$/;

const passes = (name: Bytes) => PASSED.test(name);

/** The copy of one file by itself. */
export function copyOf(text: string, dialect: Dialect = 'bash'): Copy {
  const script = readScript(text, dialect);
  return cleanCopy(script, { passes, exported: new Set(exportedNames(script)) }, rangesOfExportAll(script));
}
