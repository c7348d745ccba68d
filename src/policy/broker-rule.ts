import {
  type BrokerHost,
  type BrokerPlace,
  type BrokerRule,
  coversName,
  type MintRule,
  type Parsed,
  parseBrokerHost,
  parseBrokerPlace,
  parseMethod,
  parsePath,
  type TokenShape,
} from './broker.ts';
import { LOG_INS, type LogIn, type LogInName, type LogInToken, logInOf } from './log-ins.ts';
import { didYouMean } from './profile/shape.ts';
import { SERVICES, type Service } from './services.ts';

/** What people write: `for`, `as`, `methods`, `paths`. Nothing said about `as` means the Authorization header, or what the service wants. */
export interface BrokerTexts {
  readonly for: readonly string[];
  readonly as: readonly string[];
  readonly methods: readonly string[];
  readonly paths: readonly string[];
}

export interface BrokerProblem {
  readonly key: keyof BrokerTexts;
  readonly at: number;
  readonly problem: string;
  readonly hint?: string | undefined;
}

/** One way from texts to a rule, for flags, profiles and tables alike. `@SERVICE` stands for its hosts and places. */
export function brokerRule(texts: BrokerTexts): BrokerRule | readonly BrokerProblem[] {
  const problems: BrokerProblem[] = [];
  const each = <T>(key: keyof BrokerTexts, read: (text: string) => Parsed<T>): T[] =>
    texts[key].flatMap((text, at) => {
      const parsed = read(text);
      if ('value' in parsed) return [parsed.value];
      problems.push({ key, at, problem: parsed.problem, hint: parsed.hint });
      return [];
    });
  const hosts = each('for', hostsNamed).flat();
  const places = each('as', parseBrokerPlace);
  const services = texts.for.flatMap((text) => serviceNamed(text) ?? []);
  const known = services.flatMap((service) => service.places).map((text) => ours(parseBrokerPlace(text)));
  const rule: BrokerRule = {
    hosts,
    places: [places, known, [usualPlace(hosts)]].find((some) => some.length > 0) as readonly BrokerPlace[],
    methods: each('methods', parseMethod),
    paths: each('paths', parsePath),
  };
  if (problems.length > 0) return problems;
  return hosts.length > 0
    ? rule
    : [
        {
          key: 'for',
          at: 0,
          problem: 'no host is named',
          hint: 'name the hosts that may have it: for: ["api.example.com"]',
        },
      ];
}

const POSTGRES_PORT = 5432;

/** What is meant where nothing is said: the port of PostgreSQL tells enough. */
const usualPlace = (hosts: readonly BrokerHost[]): BrokerPlace =>
  hosts.length > 0 && hosts.every(({ port }) => port === POSTGRES_PORT)
    ? { kind: 'postgres', secure: true }
    : { kind: 'authorization' };

const serviceNames = Object.keys(SERVICES).map((name) => `@${name}`);

export function serviceNamed(text: string): Service | undefined {
  const name = text.slice(1);
  return text.startsWith('@') && Object.hasOwn(SERVICES, name) ? SERVICES[name] : undefined;
}

function hostsNamed(text: string): Parsed<readonly BrokerHost[]> {
  const service = serviceNamed(text);
  if (service !== undefined) return { value: service.hosts.map((host) => ours(parseBrokerHost(host))) };
  if (text.startsWith('@'))
    return {
      problem: `'${text}' is not a service that Cordon knows`,
      hint: didYouMean(text, serviceNames) ?? 'name its hosts: any service can be brokered',
    };
  const parsed = parseBrokerHost(text);
  return 'value' in parsed ? { value: [parsed.value] } : parsed;
}

/** For what is written in this program. */
function ours<T>(parsed: Parsed<T>): T {
  if ('problem' in parsed) throw new TypeError(parsed.problem);
  return parsed.value;
}

/** The service whose programs read a key from this variable. */
export function serviceOfVariable(name: string): string | undefined {
  return Object.entries(SERVICES).find(([, { variables }]) => variables.includes(name))?.[0];
}

/** Addresses that hand out credentials, of every service that one of these rules sends something to, and of these log-ins. */
export function mintsFor(rules: readonly BrokerRule[], logIns: readonly LogInName[] = []): MintRule[] {
  const used = servicesOf(rules, logIns);
  const isUsed = ({ service }: LogIn) => used.some(([name]) => name === service);
  const agents = (Object.keys(LOG_INS) as LogInName[]).filter((name) => logIns.includes(name) || isUsed(logInOf(name)));
  return [...agents.flatMap(mintsOfLogIn), ...used.flatMap(([, service]) => mintsOfService(service))];
}

function servicesOf(rules: readonly BrokerRule[], logIns: readonly LogInName[]): [string, Service][] {
  const names = rules.flatMap(({ hosts }) => hosts);
  const ofLogIns: readonly string[] = logIns.map((name) => logInOf(name).service);
  return Object.entries(SERVICES).filter(
    ([name, service]) =>
      ofLogIns.includes(name) ||
      service.hosts.some((host) => names.some((one) => coversName(one, host) || one.name === host)),
  );
}

/** What a token looks like that a service answers with at an address that nobody listed. */
export function shapesFor(rules: readonly BrokerRule[], logIns: readonly LogInName[] = []): TokenShape[] {
  return servicesOf(rules, logIns).flatMap(([, { hosts, tokens }]) =>
    tokens === undefined ? [] : hosts.map((host) => ({ host: ours(parseBrokerHost(host)), token: tokens })),
  );
}

function mintsOfLogIn(agent: LogInName): MintRule[] {
  const { hosts, path } = logInOf(agent);
  return hosts.map((host) => ({
    about: `a log-in of ${agent}`,
    host: ours(parseBrokerHost(host)),
    methods: ['POST'],
    path,
    fields: [],
    logIn: agent,
  }));
}

/** Where a token of a log-in may go. One that renews the others goes to the address for that alone. */
export function tokenRule(agent: LogInName, { for: hosts, as, paths, field }: LogInToken): BrokerRule {
  const renews = field === 'refresh_token';
  return {
    hosts: hosts.map((host) => ours(parseBrokerHost(host))),
    places: as.map((place) => ours(parseBrokerPlace(place))),
    methods: renews ? ['POST'] : [],
    paths: renews ? [logInOf(agent).path] : (paths ?? []),
  };
}

function mintsOfService({ mints = [] }: Service): MintRule[] {
  return mints.map(({ about, host, methods = ['POST'], path, fields = [], hosts }) => ({
    about,
    host: ours(parseBrokerHost(host)),
    methods,
    path,
    fields,
    ...(hosts === undefined
      ? {}
      : {
          rule: {
            hosts: hosts.map((one) => ours(parseBrokerHost(one))),
            places: [usualPlace([])],
            methods: [],
            paths: [],
          },
        }),
  }));
}
