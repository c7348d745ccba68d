import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import tls from 'node:tls';
import { SignatureV4 } from '@smithy/signature-v4';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Issuer, newAuthority } from '../../src/broker/authority.ts';
import { type AwsKeys, awsKeysAmong, resigned } from '../../src/broker/aws.ts';
import type { Head, Header } from '../../src/broker/head.ts';
import { cordon, recordsOf, sceneOf } from '../network/support.ts';
import { USERS } from '../support/users.ts';
import { bundledInto } from './bundled.ts';
import { ask, frontOf, NAME as HOST, held, hostOf, listening, serverOf } from './support.ts';

const REAL = {
  id: ['AKIA', 'REALREALREALREAL'].join(''),
  secret: ['wJalr', 'XUtnFEMI/K7MDENG/bPxRfiCYREALREALREAL'].join(''),
};
const INSIDE = {
  id: ['AKIA', 'PLACEHOLDERPLACE'].join(''),
  secret: ['placeholder', 'KxL2mN8pQ4rT6vW0yZ1aB3cD5'].join('/'),
};

const one = (name: string, value: string, placeholder: string) =>
  held({ name, value, placeholder, hosts: ['*.example.test'], as: ['aws'] });
const KEYS = awsKeysAmong([
  one('AWS_ACCESS_KEY_ID', REAL.id, INSIDE.id),
  one('AWS_SECRET_ACCESS_KEY', REAL.secret, INSIDE.secret),
]) as AwsKeys;

/** As the library wants it: a hash, or with a key a MAC. */
class Sha256 {
  readonly #hash: ReturnType<typeof createHash> | ReturnType<typeof createHmac>;
  constructor(key?: string) {
    this.#hash = key === undefined ? createHash('sha256') : createHmac('sha256', key);
  }
  update(data: Uint8Array | string): void {
    this.#hash.update(data as string);
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly service: string;
}

/** The same request as AWS's own library signs it. */
async function signedBy(
  keys: typeof REAL,
  { method, path, query, headers, body, service }: Request,
  token?: string,
): Promise<Head> {
  const signer = new SignatureV4({
    credentials: {
      accessKeyId: keys.id,
      secretAccessKey: keys.secret,
      ...(token === undefined ? {} : { sessionToken: token }),
    },
    region: 'eu-central-1',
    service,
    sha256: Sha256 as never,
    uriEscapePath: service !== 's3',
    applyChecksum: service === 's3',
  });
  const signed = await signer.sign(
    {
      method,
      protocol: 'https:',
      hostname: HOST,
      path,
      query: { ...query },
      headers: { host: HOST, ...headers },
      body,
    },
    { signingDate: new Date('2026-11-16T08:00:00Z') },
  );
  const text = Object.entries(query)
    .map(([name, value]) => `${strict(name)}=${strict(value)}`)
    .join('&');
  return {
    method,
    target: text === '' ? path : `${path}?${text}`,
    headers: Object.entries(signed.headers) as Header[],
  };
}

const strict = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const authorizationOf = ({ headers }: Head) =>
  headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1].replaceAll(', ', ',');
const same = (head: Head) => head;

const SIMPLE: Request = { method: 'GET', path: '/', query: {}, headers: {}, body: '', service: 'dynamodb' };

