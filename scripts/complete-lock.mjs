// A registry that does not carry the packages of other platforms leaves them out of the lock file, and `npm ci` then refuses
// it everywhere. This puts them back: exact versions from their parent, platform from their name, no integrity.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

function libcOf(parts) {
  if (parts.some((part) => part.startsWith('musl'))) return { libc: ['musl'] };
  return parts.includes('linux') && parts.some((part) => part.startsWith('gnu')) ? { libc: ['glibc'] } : {};
}

function platformEntry(name, version, dev) {
  const parts = name.split('/').at(-1).split('-');
  const os = SYSTEMS.filter((system) => parts.includes(system));
  const cpu = PROCESSORS.filter((processor) => parts.includes(processor));
  if (cpu.length !== 1)
    throw new Error(`package-lock.json: ${name} is missing, and its name does not tell its platform`);
  return { version, cpu, ...(dev && { dev }), ...libcOf(parts), optional: true, ...(os.length > 0 && { os }) };
}

function complete(packages) {
  const entries = { ...packages };
  for (const { optionalDependencies = {}, dev } of Object.values(packages))
    for (const [name, version] of Object.entries(optionalDependencies))
      entries[`node_modules/${name}`] ??= platformEntry(name, version, dev);
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(file, 'utf8'));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: complete(lock.packages) }, null, 2)}\n`);
