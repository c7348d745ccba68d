import type { Source } from '../../policy/load/source.ts';
import { checkWrittenValue, credentialInText, isCredentialName, isPlaceholder } from '../credential.ts';
import { type Findings, nameText } from '../finding.ts';
import { checkDockerCommands } from '../shell/docker.ts';
import type { Checker } from './kind.ts';

/** A Dockerfile: what would stay in the image or its history. */
export const checkDockerfile: Checker = ({ source, findings }) => {
  for (const instruction of instructionsOf(source)) CHECKS[instruction.name]?.(findings, instruction);
};

const CHECKS: Readonly<Record<string, (findings: Findings, instruction: DockerInstruction) => void>> = {
  ARG: (findings, instruction) => checkVariables(findings, instruction, 'credential-in-build-arg'),
  ENV: (findings, instruction) => checkVariables(findings, instruction, 'credential-in-image-env'),
  COPY: checkCopy,
  ADD: checkCopy,
  RUN: checkRun,
  CMD: checkText,
  ENTRYPOINT: checkText,
  LABEL: checkText,
  HEALTHCHECK: checkText,
};

interface Variable {
  readonly name: string;
  readonly value: string | undefined;
  readonly start: number;
}

function checkVariables(
  findings: Findings,
  instruction: DockerInstruction,
  rule: 'credential-in-build-arg' | 'credential-in-image-env',
): void {
  for (const { name, value, start } of variablesOf(instruction)) {
    const at = instruction.offsetOf(start);
    const place = { start: at, end: at + name.length };
    if (value !== undefined && checkWrittenValue(findings, { name, value, place })) continue;
    if (!isCredentialName(name, value) || (value !== undefined && value !== '' && isFixed(value))) continue;
    const message = rule === 'credential-in-build-arg' ? 'a build argument' : 'in the environment of the image';
    findings.add(rule, place, { message: `${nameText(name)} is ${message}`, names: [name] });
  }
}

/** A placeholder that is written out says nothing secret. */
const isFixed = (value: string) => isPlaceholder(value) && !value.includes('$');

