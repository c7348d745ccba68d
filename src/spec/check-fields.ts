import { guardValue } from '../decide/guard/index.ts';
import { bytesOfText } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import type { ForbiddenEntry } from './forbidden.ts';
import type { SandboxSpec } from './spec.ts';

type Fields = Pick<SandboxSpec, 'image' | 'command' | 'workdir' | 'network' | 'mounts'>;

/** Fields that come from plain JavaScript may hold anything. */
export function refuseBadFields(fields: Fields): void {
  if (fields.image !== undefined) requireText('image', fields.image);
  if (fields.command.length === 0) throw badField('command', 'is empty', "name a program: command(['npm', 'ci'])");
  for (const argument of fields.command) requireText('command', argument);
  requirePath('workdir', fields.workdir);
  if (fields.network !== 'on' && fields.network !== 'off')
    throw badField('network', 'is neither on nor off', "use 'on' or 'off'");
  for (const mount of fields.mounts) refuseBadMount(mount);
}

function refuseBadMount({ source, target, access }: SandboxSpec['mounts'][number]): void {
  requirePath('mounts', source);
  requirePath('mounts', target);
  if (access !== 'read-only' && access !== 'read-write') {
    throw badField('mounts', 'has an unknown access', "use 'read-only' or 'read-write'");
  }
}

function requireText(field: string, value: unknown): void {
  if (typeof value === 'string' && !value.includes('\0')) return;
  throw badField(field, 'holds something other than text', 'use strings without NUL');
}

function requirePath(field: string, value: unknown): void {
  requireText(field, value);
  if (!String(value).startsWith('/')) throw badField(field, 'is no absolute path', 'begin it with /');
}

function badField(field: string, problem: string, hint: string): CordonError {
  return new CordonError('policy', `${field} of the sandbox spec ${problem}`, {
    where: `SandboxSpecBuilder.${field}`,
    hint,
  });
}

/** Arguments and paths end up in process lists and logs: a credential is no more welcome there than in the environment. */
export function credentialsInFields({ image, command, workdir, mounts }: Fields): readonly ForbiddenEntry[] {
  const texts: (readonly [string, string])[] = [
    ['image', image ?? ''],
    ...command.map((argument, i) => [`command[${i}]`, argument] as const),
    ['workdir', workdir],
    ...mounts.flatMap(
      ({ source, target }, i) =>
        [
          [`mounts[${i}]`, source],
          [`mounts[${i}]`, target],
        ] as const,
    ),
  ];
  return texts.flatMap(([name, text]) => {
    const found = guardValue(bytesOfText(''), bytesOfText(text));
    return found === undefined ? [] : [{ name, reason: found.reason }];
  });
}
