import type { Draft } from '../draft.ts';
import type { Importer } from './importer.ts';

/** Sources: dotenv's README, 1Password's page on `op run`, direnv's manual. Nothing of an .envrc is run. */
export const envFile: Importer = {
  format: 'env-file',
  title: 'an env file (.env, .envrc, op run)',
  syntax: 'lines',
  holdsAny: ({ text }) => text.split('\n').some((line) => ASSIGNMENT.test(line)),
  recognises: ({ text, data, path }) => {
    if (data !== undefined || /\.(py|js|mjs|ts)$/.test(path)) return false;
    const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
    const assignments = lines.filter((line) => ASSIGNMENT.test(line)).length;
    if (lines.length > 0 && assignments === lines.length) return true;
    return /(^|\/)(\.env(\.[\w.-]+)?|\.envrc)$/.test(path) && assignments > 0;
  },
  read: ({ text }, draft) => {
    draft.profile.extends = ['default'];
    draft.row('(inherited)', 'narrower', 'what most programs need passes, not the whole shell');
    for (const [i, line] of logicalLines(text).entries()) readLine(line, i + 1, draft);
  },
};

const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=(.*)$/s;

/** A value in quotes may go over several lines. */
function logicalLines(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const open = lines.at(-1);
    if (open !== undefined && isOpen(open)) lines[lines.length - 1] = `${open}\n${line}`;
    else lines.push(line);
  }
  return lines;
}

const isOpen = (line: string) => {
  const value = ASSIGNMENT.exec(line)?.[2]?.trimStart() ?? '';
  return /^"(?:[^"\\]|\\.)*$/s.test(value) || /^'[^']*$/s.test(value);
};

function readLine(line: string, number: number, draft: Draft) {
  if (/^\s*(#|$)/.test(line)) return;
  const [, name, raw = ''] = ASSIGNMENT.exec(line) ?? [];
  if (name === undefined)
    return draft.row(`line ${number}`, "can't be said", 'not an assignment; nothing of it is run', { aside: true });
  const value = plainValue(raw.trim());
  if (value === undefined)
    return draft.row(name, 'narrower', 'not set: its value is made from other variables or a command');
  if (/^op:\/\//.test(value)) {
    if (draft.credential(name, value, name)) draft.row(name, 'same', 'env_credentials, from 1Password');
  } else draft.set(name, name, value);
}

/** Undefined where a shell would put something else in. */
function plainValue(raw: string): string | undefined {
  const single = /^'([^']*)'\s*(?:#.*)?$/s.exec(raw)?.[1];
  if (single !== undefined) return single;
  const double = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/s.exec(raw)?.[1];
  const text = double ?? raw.replace(/\s+#.*$/, '');
  if (/(?<!\\)\$[({A-Za-z_]|`/.test(text)) return undefined;
  if (double === undefined) return text;
  return text.replace(/\\(["\\$`n])/g, (_, one: string) => (one === 'n' ? '\n' : one));
}