/** `NAME=value NAME="a b"`, bare names, and the old `ENV NAME the rest`. */
function variablesOf({ name: instruction, text }: DockerInstruction): Variable[] {
  const head = /^\s*[A-Za-z]+\s+/.exec(text)?.[0].length ?? 0;
  const rest = text.slice(head);
  const old = instruction === 'ENV' ? /^([^\s=]+)\s+(.*)$/s.exec(rest) : null;
  if (old !== null) return [{ name: old[1] ?? '', value: (old[2] ?? '').trim(), start: head }];
  return [...rest.matchAll(WORD)].map(({ 0: word, index }) => {
    const [name = '', value] = word.split(/=(.*)/s);
    return { name, value: value?.replace(/^(["'])(.*)\1$/s, '$2'), start: head + index };
  });
}

const WORD = /(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\]|["'\\])+/gs;

const CREDENTIAL_FILES =
  /(?:^|\/)(?:\.npmrc|\.yarnrc\.yml|\.env(?:\.(?!example|sample|schema|template)[\w-]+)?|\.netrc|\.pypirc|\.pgpass|\.git-credentials|\.dockercfg|id_(?:rsa|dsa|ecdsa|ed25519)|\.aws|\.ssh|\.gnupg|\.kube|\.docker|credentials(?:\.json)?|service-account[\w-]*\.json|secrets\.ya?ml|[\w.-]+\.(?:pem|p12|pfx|key))$/;

function checkCopy(findings: Findings, instruction: DockerInstruction): void {
  const { text } = instruction;
  if (/\s--from=/.test(text.split('\n', 1)[0] ?? '')) return;
  const words = [...(text.split('\n', 1)[0] ?? '').matchAll(/[^\s"',[\]]+/g)].filter(
    ({ 0: word }) => !word.startsWith('--'),
  );
  for (const { 0: word, index } of words.slice(1, -1)) {
    if (!CREDENTIAL_FILES.test(word)) continue;
    const start = instruction.offsetOf(index);
    const message = `${nameText(word)} is copied into the image`;
    findings.add('credential-file-in-image', { start, end: start + word.length }, { message });
  }
  checkText(findings, instruction);
}

function checkRun(findings: Findings, instruction: DockerInstruction): void {
  checkText(findings, instruction);
  checkDockerCommands(findings, instruction.text, (index, length) => {
    const start = instruction.offsetOf(index);
    return { start, end: start + length };
  });
}

function checkText(findings: Findings, { name, text, offsetOf }: DockerInstruction): void {
  const found = credentialInText(text);
  if (found === undefined) return;
  const start = offsetOf(text.search(/\S/));
  const message = `a credential stands in this ${name}: ${found}`;
  findings.add('literal-credential', { start, end: start + name.length }, { message });
}

/** One instruction over all its lines, each character with its place in the file. */
interface DockerInstruction {
  readonly name: string;
  readonly text: string;
  /** The place in the file of the character at this index of the text. */
  readonly offsetOf: (index: number) => number;
}

interface DockerLine {
  readonly text: string;
  readonly start: number;
}

/** Continuations are joined and comments between them left out, as the builder does; the body of a heredoc belongs to its instruction. */
function instructionsOf(source: Source): DockerInstruction[] {
  const lines = linesOf(source);
  const mark = escapeOf(lines);
  const instructions: DockerInstruction[] = [];
  for (let i = 0; i < lines.length; ) {
    const taken = takeInstruction(lines, i, mark);
    const instruction = join(taken);
    if (instruction !== undefined) instructions.push(instruction);
    i += Math.max(1, taken.count);
  }
  return instructions;
}

function linesOf({ text }: Source): DockerLine[] {
  return [...text.matchAll(/[^\r\n]*(?:\r\n|\n|\r|$)/g)]
    .map((match) => ({ text: match[0].replace(/[\r\n]+$/, ''), start: match.index }))
    .filter(({ start }, i, all) => i === 0 || start !== all[i - 1]?.start);
}

/** `# escape=…` counts only among the first lines. */
function escapeOf(lines: readonly DockerLine[]): string {
  const directives = lines.slice(
    0,
    Math.max(
      0,
      lines.findIndex(({ text }) => !/^\s*#/.test(text)),
    ),
  );
  return directives.map(({ text }) => /^\s*#\s*escape\s*=\s*([\\`])\s*$/i.exec(text)?.[1]).find(Boolean) ?? '\\';
}

interface Taken {
  readonly parts: readonly DockerLine[];
  readonly count: number;
}

const isSkipped = ({ text }: DockerLine) => /^\s*(?:#|$)/.test(text);

function takeInstruction(lines: readonly DockerLine[], from: number, mark: string): Taken {
  const parts: DockerLine[] = [];
  let at = from;
  for (let open = true; open && at < lines.length; at++) {
    const line = lines[at] as DockerLine;
    if (isSkipped(line)) {
      open = parts.length > 0;
      continue;
    }
    const continued = line.text.trimEnd().endsWith(mark);
    parts.push(continued ? { ...line, text: `${line.text.trimEnd().slice(0, -1)} ` } : line);
    open = continued;
  }
  const bodies = takeHeredocs(lines, at, parts.map(({ text }) => text).join(''));
  return { parts: [...parts, ...bodies], count: at + bodies.length - from };
}

function takeHeredocs(lines: readonly DockerLine[], from: number, text: string): DockerLine[] {
  if (!/^\s*(?:RUN|COPY|ADD)\b/i.test(text)) return [];
  const ends = [...text.matchAll(/<<-?(["']?)([A-Za-z_]\w*)\1/g)].map((match) => match[2]);
  const bodies: DockerLine[] = [];
  for (const end of ends) {
    const start = from + bodies.length;
    const last = lines.findIndex((line, i) => i >= start && line.text.trim() === end);
    bodies.push(
      ...lines
        .slice(start, last === -1 ? lines.length : last + 1)
        .map((line) => ({ ...line, text: `\n${line.text}`, start: line.start - 1 })),
    );
  }
  return bodies;
}

function join({ parts }: Taken): DockerInstruction | undefined {
  const [first] = parts;
  const name = /^\s*([A-Za-z]+)/.exec(first?.text ?? '')?.[1];
  if (first === undefined || name === undefined) return undefined;
  const text = parts.map((part) => part.text).join('');
  return { name: name.toUpperCase(), text, offsetOf: (index) => offsetIn(parts, index) };
}

function offsetIn(parts: readonly DockerLine[], index: number): number {
  let before = 0;
  for (const { text, start } of parts) {
    if (index < before + text.length) return start + index - before;
    before += text.length;
  }
  const last = parts.at(-1);
  return last === undefined ? 0 : last.start + last.text.length;
}
