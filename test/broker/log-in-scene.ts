import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { dirname, join } from 'node:path';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import { Issuer, newAuthority } from '../../src/broker/authority.ts';
import { LOG_INS, type LogInName, logInOf } from '../../src/policy/log-ins.ts';
import { type Scene, sceneOf } from '../network/support.ts';
import { cordonProgram } from '../support/cordon.ts';
import { openCopy } from '../support/project.ts';
import { identityOf, type User } from '../support/users.ts';
import { hostOf, listening } from './support.ts';

/** Every host that a log-in is for or is renewed at: each leads to the server of this test, which stands in for the vendor's. */
export const HOSTS = [
  ...new Set(Object.values(LOG_INS).flatMap(({ hosts, tokens }) => [...hosts, ...tokens.flatMap((one) => one.for)])),
];
export const AUTHORITY = newAuthority(HOSTS.map(hostOf));
const issuer = new Issuer(AUTHORITY);

const part = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url');

/** Signed by nobody, but long and in three parts as real ones are. Only the first is too old. */
const signed = (kind: string, number: number) => {
  const claims = {
    exp: number === 0 ? 1_600_000_000 : 4_102_444_800,
    mark: `${kind}${number}`,
    'https://api.openai.com/auth': { chatgpt_account_id: 'acc-1' },
  };
  return `${part({ alg: 'RS256' })}.${part(claims)}.${`${kind}${number}Sig`.padEnd(342, 'Zq7')}`;
};

/** Tokens in the forms of each vendor; the number says which renewal they are of. */
export const TOKENS: Readonly<Record<LogInName, (number: number) => Readonly<Record<string, string>>>> = {
  claude: (number) => ({
    access_token: ['sk-ant', 'oat01', `real${number}`.padEnd(80, 'Ac')].join('-'),
    refresh_token: ['sk-ant', 'ort01', `real${number}`.padEnd(80, 'Re')].join('-'),
  }),
  codex: (number) => ({
    access_token: signed('access', number),
    refresh_token: `rt_real${number}`.padEnd(60, 'xY'),
    id_token: signed('id', number),
  }),
  gemini: (number) => ({
    access_token: ['ya29', `a0real${number}`.padEnd(180, 'Gm')].join('.'),
    refresh_token: ['1/', `0${number}real`.padEnd(100, 'Rf')].join('/'),
    id_token: signed('google', number),
  }),
};

export const FILES: Readonly<Record<LogInName, string>> = {
  claude: '.claude/.credentials.json',
  codex: '.codex/auth.json',
  gemini: '.gemini/oauth_creds.json',
};

/** What an agent has in its file, with what is none of the command's business. */
export function fileOf(agent: LogInName, number: number): object {
  const { access_token, refresh_token, id_token } = TOKENS[agent](number);
  const aside = { mcpOAuth: { server: { accessToken: 'token-of-another-service' } } };
  if (agent === 'claude')
    return {
      claudeAiOauth: {
        accessToken: access_token,
        refreshToken: refresh_token,
        expiresAt: 1_700_000_000_000,
        scopes: ['user:inference', 'user:profile'],
        subscriptionType: 'max',
      },
      ...aside,
    };
  if (agent === 'codex')
    return {
      OPENAI_API_KEY: null,
      tokens: { id_token, access_token, refresh_token, account_id: 'acc-0' },
      last_refresh: '2020-01-01T00:00:00Z',
      personal_access_token: 'token-of-another-service',
    };
  return { access_token, refresh_token, id_token, scope: 'openid', token_type: 'Bearer', expiry_date: 1.5e12 };
}

