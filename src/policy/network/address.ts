/** An address or a network, as bits: what is compared, whatever it was written as. */
export interface Network {
  readonly family: 4 | 6;
  readonly base: bigint;
  readonly bits: number;
}

const OCTET = /^(?:0|[1-9][0-9]{0,2})$/;

function octetsOf(text: string): number[] | undefined {
  const octets = text.split('.');
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet) && Number(octet) <= 255)
    ? octets.map(Number)
    : undefined;
}

/** Only the one usual spelling: `0177.1`, `0x7f000001` and the like are read as other addresses by other programs. */
export function parseAddress(text: string): Network | undefined {
  const octets = octetsOf(text);
  if (octets !== undefined)
    return { family: 4, base: octets.reduce((sum, octet) => sum * 256n + BigInt(octet), 0n), bits: 32 };
  return text.includes(':') ? parseIpv6(text) : undefined;
}

function parseIpv6(text: string): Network | undefined {
  const halves = withoutDotted(text).split('::');
  if (halves.length > 2) return undefined;
  const [left = [], right] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - left.length - (right?.length ?? 0);
  if (right === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...left, ...Array<string>(missing).fill('0'), ...(right ?? [])];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const base = groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
  return { family: 6, base, bits: 128 };
}

/** `::ffff:10.0.0.1` with its last part as groups. */
function withoutDotted(text: string): string {
  const at = text.lastIndexOf(':');
  const octets = octetsOf(text.slice(at + 1));
  if (octets === undefined) return text;
  const [a, b, c, d] = octets as [number, number, number, number];
  return `${text.slice(0, at + 1)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

export function parseNetwork(text: string): Network | undefined {
  const [address = '', bits, ...more] = text.split('/');
  const parsed = parseAddress(address);
  if (parsed === undefined || more.length > 0) return undefined;
  if (bits === undefined) return parsed;
  if (!/^(0|[1-9][0-9]{0,2})$/.test(bits) || Number(bits) > parsed.bits) return undefined;
  const network = { ...parsed, bits: Number(bits) };
  return (parsed.base & hostMask(network)) === 0n ? network : undefined;
}

const widthOf = ({ family }: Network) => (family === 4 ? 32 : 128);
const hostMask = (network: Network) => (1n << BigInt(widthOf(network) - network.bits)) - 1n;

export function contains(network: Network, address: Network): boolean {
  return network.family === address.family && (address.base & ~hostMask(network)) === network.base;
}

const MAPPED = 0xffffn << 32n;

/** An IPv4 address inside an IPv6 one is that IPv4 address: mapped, translated (NAT64) and 6to4 ones lead to it. */
export function innermost(address: Network): Network {
  const four = (base: bigint): Network => ({ family: 4, base: base & 0xffff_ffffn, bits: 32 });
  if (address.family === 4) return address;
  if (address.base >> 32n === MAPPED >> 32n || (address.base >> 32n === 0n && address.base > 1n))
    return four(address.base);
  if (address.base >> 32n === 0x64ff9bn << 64n) return four(address.base);
  if (address.base >> 112n === 0x2002n) return four(address.base >> 80n);
  return address;
}

/** Of a cloud's machines: it hands out their credentials. */
export const METADATA = 'a metadata service';

const kinds: readonly (readonly [string, readonly string[]])[] = [
  ['this machine itself (loopback)', ['127.0.0.0/8', '::1', '0.0.0.0/8', '::']],
  [METADATA, ['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254']],
  ['link-local', ['169.254.0.0/16', 'fe80::/10']],
  ['a private network', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fec0::/10']],
  ['no single host', ['224.0.0.0/4', '240.0.0.0/4', 'ff00::/8']],
  [
    'set aside',
    ['192.0.0.0/24', '192.0.2.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32'],
  ],
];
const networks = () =>
  kinds.flatMap(([kind, texts]) => texts.map((text) => ({ kind, network: parseNetwork(text) as Network })));
/** Made when the first is asked for: most launches ask for none. */
let special: ReturnType<typeof networks> | undefined;

/** What an address is when it is not one of the public internet. */
export function specialKind(address: Network): string | undefined {
  const meant = innermost(address);
  special ??= networks();
  return special.find(({ network }) => contains(network, meant))?.kind;
}

export function showAddress({ family, base }: Network): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (base >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((base >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  const longest = [...groups.join(':').matchAll(/\b0(?::0)+\b/g)].toSorted((a, b) => b[0].length - a[0].length)[0];
  if (longest === undefined) return groups.join(':');
  const text = groups.join(':');
  const before = text.slice(0, longest.index).replace(/:$/, '');
  const after = text.slice(longest.index + longest[0].length).replace(/^:/, '');
  return `${before}::${after}`;
}
