import type { IncomingMessage } from 'node:http';

export interface AdmittedNames {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** A page of another site that made its name point here sends that name as Host, and its own address as Origin. */
export function admits(request: IncomingMessage, { hosts, origins }: AdmittedNames): boolean {
  const { host, origin } = request.headers;
  if (host === undefined || !isAllowedHost(host, hosts)) return false;
  return origin === undefined || origins.includes(origin.toLowerCase());
}

/** With or without a port; what was allowed with a port means that port. */
function isAllowedHost(host: string, hosts: readonly string[]): boolean {
  const given = host.toLowerCase();
  const name = given.replace(/:\d{1,5}$/, '');
  return [...LOOPBACK, ...hosts].some((allowed) => allowed === given || allowed === name);
}

export function bearerToken({ headers }: IncomingMessage): string | undefined {
  return /^Bearer +([\x21-\x7e]{1,512})$/i.exec(headers.authorization ?? '')?.[1];
}
