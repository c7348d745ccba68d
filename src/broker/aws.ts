import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type Head, type Header, type RequestRefusal, valuesOf } from './head.ts';
import type { Held } from './held.ts';

/** The parts of one log-in to AWS that the broker has. The command has a placeholder for each. */
export interface AwsKeys {
  readonly id: Held;
  readonly secret: Held;
  readonly token: Held | undefined;
}

/** By the ends of their variables' names, as all of AWS's programs read them. */
export function awsKeysAmong(held: readonly Held[]): AwsKeys | undefined {
  const ofAws = held.filter(({ rule }) => rule.places.some(({ kind }) => kind === 'aws'));
  const named = (end: string) => ofAws.find(({ name }) => name.endsWith(end));
  const [id, secret] = [named('ACCESS_KEY_ID'), named('SECRET_ACCESS_KEY')];
  return id === undefined || secret === undefined ? undefined : { id, secret, token: named('SESSION_TOKEN') };
}

export const isSignedForAws = ({ headers }: Head) =>
  valuesOf(headers, 'authorization').some((value) => /^AWS4-/i.test(value.trim()));

export interface Resigned {
  readonly head: Head;
  readonly credentials: readonly Held[];
}

/**
 * The same request, signed with the real key instead of the placeholder (Signature Version 4). It is first checked that the command
 * signed it with the placeholder: what it did not sign is not signed for it. `outgoing` is the head as it is sent, which may differ in
 * what concerns the connection.
 */
export function resigned(
  head: Head,
  outgoing: (head: Head) => Head,
  body: Buffer | 'unread' | undefined,
  keys: AwsKeys,
): Resigned | RequestRefusal {
  const given = signatureIn(head);
  if (given === undefined)
    return refusal(
      keys.id,
      'aws',
      'it is not signed with Signature Version 4',
      'use a client that signs headers with AWS4-HMAC-SHA256',
    );
  if (given.keyId !== keys.id.placeholder)
    return refusal(
      keys.id,
      'aws',
      'it is signed with a key that is not the one of this launch',
      `use the value of ${keys.id.name} as it is inside`,
    );
  const payload = payloadHash(head, body);
  if (typeof payload !== 'string') return refusal(keys.secret, 'aws', payload.problem, payload.hint);
  const signed = canonicalRequest(head, given, payload);
  if (!isEqual(signature(signed, given, keys.secret.placeholder), given.signature))
    return refusal(
      keys.secret,
      'aws',
      'its signature is not that of the request',
      `use the value of ${keys.secret.name} as it is inside`,
    );
  const withToken = tokenSwapped(outgoing(head), keys);
  if ('refused' in withToken) return withToken;
  const minted = handsOut(head, given.service, body);
  if (minted !== undefined)
    return refusal(
      keys.secret,
      'mint',
      `this call hands out new credentials (${minted}), which the command would then hold itself`,
      'do this outside, and store what comes of it with cordon creds set',
    );
  const sent = {
    ...given,
    signedHeaders: given.signedHeaders.filter((name) => valuesOf(withToken.headers, name).length > 0),
  };
  const real = signature(canonicalRequest(withToken, sent, payload), sent, keys.secret.value);
  const authorization = `AWS4-HMAC-SHA256 Credential=${keys.id.value}/${sent.scope}, SignedHeaders=${sent.signedHeaders.join(';')}, Signature=${real}`;
  const credentials = [keys.id, keys.secret, ...(keys.token === undefined ? [] : [keys.token])];
  return { head: { ...withToken, headers: replaced(withToken.headers, 'authorization', authorization) }, credentials };
}

function refusal(held: Held, refused: string, reason: string, hint: string): RequestRefusal {
  return { refused, credential: held.name, reason, hint } as RequestRefusal;
}

/** Calls by service that answer with a credential, as the API references of these services have them. */
const HANDS_OUT: Readonly<Record<string, RegExp>> = {
  sts: /^(?!GetCallerIdentity$)/,
  iam: /^(?:Create(?:AccessKey|ServiceSpecificCredential|LoginProfile|VirtualMFADevice)|ResetServiceSpecificCredential)$/,
  ecr: /^GetAuthorizationToken$/,
  'ecr-public': /^GetAuthorizationToken$/,
  codeartifact: /^GetAuthorizationToken$/,
  'sso-oauth': /^/,
  'cognito-identity': /^Get(?:CredentialsForIdentity|OpenIdToken)/,
  'cognito-idp':
    /^(?:Admin)?(?:InitiateAuth|RespondToAuthChallenge)$|^GetTokensFromRefreshToken$|UserPoolClient(?:Secret)?$/,
  ec2: /^CreateKeyPair$/,
  gamelift: /^Get(?:ComputeAuthToken|ComputeAccess|InstanceAccess)$/,
  lightsail: /KeyPair$|BucketAccessKeys?$|^GetInstanceAccessDetails$|^GetRelationalDatabaseMasterUserPassword$/,
  redshift: /^GetClusterCredentials/,
  'redshift-serverless': /^GetCredentials$/,
  ssm: /^CreateActivation$/,
};

