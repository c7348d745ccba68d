import { readFileSync } from 'node:fs';
import type { Client } from '@modelcontextprotocol/client';
import { connectHttp, type Started, serve } from './http-support.ts';
import { connectStdio, type Place } from './support.ts';

export const TRANSPORTS = ['stdio', 'http'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** A client of alice, and the process that serves it. */
export interface Reached {
  readonly client: Client;
  readonly pid: number;
  readonly said: () => string;
}

interface Options extends Started {
  readonly more?: readonly string[];
}

/** The same server over either transport. */
export async function reach(transport: Transport, place: Place, options: Options = {}): Promise<Reached> {
  const { more = [], through = [], env = {} } = options;
  if (transport === 'stdio') {
    const { client, transport: pipes, said } = await connectStdio(place, { more, through, env });
    return { client, pid: serverOf(pipes.pid as number), said };
  }
  const served = await serve(place.user, ['--skills', place.skills, ...more], place, { through, env });
  const client = await connectHttp(served, served.tokens.alice);
  return { client, pid: serverOf(served.server.child.pid as number), said: () => served.server.stderr };
}

/** The program waits for the process that does its work. */
export function serverOf(program: number): number {
  const [child] = readFileSync(`/proc/${program}/task/${program}/children`, 'latin1').split(' ');
  return Number(child);
}

/** Of `/proc/PID/status`, in kilobytes. */
export function memoryOf(pid: number, field: 'VmHWM' | 'VmRSS'): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]);
}

export function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
