import { declarationOf, programOf, settingOf } from './assignment.ts';
import { type Command, type Script, type Span, textOf, type Word } from './syntax/index.ts';

/** Names that the script exports, however they get their value. */
export function exportedNames(script: Script): string[] {
  return script.commands.flatMap((command) => {
    const declaration = declarationOf(command);
    return declaration?.exports === true ? declaration.settings.flatMap((word) => settingOf(word)?.name ?? []) : [];
  });
}

/** Names that are exported and nowhere assigned: `read NAME`, `printf -v NAME` and others give values too. */
export function unexplainedExports(scripts: readonly Script[]): string[] {
  const settings = scripts.flatMap(assignmentsIn).flatMap((word) => settingOf(word) ?? []);
  const assigned = new Set(settings.filter(({ bare }) => !bare).map(({ name }) => name));
  return scripts.flatMap(exportedNames).filter((name) => !assigned.has(name));
}

/** Everything that sets a variable to something the text tells. */
export function assignmentsIn({ commands }: Script): Word[] {
  return commands.flatMap((command) => [...command.assignments, ...(declarationOf(command)?.settings ?? [])]);
}

/** Where every assignment exports: from `set -a` to `set +a`. In a function that could be anywhere. */
export function rangesOfExportAll({ commands, text }: Script): Span[] {
  const whole = { from: 0, to: text.length + 1 };
  const ranges: Span[] = [];
  let since: number | undefined;
  for (const command of commands) {
    const turned = exportAllTurned(command);
    if (turned === undefined) continue;
    if (command.inFunction) return [whole];
    if (turned === 'on') since ??= command.from;
    else if (since !== undefined) {
      ranges.push({ from: since, to: command.from });
      since = undefined;
    }
  }
  return since === undefined ? ranges : [...ranges, { from: since, to: whole.to }];
}

function exportAllTurned(command: Command): 'on' | 'off' | undefined {
  const { name, rest } = programOf(command);
  const words = rest.map((word) => textOf(word).toLowerCase().replaceAll('_', ''));
  const named = words.includes('allexport');
  if (name === 'setopt' && named) return 'on';
  if (name === 'unsetopt' && named) return 'off';
  if (name !== 'set') return undefined;
  if (words.some((word) => /^-\w*[ak]/.test(word)) || (named && words.includes('-o'))) return 'on';
  return words.some((word) => /^\+\w*a/.test(word)) || named ? 'off' : undefined;
}

export interface Sourcing {
  readonly command: Command;
  readonly path: Word;
}

export function sourcingsIn({ commands }: Script): Sourcing[] {
  return commands.flatMap((command) => {
    const path = sourcedBy(command);
    return path === undefined ? [] : [{ command, path }];
  });
}

function sourcedBy(command: Command): Word | undefined {
  const { name, rest } = programOf(command);
  return name === 'source' || name === '.' ? rest.find((word) => !/^--?$/.test(textOf(word))) : undefined;
}

/** A file whose name a program tells: it can't be looked at before. `<(…)` is the output of a program, not a file. */
export function isUnfollowable(text: string, command: Command): boolean {
  const path = sourcedBy(command);
  return path !== undefined && textOf(path).includes('\x01') && !/^["']?[<=]\(/.test(text.slice(path.from, path.to));
}
