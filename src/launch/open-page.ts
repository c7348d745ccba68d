import { spawn } from 'node:child_process';
import { decide } from '../decide/decide.ts';
import { bytesOfText, textOfBytes } from '../host/bytes.ts';
import { CordonError } from '../host/errors.ts';
import { findOwnProgram, trustedPath } from '../host/own-program.ts';
import type { ParentEnv } from '../host/parent-env.ts';
import { Pattern } from '../policy/pattern.ts';
import { DEFAULT_POLICY, type Policy } from '../policy/policy.ts';
import { seal, sealedEntries } from '../seal/seal.ts';
import { emptyEnvironment } from './launch.ts';

const OPENER = 'xdg-open';

/** What a program with windows needs beside the ordinary: the way to the screen and to the desktop. */
const WINDOWS = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_*',
  'DESKTOP_SESSION',
  'BROWSER',
];

/** Shows a file in the user's browser, where there is a screen; says whether it tried. The browser stays when we end. */
export function openPage(file: string, env: ParentEnv, workdir: string): boolean {
  if (!['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => (env.get(bytesOfText(name)) ?? '') !== '')) return false;
  const program = opener(env, workdir);
  if (program === undefined) return false;
  const child = spawn(program, [file], { env: environmentOf(env, workdir), cwd: '/', detached: true, stdio: 'ignore' });
  child.once('error', () => undefined); // The address was printed too.
  child.unref();
  return true;
}

function opener(env: ParentEnv, workdir: string): string | undefined {
  try {
    return textOfBytes(findOwnProgram(bytesOfText(OPENER), env, [workdir]));
  } catch (error) {
    if (error instanceof CordonError) return undefined;
    throw error;
  }
}

function environmentOf(env: ParentEnv, workdir: string): NodeJS.ProcessEnv {
  const origin = 'the browser of cordon ui';
  const policy: Policy = {
    ...DEFAULT_POLICY,
    origin,
    allow: WINDOWS.map((name) => ({ pattern: Pattern.parse(name), origin })),
  };
  const result = emptyEnvironment();
  for (const [name, value] of sealedEntries(seal(decide(policy, env), { policy, env }))) {
    const [key, text] = [textOfBytes(name), textOfBytes(value.reveal())];
    if (key !== undefined && text !== undefined) result[key] = text;
  }
  result.PATH = trustedPath(env, [workdir]); // It looks for browsers.
  return result;
}