/** The name of the call where it hands out a credential. Older services name it in the query or a form, newer ones in a header or the path. */
function handsOut({ headers, target }: Head, service: string, body: Buffer | 'unread' | undefined): string | undefined {
  const pattern = HANDS_OUT[service];
  if (pattern === undefined) return undefined;
  // What the query names, a body may name otherwise.
  if (body === 'unread' && !BY_PATH.has(service)) return 'a call whose body was not read';
  const [, query = ''] = /\?(.*)$/s.exec(target) ?? [];
  const named = [query, Buffer.isBuffer(body) ? body.toString('latin1') : ''].flatMap((text) =>
    new URLSearchParams(text).getAll('Action'),
  );
  const targets = valuesOf(headers, 'x-amz-target').map((value) => value.split('.').at(-1) ?? '');
  const paths = /^\/+v1\/+authorization-token/i.test(decodedOnce(target)) ? ['GetAuthorizationToken'] : [];
  const calls = [...named, ...targets, ...paths];
  if (calls.length === 0 && BY_PATH.has(service)) return undefined;
  // A call without a name, or with two, may be any.
  if (calls.length !== 1) return 'a call whose name cannot be told';
  return calls.find((call) => pattern.test(call));
}

/** These name the call in the path alone. */
const BY_PATH: ReadonlySet<string> = new Set(['codeartifact']);

interface GivenSignature {
  readonly keyId: string;
  /** DATE/REGION/SERVICE/aws4_request. */
  readonly scope: string;
  readonly service: string;
  readonly time: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

const FORM =
  /^AWS4-HMAC-SHA256\s+Credential=([^/,\s]+)\/(\d{8}\/[a-z0-9-]+\/([a-z0-9-]+)\/aws4_request),\s*SignedHeaders=([a-z0-9;_-]+),\s*Signature=([0-9a-f]{64})$/;

/** One header of exactly this form; presigned addresses and other versions are not known here. */
function signatureIn({ headers, target }: Head): GivenSignature | undefined {
  const [authorization = '', ...more] = valuesOf(headers, 'authorization');
  const [, keyId = '', scope = '', service = '', signedHeaders = '', given = ''] =
    FORM.exec(authorization.trim()) ?? [];
  const [time = ''] = valuesOf(headers, 'x-amz-date');
  const names = signedHeaders.split(';');
  const isUsable =
    more.length === 0 &&
    keyId !== '' &&
    /^\d{8}T\d{6}Z$/.test(time) &&
    scope.startsWith(time.slice(0, 8)) &&
    names.includes('host') &&
    !/[?&]X-Amz-(?:Signature|Credential)=/i.test(target);
  return isUsable ? { keyId, scope, service, time, signedHeaders: names, signature: given } : undefined;
}

/** What the client says of the body, or the body itself; `unread` where there is one that was too long to be read. */
function payloadHash(
  { headers }: Head,
  body: Buffer | 'unread' | undefined,
): string | { problem: string; hint: string } {
  const [declared] = valuesOf(headers, 'x-amz-content-sha256');
  if (declared !== undefined && /^(?:[0-9a-f]{64}|UNSIGNED-PAYLOAD)$/.test(declared)) return declared;
  if (declared !== undefined)
    return {
      problem: 'each part of its body is signed, which cannot be signed anew',
      hint: 'turn chunked signing off (payload_signing_enabled, or requestChecksumCalculation WHEN_REQUIRED)',
    };
  if (body === 'unread')
    return {
      problem: 'its body is too long to be read before it is sent',
      hint: 'send at most 1 MiB with its length, or name its hash in x-amz-content-sha256',
    };
  return sha256(body ?? Buffer.alloc(0));
}

/** A log-in that ends has a token beside the keys; the command has a placeholder for it, or there is none. */
function tokenSwapped(head: Head, { token, id }: AwsKeys): Head | RequestRefusal {
  const given = valuesOf(head.headers, 'x-amz-security-token');
  if (given.length === 0 && token === undefined) return head;
  if (token === undefined || given.length !== 1 || given[0] !== token.placeholder)
    return refusal(
      token ?? id,
      'aws',
      'its session token is not the one of this launch',
      'leave AWS_SESSION_TOKEN as it is inside',
    );
  return { ...head, headers: replaced(head.headers, 'x-amz-security-token', token.value) };
}

function canonicalRequest(
  { method, target, headers }: Head,
  { signedHeaders, service }: GivenSignature,
  payload: string,
): string {
  const [, path = '', query = ''] = /^([^?]*)(?:\?(.*))?$/s.exec(target) ?? [];
  return [
    method,
    service === 's3' ? path || '/' : encodedTwice(path),
    canonicalQuery(query),
    ...signedHeaders.map(
      (name) =>
        `${name}:${valuesOf(headers, name)
          .map((value) => value.trim().replace(/ +/g, ' '))
          .join(',')}`,
    ),
    '',
    signedHeaders.join(';'),
    payload,
  ].join('\n');
}

/** Every service but S3 signs the path without dots and doubled slashes, encoded once more. */
function encodedTwice(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  const end = path.endsWith('/') && parts.length > 0 ? '/' : '';
  return `/${parts.map(encoded).join('/')}${end}`;
}

function canonicalQuery(query: string): string {
  if (query === '') return '';
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      const [name, value] = at === -1 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
      return [encoded(decoded(name)), encoded(decoded(value))] as const;
    })
    .sort(([a, x], [b, y]) => compared(a, b) || compared(x, y))
    .map((pair) => pair.join('='))
    .join('&');
}

const compared = (a: string, b: string) => Number(a > b) - Number(a < b);

const encoded = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const decodedOnce = (text: string) => decoded(text.split('?', 1)[0] ?? '');

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function signature(request: string, { time, scope }: GivenSignature, secret: string): string {
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>((now, part) => createHmac('sha256', now).update(part).digest(), `AWS4${secret}`);
  return createHmac('sha256', key).update(text).digest('hex');
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const isEqual = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
const replaced = (headers: readonly Header[], wanted: string, value: string): Header[] =>
  headers.map(([name, old]): Header => [name, name.toLowerCase() === wanted ? value : old]);
