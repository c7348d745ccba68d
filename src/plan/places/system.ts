import { type Path, type PathPattern, pathOf } from './facts.ts';
import type { Operation } from './operation.ts';

/** What links of the machine's tree say, as far as they matter to a root that is built up from nothing. */
export type SystemLinks = ReadonlyMap<string, string>;

/** Folders that are links into /usr on most systems, and a file whose target tells its name. */
export const POSSIBLE_LINKS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc/localtime'] as const;

const SYSTEM_FOLDERS = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'],
] as const;

/**
 * What programs need of /etc. Never: shadow, sudoers, host keys, private keys, anything with a password in it; and no start-up files
 * of shells, which would bring back what the policy drops.
 */
const ETC_ENTRIES = [
  ...['alternatives', 'ca-certificates', 'ca-certificates.conf', 'ssl/certs', 'ssl/openssl.cnf', 'ssl/cert.pem'],
  ...['pki/ca-trust', 'pki/tls/certs', 'pki/tls/cert.pem', 'crypto-policies', 'passwd', 'group', 'nsswitch.conf'],
  ...['hosts', 'hostname', 'host.conf', 'resolv.conf', 'gai.conf', 'services', 'protocols', 'rpc', 'ld.so.cache'],
  ...['ld.so.conf', 'ld.so.conf.d', 'ld-musl-x86_64.path', 'ld-musl-aarch64.path', 'localtime', 'timezone'],
  ...['locale.alias', 'locale.conf', 'os-release', 'debian_version', 'alpine-release', 'shells', 'mime.types'],
  ...['magic', 'terminfo', 'fonts', 'static', 'inputrc', 'gitconfig', 'python3', 'perl', 'java-*-openjdk'],
  ...['ImageMagick-*', 'vim'],
] as const;

/** The machine's programs and what they need of /etc, read-only, in a root that holds nothing else. */
export function builtRoot(links: SystemLinks): Operation[] {
  const place = (text: string): Operation[] => {
    const says = links.get(text);
    if (says === undefined) return [{ kind: 'try-read', path: text as PathPattern }];
    return [{ kind: 'link', path: pathOf(text) as Path, text: says }];
  };
  return [
    { kind: 'root', from: 'empty' },
    ...SYSTEM_FOLDERS.flatMap(place),
    // Programs of other makers keep their sockets there too.
    { kind: 'cut', path: pathOf('/opt') as Path },
    ...ETC_ENTRIES.flatMap((name) => place(`/etc/${name}`)),
    { kind: 'link', path: pathOf('/etc/mtab') as Path, text: '../proc/self/mounts' },
  ];
}
