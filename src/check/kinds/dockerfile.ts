import { checkWrittenValue, credentialInText, isCredentialName, isPlaceholder } from '../credential.ts';
import { type Findings, nameText } from '../finding.ts';
import { checkDockerCommands } from '../shell/docker.ts';
import { type DockerInstruction, instructionsOf } from './dockerfile-lines.ts';
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