export interface Seen {
  readonly host: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

export interface Vendor {
  readonly port: number;
  readonly seen: Seen[];
  /** Every request with a token that was replaced, which real servers answer with the end of the log-in. */
  readonly reused: string[];
  /** Which renewal counts now. */
  readonly number: () => number;
}

type Answering = (res: http.ServerResponse, tokens: object, body: string) => void;

const answerPlainly: Answering = (res, tokens) => {
  res.setHeader('content-type', 'application/json');
  res.end(JSON.stringify({ token_type: 'Bearer', expires_in: 28_800, scope: 'user:inference', ...tokens }));
};

/** Hands out tokens as the vendor does, each good for one renewal, and takes requests with them. */
export async function vendorOf(agent: LogInName, answering: Answering = answerPlainly): Promise<Vendor> {
  let number = 0;
  const seen: Seen[] = [];
  const reused: string[] = [];
  const server = http.createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    req.once('end', () => {
      const { host = '', authorization } = req.headers;
      seen.push({ host, path: req.url ?? '', authorization, body });
      if (req.url !== logInOf(agent).path) return void res.end(`hello ${authorization}\n`);
      const said = body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
      const isRenewal = said.grant_type === 'refresh_token';
      if (isRenewal && said.refresh_token !== TOKENS[agent](number).refresh_token) {
        reused.push(said.refresh_token);
        return void res.writeHead(400).end(JSON.stringify({ error: 'invalid_grant', was: said.refresh_token }));
      }
      answering(res, TOKENS[agent](++number), body);
    });
  });
  const secure = tls.createServer(
    {
      SNICallback: (name, done) => done(null, tls.createSecureContext(issuer.leafFor(name))),
      ALPNProtocols: ['http/1.1'],
    },
    (socket) => {
      socket.on('error', () => undefined);
      server.emit('connection', socket);
    },
  );
  return { port: await listening(secure), seen, reused, number: () => number };
}

export interface LogInScene extends Scene {
  readonly agent: LogInName;
  readonly file: string;
  /** For `cordon`: the program of the agent is a script, and names lead to the vendor's stand-in. */
  readonly args: (vendor: Vendor, ...more: readonly string[]) => string[];
  readonly net: (vendor: Vendor) => string[];
  readonly env: Record<string, string>;
}

/** A home with a log-in and a program that goes by the agent's name. */
export function logInScene(user: User, agent: LogInName, program: string): LogInScene {
  const scene = sceneOf(user);
  const { uid, gid } = identityOf(user);
  const put = (path: string, text: string, mode: number) => {
    const at = join(scene.home, path);
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, text, { mode });
    for (const one of [dirname(at), at]) chownSync(one, uid, gid);
    return at;
  };
  const indent = agent === 'claude' ? undefined : 2;
  const file = put(FILES[agent], JSON.stringify(fileOf(agent, 0), null, indent), 0o600);
  put(`bin/${agent}`, program, 0o755);
  const ca = put('company.pem', AUTHORITY.certificate, 0o644);
  const net = ({ port }: Vendor) => HOSTS.flatMap((host) => ['--net', `${host}=127.0.0.1:${port}`]);
  return {
    ...scene,
    agent,
    file,
    net,
    args: (vendor, ...more) => ['run', '--agent', agent, '--broker', ...net(vendor), ...more, '--', agent],
    env: { PATH: `${scene.home}/bin:/usr/local/bin:/usr/bin:/bin`, NODE_EXTRA_CA_CERTS: ca },
  };
}

export const fileNow = ({ file }: LogInScene) => JSON.parse(readFileSync(file, 'utf8'));

/** Everything that may be nowhere inside. */
export const realTokens = (agent: LogInName) =>
  [0, 1, 2, 3].flatMap((number) => Object.values(TOKENS[agent](number)).map((token) => token.split('.').at(-1) ?? ''));

export const AGENTS: readonly LogInName[] = ['claude', 'codex', 'gemini'];
const AGENT = readFileSync(fileURLToPath(new URL('agent-with-log-in.mjs', import.meta.url)), 'utf8');

/** The program of an agent: a script around the stand-in, whose text it has in itself. */
export const program = (agent: LogInName, ...words: string[]) =>
  `#!/bin/sh
cat >/tmp/agent.mjs <<'END'
${AGENT}
END
exec node /tmp/agent.mjs "$HOME/${FILES[agent]}" ${agent} ${words.map((word) => `'${word}'`).join(' ')}
`;

export const saidBy = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

export const tokensNow = (scene: LogInScene) => {
  const all = fileNow(scene);
  const {
    accessToken,
    refreshToken,
    access_token = accessToken,
    refresh_token = refreshToken,
  } = all.claudeAiOauth ?? all.tokens ?? all;
  return { access_token, refresh_token };
};

/** What a terminal shows of a launch at which somebody answers the question about a log-in by typing this. */
export async function shownAtTerminal(scene: LogInScene, vendor: Vendor, typed: string): Promise<string> {
  const script = openCopy(fileURLToPath(new URL('type-at-terminal.py', import.meta.url)));
  const child = spawn('python3', [script, typed, cordonProgram(), ...scene.args(vendor)], {
    ...identityOf('cordon-test'),
    cwd: scene.home,
    env: { HOME: scene.home, ...scene.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  await new Promise((resolve) => child.once('close', resolve));
  return shown;
}
