import { CordonError } from '../../host/errors.ts';
import { childOf, describeNode, itemsOf, type Node, type Place, textOf } from '../../policy/load/node.ts';
import { Problems } from '../../policy/load/problems.ts';
import type { Source } from '../../policy/load/source.ts';
import { ALLOWLIST } from '../../spec/allowlist.ts';
import { readOptions, type SandboxException } from '../../spec/options.ts';
import { refusedEntries } from '../../spec/policy.ts';
import { type Findings, nameText } from '../finding.ts';
import type { Checker } from './kind.ts';

interface WrittenAllowlist {
  readonly entry: string;
  readonly place: Place;
}

/** What a spec adds to the sandbox allowlist, as data: `addToAllowlist` and `exceptions`, a bare list, or one name a line. */
export const checkAllowlist: Checker = ({ source, root, findings }) => {
  const problems = new Problems(source);
  const exceptions = itemsOf(childOf(root, 'exceptions')).flatMap((item) => readException(findings, item));
  const entries = root === undefined ? entriesOfText(source) : entriesOf(root, problems);
  problems.throwIfAny();
  for (const written of entries) checkEntry(findings, written, exceptions);
};

/** The list that every spec starts from. */
export function checkBuiltInAllowlist(findings: Findings): void {
  const entries = [...ALLOWLIST.names, ...ALLOWLIST.prefixes.map((prefix) => `${prefix}*`)];
  for (const entry of entries) checkEntry(findings, { entry, place: { path: entry } }, []);
}

function entriesOf(root: Node, problems: Problems): WrittenAllowlist[] {
  const list = root.kind === 'list' ? root : childOf(root, 'addToAllowlist');
  if (list !== undefined && list.kind !== 'list')
    problems.add(list.place, `expected a list of names, not ${describeNode(list)}`);
  return itemsOf(list).flatMap((item) => {
    const entry = textOf(item);
    if (entry === undefined)
      problems.add(item.place, `an entry is ${describeNode(item)}, not text`, 'put it in quotes');
    return entry === undefined ? [] : [{ entry, place: item.place }];
  });
}

function entriesOfText({ text }: Source): WrittenAllowlist[] {
  // Every word of a line, up to a comment: whoever writes two names on a line means both.
  return [...text.matchAll(/^[^#\n]*/gm)].flatMap((line) =>
    [...line[0].matchAll(/[^\s,]+/g)].map(({ 0: entry, index }) => {
      const start = line.index + index;
      return { entry, place: { start, end: start + entry.length } };
    }),
  );
}

function checkEntry(
  findings: Findings,
  { entry, place }: WrittenAllowlist,
  exceptions: readonly SandboxException[],
): void {
  const problem = problemOf(entry, exceptions);
  if (problem === undefined) return;
  findings.add('allowlist-entry-denied', place, { message: `${nameText(entry)}: ${problem}`, names: [entry] });
}

function problemOf(entry: string, exceptions: readonly SandboxException[]): string | undefined {
  try {
    const rules = { ...readOptions({ addToAllowlist: [entry] }), exceptions };
    return refusedEntries([entry.replace(/\*$/, '')], rules)[0]?.reason;
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    return error.message;
  }
}

function readException(findings: Findings, item: Node): SandboxException[] {
  const given = { name: textOf(childOf(item, 'name')), reason: textOf(childOf(item, 'reason')) };
  const names = given.name === undefined ? [] : [given.name];
  try {
    const [exception] = readOptions({ exceptions: [given as SandboxException] }).exceptions;
    if (exception === undefined) return [];
    const message = `${nameText(exception.name)} may pass: ${exception.reason}`;
    findings.add('exception-in-force', item.place, { message, names });
    return [exception];
  } catch (error) {
    if (!(error instanceof CordonError)) throw error;
    findings.add('bad-exception', item.place, { message: error.message, names });
    return [];
  }
}
