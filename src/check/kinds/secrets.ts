import { Problems } from '../../policy/load/problems.ts';
import { readSecrets, sandboxedNameProblem } from '../../secrets/sandboxed/read.ts';
import { nameText } from '../finding.ts';
import type { Checker } from './kind.ts';

const OTHERS = 0o077;

/** secrets.yaml, by its names: every value in it is a secret, so none is looked at. */
export const checkSecrets: Checker = ({ source, root, mode, findings }) => {
  if ((mode & OTHERS) !== 0 && process.platform !== 'win32')
    findings.add('secrets-file-open', { path: '' }, { message: `its mode is 0${(mode & 0o777).toString(8)}` });
  if (root === undefined) return;
  const problems = new Problems(source);
  for (const { name, namePlace } of readSecrets(root, problems).entries) {
    const problem = sandboxedNameProblem(name);
    if (problem !== undefined)
      findings.add('secrets-bad-name', namePlace, { message: `${nameText(name)} ${problem}`, names: [name] });
  }
  problems.throwIfAny();
};
