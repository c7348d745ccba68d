import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { type Bytes, bytesOfText, textOfBytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import type { ParentEnv } from '../../host/parent-env.ts';

/** Where the API server is, how it is known to be it, and who we are to it. */
export interface ApiAccess {
  readonly server: URL;
  readonly ca: Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
  /** Asked for each request: the token of a pod is replaced while it runs. */
  readonly token: () => string | undefined;
}

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** KUBECONFIG where it is set, else what a pod is given. */
export function apiAccess(env: ParentEnv): ApiAccess {
  const value = (name: string) => textOfBytes(env.peek(bytesOfText(name)) ?? ('' as Bytes)) ?? '';
  const file = value('KUBECONFIG');
  if (file !== '') return fromFile(file);
  const [host, port] = [value('KUBERNETES_SERVICE_HOST'), value('KUBERNETES_SERVICE_PORT')];
  if (host === '') throw unknown('neither KUBECONFIG nor KUBERNETES_SERVICE_HOST is set', undefined);
  const server = new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port === '' ? '443' : port}`);
  return {
    server,
    ca: read(`${ACCOUNT}/ca.crt`),
    token: () => read(`${ACCOUNT}/token`).toString('latin1').trim(),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fromFile(file: string): ApiAccess {
  const config = record(parse(read(file).toString('utf8')));
  const named = (list: string, name: unknown, key: string) =>
    record(record((Array.isArray(config[list]) ? config[list] : []).find((one) => record(one).name === name))[key]);
  const context = named('contexts', config['current-context'], 'context');
  const [cluster, user] = [named('clusters', context.cluster, 'cluster'), named('users', context.user, 'user')];
  const bytes = (from: Fields, name: string) => {
    const [data, path] = [from[`${name}-data`], from[name]];
    if (typeof data === 'string') return Buffer.from(data, 'base64');
    return typeof path === 'string' ? read(resolve(dirname(file), path)) : undefined;
  };
  if (typeof cluster.server !== 'string' || !URL.canParse(cluster.server) || !cluster.server.startsWith('https:'))
    throw unknown('its current context names no server with https', file);
  const token = typeof user.token === 'string' ? user.token : undefined;
  const tokenFile = typeof user.tokenFile === 'string' ? resolve(dirname(file), user.tokenFile) : undefined;
  const cert = bytes(user, 'client-certificate');
  if (token === undefined && tokenFile === undefined && cert === undefined)
    throw unknown('its user has neither a token nor a certificate; programs that give one are not started', file);
  return {
    server: new URL(cluster.server),
    ca: bytes(cluster, 'certificate-authority'),
    cert,
    key: bytes(user, 'client-key'),
    token: () => (tokenFile === undefined ? token : read(tokenFile).toString('latin1').trim()),
  };
}

const record = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unknown(`it cannot be read (${(error as NodeJS.ErrnoException).code})`, path);
  }
}

function unknown(why: string, where: string | undefined): CordonError {
  return new CordonError('pods', `the API server of Kubernetes cannot be asked: ${why}`, {
    where,
    hint: 'in a pod a service account is needed; elsewhere KUBECONFIG names a file',
  });
}