describe('requests to AWS', () => {
  it('are signed as the published example is', () => {
    // get-vanilla of the test suite that AWS publishes for Signature Version 4.
    const id = ['AKID', 'EXAMPLE'].join('');
    const secret = ['wJalrXUtnFEMI/K7MDENG', 'bPxRfiCYEXAMPLEKEY'].join('+');
    const signature = '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31';
    const head: Head = {
      method: 'GET',
      target: '/',
      headers: [
        ['Host', 'example.amazonaws.com'],
        ['X-Amz-Date', '20150830T123600Z'],
        [
          'Authorization',
          `AWS4-HMAC-SHA256 Credential=${id}/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
        ],
      ],
    };
    const keys = {
      ...KEYS,
      id: { ...KEYS.id, placeholder: id, value: id },
      secret: { ...KEYS.secret, placeholder: secret, value: secret },
    };
    expect(authorizationOf((resigned(head, same, undefined, keys) as { head: Head }).head)).toContain(
      `Signature=${signature}`,
    );
  });

  it('are what the real key would have signed, whatever is asked for', async () => {
    const part = fc.stringMatching(/^[A-Za-z0-9 ._~%+:@!'()*,;=-]{1,12}$/);
    const request = fc.record({
      method: fc.constantFrom('GET', 'PUT', 'POST', 'DELETE'),
      path: fc.array(part, { maxLength: 4 }).map(
        (parts) =>
          `/${parts
            .filter((one) => !/^\.+$/.test(one))
            .map(strict)
            .join('/')}`,
      ),
      query: fc.dictionary(part, part, { maxKeys: 4 }).map((query) => ({ ...query })),
      headers: fc.constantFrom(
        {},
        { 'content-type': 'application/x-amz-json-1.0' },
        { 'x-amz-meta-note': 'two  words' },
      ),
      body: fc.constantFrom('', '{"a":1}', 'x'.repeat(5000)),
      service: fc.constantFrom('s3', 'dynamodb', 'lambda'),
    });
    await fc.assert(
      fc.asyncProperty(request, async (asked) => {
        const inside = await signedBy(INSIDE, asked);
        const outside = await signedBy(REAL, asked);
        const answer = resigned(inside, same, Buffer.from(asked.body), KEYS);
        expect('refused' in answer ? answer : authorizationOf(answer.head)).toBe(authorizationOf(outside));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    [
      'another key',
      async () => signedBy({ ...INSIDE, id: 'AKIAOTHER' }, SIMPLE),
      'a key that is not the one of this launch',
    ],
    [
      'another secret',
      async () => signedBy({ ...INSIDE, secret: 'other' }, SIMPLE),
      'its signature is not that of the request',
    ],
    [
      'a changed path',
      async () => ({ ...(await signedBy(INSIDE, SIMPLE)), target: '/other' }),
      'its signature is not that of the request',
    ],
    [
      'chunks that are signed each',
      async () =>
        signedBy(INSIDE, { ...SIMPLE, headers: { 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' } }),
      'cannot be signed anew',
    ],
    [
      'a session token of its own',
      async () => signedBy(INSIDE, SIMPLE, 'some-token'),
      'its session token is not the one of this launch',
    ],
    [
      'a call that hands out keys',
      async () => signedBy(INSIDE, { ...SIMPLE, service: 'sts', query: { Action: 'AssumeRole' } }),
      'hands out new credentials (AssumeRole)',
    ],
    [
      'a call without a name at a service that does',
      async () => signedBy(INSIDE, { ...SIMPLE, service: 'sts' }),
      'hands out new credentials',
    ],
  ])('with %s are refused', async (_, make, reason) => {
    expect(resigned(await make(), same, undefined, KEYS)).toMatchObject({ reason: expect.stringContaining(reason) });
  });

  it.each([
    [
      'two names',
      'ecr',
      { 'x-amz-target': 'AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken' },
      { Action: 'x' },
    ],
    ['no name that could be read', 'iam', { 'content-type': 'application/x-www-form-urlencoded' }, {}],
  ])('with %s at a service that hands out keys are refused', async (_, service, headers, query) => {
    const head = await signedBy(INSIDE, { ...SIMPLE, service, headers, query });
    expect(resigned(head, same, undefined, KEYS)).toMatchObject({ refused: 'mint' });
  });

  it.each([
    ['ec2', { Action: 'CreateKeyPair' }, 'mint'],
    ['ec2', { Action: 'DescribeInstances' }, undefined],
    ['iam', { Action: 'ResetServiceSpecificCredential' }, 'mint'],
    ['redshift', { Action: 'GetClusterCredentialsWithIAM' }, 'mint'],
    ['lightsail', { target: 'Lightsail_20161128.DownloadDefaultKeyPair' }, 'mint'],
    ['lightsail', { target: 'Lightsail_20161128.GetInstances' }, undefined],
    ['cognito-idp', { target: 'AWSCognitoIdentityProviderService.AdminInitiateAuth' }, 'mint'],
    ['cognito-idp', { target: 'AWSCognitoIdentityProviderService.ListUsers' }, undefined],
    ['ssm', { target: 'AmazonSSM.CreateActivation' }, 'mint'],
    ['ssm', { target: 'AmazonSSM.GetParameter' }, undefined],
  ] as const)('of %s: %o is %s', async (service, call, refused) => {
    const headers = 'target' in call ? { 'x-amz-target': call.target } : {};
    const query = 'Action' in call ? { Action: call.Action } : {};
    const head = await signedBy(INSIDE, { ...SIMPLE, service, headers, query });
    const answer = resigned(head, same, undefined, KEYS);
    expect('refused' in answer ? answer.refused : undefined).toBe(refused);
  });

  it('do not get past this with a body that is not read', async () => {
    const front = await frontOf(() => Promise.reject(new Error('nothing may be dialled')), {
      held: [KEYS.id, KEYS.secret],
    });
    const body = 'Action=AssumeRole&RoleArn=x';
    const query = { Action: 'GetCallerIdentity' };
    const headers = { 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') };
    const head = await signedBy(INSIDE, { ...SIMPLE, method: 'POST', service: 'sts', query, headers, body });
    const answer = await ask(front, {
      method: 'POST',
      path: head.target,
      headers: Object.fromEntries(head.headers),
      body: [body],
    });
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining('a call whose body was not read') });
  });

  it('ask who they are', async () => {
    const head = await signedBy(INSIDE, { ...SIMPLE, service: 'sts', query: { Action: 'GetCallerIdentity' } });
    expect(resigned(head, same, undefined, KEYS)).not.toHaveProperty('refused');
  });

  it('arrive at a server with the real signature, and no other', async () => {
    const seen: Record<string, unknown>[] = [];
    const port = await serverOf((req, res) => {
      seen.push({ ...req.headers, url: req.url });
      res.end(`hello ${REAL.id} ${REAL.secret}`);
    });
    const front = await frontOf(port, { held: [KEYS.id, KEYS.secret] });
    const head = await signedBy(INSIDE, { ...SIMPLE, path: '/table', service: 'dynamodb' });
    const { status, body } = await ask(front, { path: '/table', headers: Object.fromEntries(head.headers) });
    expect(status).toBe(200);
    expect(body).not.toContain(REAL.id);
    expect(body).not.toContain(REAL.secret);
    expect(String(seen[0]?.authorization).replaceAll(', ', ',')).toBe(
      authorizationOf(await signedBy(REAL, { ...SIMPLE, path: '/table', service: 'dynamodb' })),
    );
    expect(front.records).toMatchObject([
      { verdict: 'swapped', credentials: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] },
    ]);
  });
});

describe.each(USERS)('a launch with a key of AWS, as %s', (user) => {
  const NAME = 'dynamodb.eu-central-1.amazonaws.com';

  it('signs with a placeholder, and the server finds the signature of the real key', async () => {
    const authority = newAuthority([hostOf(NAME)]);
    const seen: { readonly url: string; readonly isRight: boolean; readonly text: string }[] = [];
    const server = http.createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const isRight = hasRightSignature(req, Buffer.concat(chunks));
        seen.push({ url: req.url ?? '', isRight, text: JSON.stringify(req.rawHeaders) });
        res.end(isRight ? 'verified\n' : 'wrong\n');
      });
    });
    const secure = tls.createServer({ ...new Issuer(authority).leafFor(NAME), ALPNProtocols: ['http/1.1'] }, (socket) =>
      server.emit('connection', socket),
    );
    const scene = sceneOf(user);
    const ca = join(scene.home, 'company.pem');
    writeFileSync(ca, authority.certificate);
    const curl = (more: string) =>
      `curl -sS --http1.1 --aws-sigv4 aws:amz:eu-central-1:dynamodb --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" ${more}`;
    const script = [
      curl(`https://${NAME}/tables`),
      curl(`-d '{"TableName":"x"}' -H 'Content-Type: application/x-amz-json-1.0' https://${NAME}/`),
      curl(`https://${NAME}/ --user "$AWS_ACCESS_KEY_ID:other" | grep -o 'rule: [a-z]*'`),
      `curl -sS https://${NAME}/ -H "X-Key: $AWS_SECRET_ACCESS_KEY" | grep -o 'rule: [a-z]*'`,
    ].join('\n');
    const net = ['--net', `${NAME}=127.0.0.1:${await listening(secure)}`];
    const ran = await cordon(scene, ['run', '--broker', '@aws', ...net, '--', 'sh', '-c', script], {
      AWS_ACCESS_KEY_ID: REAL.id,
      AWS_SECRET_ACCESS_KEY: REAL.secret,
      NODE_EXTRA_CA_CERTS: ca,
    });
    expect(ran.stdout.split('\n'), ran.stderr).toEqual(['verified', 'verified', 'rule: aws', 'rule: place', '']);
    expect(seen.map(({ url, isRight }) => ({ url, isRight }))).toEqual([
      { url: '/tables', isRight: true },
      { url: '/', isRight: true },
    ]);
    expect(JSON.stringify(seen) + ran.stdout + JSON.stringify(recordsOf(scene))).not.toContain(REAL.secret);
  });

  it("is what AWS's own library signs with, and the server finds the signature of the real key", async () => {
    const name = 'sts.eu-central-1.amazonaws.com';
    const authority = newAuthority([hostOf(name)]);
    const seen: string[] = [];
    const server = http.createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const body = Buffer.concat(chunks);
        seen.push(`${/Action=(\w+)/.exec(body.toString())?.[1]} ${hasRightSignature(req, body)}`);
        res.writeHead(200, { 'content-type': 'text/xml' });
        res.end(IDENTITY);
      });
    });
    const secure = tls.createServer({ ...new Issuer(authority).leafFor(name), ALPNProtocols: ['http/1.1'] }, (socket) =>
      server.emit('connection', socket),
    );
    const scene = sceneOf(user);
    const ca = join(scene.home, 'company.pem');
    writeFileSync(ca, authority.certificate);
    const program = await bundledInto(scene.home, 'client-of-aws.mjs');
    const said = ['--net', `${name}=127.0.0.1:${await listening(secure)}`, '--read', program];
    const ran = await cordon(scene, ['run', '--broker', '@aws', ...said, '--', 'node', program], {
      AWS_ACCESS_KEY_ID: REAL.id,
      AWS_SECRET_ACCESS_KEY: REAL.secret,
      NODE_EXTRA_CA_CERTS: ca,
    });
    expect(ran.stdout, ran.stderr).toBe('123456789012 arn:aws:iam::123456789012:user/one\n');
    expect(seen).toEqual(['GetCallerIdentity true']);
  });
});

const IDENTITY = `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
<Arn>arn:aws:iam::123456789012:user/one</Arn><UserId>one</UserId><Account>123456789012</Account>
</GetCallerIdentityResult></GetCallerIdentityResponse>`;

/** What AWS does: signs what it got with the key that it knows, by its own words and not by the broker's code. */
function hasRightSignature(req: http.IncomingMessage, body: Buffer): boolean {
  const given =
    /Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})/.exec(
      req.headers.authorization ?? '',
    );
  if (given === null || given[1] !== REAL.id) return false;
  const [, , day = '', region = '', service = '', names = '', signature] = given;
  const hash = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
  const mac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
  const headers = names.split(';').map((name) => `${name}:${String(req.headers[name]).trim().replace(/ +/g, ' ')}\n`);
  const asked = [req.method, req.url, '', headers.join(''), names, hash(body)].join('\n');
  const text = [
    'AWS4-HMAC-SHA256',
    req.headers['x-amz-date'],
    `${day}/${region}/${service}/aws4_request`,
    hash(asked),
  ].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(mac, `AWS4${REAL.secret}`);
  return mac(key, text).toString('hex') === signature;
}
