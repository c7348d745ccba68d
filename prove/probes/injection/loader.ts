import type { Probe } from '../../probe.ts';
import { libraryLacking } from './library.ts';
import { type Steered, steered } from './steered.ts';

const LOADER = 'https://man7.org/linux/man-pages/man8/ld.so.8.html';
const OPENSSL = 'https://docs.openssl.org/3.0/man7/openssl-env/';

const LINES: readonly Steered[] = [
  {
    name: 'ld-preload',
    variables: ({ library }) => ({ LD_PRELOAD: library }),
    needs: ['cat'],
    victim: 'cat /dev/null',
    into: 'every program',
    reference: 'https://attack.mitre.org/techniques/T1574/006/',
  },
  {
    name: 'ld-audit',
    variables: ({ library }) => ({ LD_AUDIT: library }),
    needs: ['cat'],
    victim: 'cat /dev/null',
    into: 'every program',
    reference: 'https://man7.org/linux/man-pages/man7/rtld-audit.7.html',
  },
  {
    name: 'ld-library-path',
    variables: ({ at }) => ({ LD_LIBRARY_PATH: at }),
    libraries: ['libbz2.so.1.0'],
    needs: ['python3'],
    victim: `python3 -c 'import ctypes; ctypes.CDLL("libbz2.so.1.0")'`,
    into: 'every program that uses a library of that name',
    reference: LOADER,
  },
  {
    name: 'gconv-path',
    variables: ({ at }) => ({ GCONV_PATH: at }),
    files: () => ({ 'gconv-modules': 'module PLANTED// INTERNAL library 1\n' }),
    needs: ['iconv'],
    victim: 'iconv -f PLANTED -t UTF-8 /dev/null',
    into: 'programs that convert texts',
    reference: 'https://sourceware.org/glibc/manual/latest/html_node/glibc-iconv-Implementation.html',
  },
  {
    name: 'openssl-conf',
    variables: ({ at }) => ({ OPENSSL_CONF: `${at}/openssl.cnf` }),
    files: ({ library }) => ({
      'openssl.cnf': `openssl_conf = all\n[all]\nproviders = some\n[some]\nplanted = one\n[one]\nmodule = ${library}\nactivate = 1\n`,
    }),
    needs: ['openssl'],
    victim: 'openssl rand -hex 1',
    into: 'programs that use OpenSSL',
    reference: OPENSSL,
  },
  {
    name: 'openssl-modules',
    variables: ({ at }) => ({ OPENSSL_MODULES: at }),
    libraries: ['legacy.so'],
    needs: ['openssl'],
    victim: 'openssl rand -provider legacy -hex 1',
    into: 'programs that load a module of OpenSSL',
    reference: OPENSSL,
  },
  {
    name: 'java-tool-options',
    variables: ({ library }) => ({ JAVA_TOOL_OPTIONS: `-agentpath:${library}` }),
    needs: ['java'],
    victim: 'java -version',
    into: 'every Java program',
    reference: 'https://docs.oracle.com/en/java/javase/17/docs/specs/jvmti.html#tooloptions',
  },
  {
    name: 'jdk-java-options',
    variables: ({ library }) => ({ JDK_JAVA_OPTIONS: `-agentpath:${library}` }),
    needs: ['java'],
    victim: 'java -version',
    into: 'every Java program',
    reference: 'https://docs.oracle.com/en/java/javase/17/docs/specs/man/java.html',
  },
];

const loaded = (line: Steered): Probe => steered({ ...line, inapplicable: libraryLacking });

/** Variables that make a program load a shared library. */
export const LIBRARIES: readonly Probe[] = LINES.map(loaded);
