import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureFolder, reading } from '../../host/files.ts';
import { replaceFile } from '../../host/whole-file.ts';
import type { ProofCell, ProofCounts, ProofProbe, ProofRun, Proofs } from '../api.ts';
import { fieldsOf, listOf, numberOf, parseFields, type RecordFields, textOf, textsOf } from './shape.ts';

const LARGEST = 16 << 20;

/** The kept runs of `cordon prove`, newest first, one of them with its matrix. */
export function readProofs(stateFolder: string | undefined, wanted?: string): Proofs {
  const folder = stateFolder === undefined ? undefined : keptFolder(stateFolder);
  const runs = (folder === undefined ? [] : namesIn(folder)).flatMap((name) => {
    const fields = readRun(join(folder as string, name));
    return fields === undefined ? [] : [{ run: runOf(name, fields), fields }];
  });
  const at = Math.max(
    0,
    runs.findIndex(({ run }) => run.id === wanted),
  );
  const shown = runs[at];
  // A run of other probes says nothing about these.
  const before = shown && runs.slice(at + 1).find((one) => sharesProbes(shown.fields, one.fields));
  return {
    runs: runs.map(({ run }) => run),
    shown:
      shown === undefined
        ? null
        : { ...shown.run, probes: probesOf(shown.fields, before?.fields), comparedWith: before?.run.date ?? null },
  };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => KEPT_NAME.test(name))
      .toSorted()
      .toReversed();
  } catch {
    return [];
  }
}

function readRun(path: string): RecordFields | undefined {
  try {
    return reading(path, 'refused', (descriptor, found) =>
      found.isFile() && found.size <= LARGEST ? parseFields(readFileSync(descriptor, 'utf8')) : undefined,
    );
  } catch {
    return undefined;
  }
}

function runOf(id: string, fields: RecordFields): ProofRun {
  return {
    id,
    date: textOf(fields.date),
    verdict: textOf(fields.verdict, 'unproven'),
    complete: fields.complete === true,
    launchers: launchersOf(fields),
    counts: objects(fields.counts).map(countsOf),
  };
}

const objects = (value: unknown): RecordFields[] =>
  listOf(value)
    .map(fieldsOf)
    .filter((one) => one !== undefined);
const launchersOf = ({ launchers }: RecordFields) => textsOf(objects(launchers).map(({ title }) => title));

function countsOf(fields: RecordFields): ProofCounts {
  const count = (value: unknown) => numberOf(value) ?? 0;
  return {
    launcher: textOf(fields.launcher),
    leaked: count(fields.leaked),
    open: count(fields.open),
    blocked: count(fields.blocked),
    notApplicable: count(fields.notApplicable),
  };
}

const keyOf = (probe: string, launcher: string) => `${probe}\n${launcher}`;

function resultsOf(fields: RecordFields): Map<string, RecordFields> {
  return new Map(objects(fields.results).map((one) => [keyOf(textOf(one.probe), textOf(one.launcher)), one]));
}

function sharesProbes(a: RecordFields, b: RecordFields): boolean {
  const [known, others] = [resultsOf(a), resultsOf(b)];
  return [...known.keys()].some((key) => others.has(key));
}

function probesOf(fields: RecordFields, before: RecordFields | undefined): ProofProbe[] {
  const results = resultsOf(fields);
  const earlier = before === undefined ? undefined : resultsOf(before);
  const launchers = launchersOf(fields);
  return objects(fields.probes).map((probe) => {
    const id = textOf(probe.id);
    return {
      id,
      group: textOf(probe.group),
      title: textOf(probe.title),
      gives: textOf(probe.gives),
      cells: launchers.map((launcher) => cellOf(results.get(keyOf(id, launcher)), earlier?.get(keyOf(id, launcher)))),
    };
  });
}

function cellOf(result: RecordFields | undefined, before: RecordFields | undefined): ProofCell {
  const status = textOf(result?.status, 'not applicable');
  const earlier = before === undefined ? status : textOf(before.status, status);
  return { status, reason: textOf(result?.reason), before: earlier === status ? null : earlier };
}

const KEPT = 10;

const keptFolder = (stateFolder: string) => join(stateFolder, 'prove');

/** Names that sort by time. */
const KEPT_NAME = /^\d{8}T\d{9}Z-\d+\.json$/;

/**
 * The last runs, so that a later one can be compared with them. Nobody asked for it, so a full disk or a folder that can't be written
 * is no failure of the proof.
 */
export function keepRun(stateFolder: string | undefined, date: string, report: object): void {
  if (stateFolder === undefined) return;
  const folder = keptFolder(stateFolder);
  const name = `${date.replaceAll(/[-:.]/g, '')}-${process.pid}.json`;
  try {
    ensureFolder(folder);
    replaceFile(join(folder, name), JSON.stringify(report));
    const names = readdirSync(folder).filter((one) => KEPT_NAME.test(one));
    for (const old of names.toSorted().slice(0, -KEPT)) rmSync(join(folder, old), { force: true });
  } catch {
    // Nothing is kept of this one.
  }
}
