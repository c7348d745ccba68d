import { showText } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { isOfTheMachine, whyItFailed } from '../../host/system-error.ts';
import type { Context } from '../context.ts';
import { type Painter, painter } from './colour.ts';

/** Shows what, where and what to do; gives the exit code. An unexpected error shows its kind only: its text may hold what was being worked on. */
export function showError(error: unknown, context: Pick<Context, 'err' | 'colour'>): number {
  const known = error instanceof CordonError ? error : unexpected(error);
  for (const one of [known, ...known.related]) context.err(errorText(one, painter(context.colour.err)));
  return known.exitCode;
}

export function errorText({ where, message, frame, hint }: CordonError, paint: Painter): string {
  const place = where === undefined ? '' : `${showText(where)}: `;
  return [
    `${paint('red', 'cordon:')} ${place}${message}`,
    ...frame.map((line) => `  ${paint('dim', showText(line))}`),
    ...(hint?.split('\n') ?? []).map((line) => `  ${paint('cyan', 'hint:')} ${showText(line)}`),
    '',
  ].join('\n');
}

function unexpected(error: unknown): CordonError {
  if (isOfTheMachine(error))
    return new CordonError('machine', `it could not be done: ${whyItFailed(error)}`, {
      where: error.path,
      hint: 'nothing was started; cordon doctor looks at this machine',
    });
  return new CordonError('defect', `unexpected ${describeUnexpected(error)}`, {
    hint: 'this is a defect in Cordon; nothing was started',
  });
}

function describeUnexpected(error: unknown): string {
  if (!(error instanceof Error)) return 'failure';
  const { code, syscall } = error as NodeJS.ErrnoException;
  const place = /\bat ([\w.<>]+) /.exec(error.stack ?? '')?.[1];
  const detail = code === undefined ? error.name : [code, syscall].filter(Boolean).join(' ');
  return place === undefined ? detail : `${detail} in ${place}`;
}
