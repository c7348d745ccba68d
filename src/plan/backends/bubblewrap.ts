import { bytesOfText } from '../../host/bytes.ts';
import { planField, textLine } from '../field.ts';
import { seccompProgram } from '../seccomp/index.ts';
import { type Backend, type Containment, supervision } from './backend.ts';

/** In `sandbox` arguments: the folder the command is started in. No argument of a program can hold a NUL. */
export const WORKING_FOLDER = '\0';

/** Namespaces, mounts, the system call filter and limits: the barrier. */
export const bubblewrap: Backend = {
  name: 'bubblewrap',
  lines: (held) => [
    `isolation ${held.isolation}`,
    ...supervision(held),
    ...(held.explicit === undefined ? [] : [textLine('explicit', held.explicit)]),
    ...(held.bwrap === undefined ? [] : [textLine('bwrap', held.bwrap)]),
    ...held.sandbox.map(sandboxLine),
    ...lockdownLines(held),
    ...held.placeholders.map(({ kind, path, text }) =>
      textLine('placeholder', kind, path, ...(text === undefined ? [] : [text])),
    ),
  ],
};

function lockdownLines({ arch, abstractSockets, limits = [] }: Containment): string[] {
  return [
    ...(arch === undefined ? [] : [`seccomp ${Buffer.from(seccompProgram(arch)).toString('base64')}`]),
    ...(abstractSockets === 'cut off' ? ['landlock-scope'] : []),
    'limit core 0',
    ...limits.map(({ resource, value }) => `limit ${resource} ${value}`),
  ];
}

function sandboxLine(fields: readonly string[]): string {
  const words = fields.map((field) => (field === WORKING_FOLDER ? '\\c' : planField(bytesOfText(field))));
  return ['sandbox', ...words].join(' ');
}
