import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  innermost,
  parseAddress,
  parseNetwork,
  showAddress,
  specialKind,
} from '../../../src/policy/network/address.ts';
import {
  type HostRule,
  hostName,
  type NetworkPolicy,
  parseHost,
  verdictOn,
} from '../../../src/policy/network/rules.ts';
import { HOST_SETS, hostsOfSet } from '../../../src/policy/network/sets.ts';

const rules = (...texts: string[]): HostRule[] =>
  texts.flatMap((text) => {
    const parsed = parseHost(text, 'here');
    if ('problem' in parsed) throw new Error(parsed.problem);
    return parsed.rules;
  });
const named = (allow: string[], deny: string[] = []): NetworkPolicy => ({
  mode: 'names',
  allow: rules(...allow),
  deny: rules(...deny),
});
const allows = (policy: NetworkPolicy, host: string, port = 443) => verdictOn(policy, host, port).allowed;

describe('what a list of hosts can have in it', () => {
  it.each([
    ['example.com', { kind: 'name', name: 'example.com' }],
    ['Example.COM.', { kind: 'name', name: 'example.com' }],
    ['bücher.example', { kind: 'name', name: 'xn--bcher-kva.example' }],
    ['my_bucket.example.com', { kind: 'name', name: 'my_bucket.example.com' }],
    ['*.example.com', { kind: 'below', name: 'example.com' }],
    ['example.com:5432', { kind: 'name', name: 'example.com', port: 5432 }],
    ['10.0.0.0/8', { kind: 'network' }],
    ['10.1.2.3:22', { kind: 'network', port: 22 }],
    ['2001:db8::1', { kind: 'network' }],
    ['[2001:db8::1]:443', { kind: 'network', port: 443 }],
    ['@host:5432', { kind: 'loopback', port: 5432 }],
    ['@own', { kind: 'own' }],
    ['*', { kind: 'any' }],
    ['db:5432=127.0.0.1:15432', { kind: 'name', name: 'db', port: 5432, pin: { address: '127.0.0.1', port: 15_432 } }],
    ['api.example.com=[::1]:8443', { kind: 'name', pin: { address: '::1', port: 8443 } }],
  ])('%s', (text, rule) => {
    expect(rules(text)).toMatchObject([rule]);
  });

  it.each([
    ['', 'no name'],
    ['exa mple.com', 'not the name of a host'],
    ['-x.example', 'not the name of a host'],
    ['a..b', 'not the name of a host'],
    [`${'a'.repeat(64)}.example`, 'not the name of a host'],
    [`${'a.'.repeat(150)}example`, '253'],
    ['www.*.com', '*'],
    ['example.com?é', 'not the name of a host'],
    ['example.com#é', 'not the name of a host'],
    ['ex%61mple.com\u200bé', 'not the name of a host'],
    ['example.com\u00a0', 'not the name of a host'],
    ['*example.com', '*'],
    ['127.1', 'another spelling'],
    ['0177.0.0.1', 'another spelling'],
    ['0x7f000001', 'another spelling'],
    ['2130706433', 'another spelling'],
    ['1.2.3.4.5', 'another spelling'],
    ['010.0.0.1', 'another spelling'],
    ['10.0.0.1/8', 'not the name of a host'],
    ['::ffff:10.0.0.1', 'IPv4 address in an IPv6'],
    ['localhost', 'own loopback'],
    ['x.localhost:80', 'own loopback'],
    ['example.com:0', 'no valid port'],
    ['example.com:65536', 'no valid port'],
    ['example.com:http', 'no valid port'],
    ['example.com=there.example', 'not an address'],
    ['a=1.2.3.4=5.6.7.8', 'more than one'],
    ['@host', 'names no port'],
    ['@host:0', 'names no port'],
    ['@npmm', 'not a set'],
    ['https://example.com', 'is a URL, not a host'],
  ])('%s is refused', (text, problem) => {
    const parsed = parseHost(text, 'here');
    expect('problem' in parsed ? parsed.problem : parsed).toContain(problem);
  });

  it('a set is its hosts, each of which says where it came from', () => {
    for (const name of Object.keys(HOST_SETS)) expect(rules(`@${name}`)).toHaveLength(hostsOfSet(name)?.length ?? -1);
    expect(rules('@github').every(({ set }) => set === '@github')).toBe(true);
    for (const { source } of Object.values(HOST_SETS)) expect(source).toMatch(/^https:\/\//);
  });
});

describe('what a list lets through', () => {
  it('a name is that name, at the ports of the web', () => {
    const policy = named(['example.com']);
    expect([allows(policy, 'example.com'), allows(policy, 'example.com', 80)]).toEqual([true, true]);
    for (const other of ['www.example.com', 'notexample.com', 'example.com.evil.test', 'example.co'])
      expect(allows(policy, other)).toBe(false);
    expect(allows(policy, 'example.com', 22)).toBe(false);
  });

  it('a star is what lies below, at any depth, and not the name itself', () => {
    const policy = named(['*.example.com']);
    expect(['a.example.com', 'b.a.example.com'].map((host) => allows(policy, host))).toEqual([true, true]);
    expect(['example.com', 'aexample.com'].map((host) => allows(policy, host))).toEqual([false, false]);
  });

  it('a name says nothing about addresses, and the other way round', () => {
    expect(allows(named(['*']), '10.0.0.1')).toBe(false);
    expect(allows(named(['10.0.0.0/8']), '10.0.0.1')).toBe(true);
    expect(allows(named(['10.0.0.0/8']), '::ffff:10.0.0.1')).toBe(true);
    expect(allows(named(['10.0.0.0/8']), '11.0.0.1')).toBe(false);
  });

  it('what is denied stays so, whatever the port and the list', () => {
    const policy = named(['*.example.com', 'evil.example.com'], ['evil.example.com']);
    expect(verdictOn(policy, 'evil.example.com', 443)).toMatchObject({
      allowed: false,
      rule: { text: 'evil.example.com' },
    });
    expect(verdictOn({ ...policy, mode: 'learn' }, 'evil.example.com', 8080).allowed).toBe(false);
  });

  it('the narrowest rule counts, so that a pin is followed', () => {
    const policy = named(['*', '*.example.com', 'api.example.com=127.0.0.1:8080', 'api.example.com:8443=127.0.0.2']);
    expect(verdictOn(policy, 'api.example.com', 443).rule?.text).toBe('api.example.com=127.0.0.1:8080');
    expect(verdictOn(policy, 'api.example.com', 8443).rule?.text).toBe('api.example.com:8443=127.0.0.2');
    expect(verdictOn(policy, 'www.example.com', 443).rule?.text).toBe('*.example.com');
  });
});

describe('addresses', () => {
  it('mean what they lead to, however they are wrapped', () => {
    const kinds = Object.entries({
      '127.0.0.1': 'loopback',
      '::1': 'loopback',
      '::ffff:127.0.0.1': 'loopback',
      '64:ff9b::a00:1': 'private',
      '2002:a00:1::': 'private',
      '::7f00:1': 'loopback',
      '0.0.0.0': 'loopback',
      '169.254.169.254': 'metadata',
      '169.254.1.1': 'link-local',
      'fd00:ec2::254': 'metadata',
      'fd00::1': 'private',
      'fe80::1': 'link-local',
      '192.168.1.1': 'private',
      '100.64.0.1': 'private',
      '224.0.0.1': 'no single host',
    });
    for (const [text, kind] of kinds) expect(specialKind(parseAddress(text) as never), text).toContain(kind);
    for (const text of ['1.1.1.1', '2606:4700::1111', '172.15.0.1', '172.32.0.1'])
      expect(specialKind(parseAddress(text) as never), text).toBeUndefined();
  });

  it('are shown as they are read', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = parseAddress(text);
        expect(address).toBeDefined();
        if (address !== undefined) expect(parseAddress(showAddress(address))).toEqual(address);
      }),
    );
  });

  it('no text breaks a reader', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...':/.0123456789abcdefx[]@*=') })),
        (text) => {
          parseHost(text, 'here');
          hostName(text);
          const network = parseNetwork(text);
          if (network !== undefined) innermost(network);
        },
      ),
    );
  });
});

describe('what is no name', () => {
  it.each([
    '2a0e:1::2%a.example.com',
    '::ffff:11.0.0.2%a.example.com',
    'evil.test:443 http/1.1\r\nx: a.example.com',
    'evil.test/.example.com',
    'evil test.example.com',
    '.example.com',
    'a..example.com',
  ])('%j is covered by no rule for names', (host) => {
    for (const policy of [named(['*.example.com']), named(['*'])]) expect(allows(policy, host)).toBe(false);
  });
});
