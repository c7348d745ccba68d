import type { Probe } from '../../probe.ts';
import { type Steered, steered } from './steered.ts';

const MAKE = 'https://www.gnu.org/software/make/manual/html_node/MAKEFILES-Variable.html';
const GCC = 'https://gcc.gnu.org/onlinedocs/gcc/Environment-Variables.html';
const VIM = 'https://vimhelp.org/starting.txt.html#initialization';

const LINES: readonly Steered[] = [
  {
    name: 'lessopen',
    variables: ({ program }) => ({ LESSOPEN: `|${program} %s` }),
    needs: ['less'],
    victim: 'less program',
    into: 'every pager',
    reference: 'https://man7.org/linux/man-pages/man1/less.1.html',
  },
  {
    name: 'tar-options',
    variables: ({ program }) => ({ TAR_OPTIONS: `--checkpoint=1 --checkpoint-action=exec=${program}` }),
    needs: ['tar'],
    victim: 'tar cf archive program',
    into: 'every tar',
    reference: 'https://www.gnu.org/software/tar/manual/html_node/using-tar-options.html',
  },
  {
    name: 'makefiles',
    variables: ({ at }) => ({ MAKEFILES: `${at}/more.mk` }),
    files: ({ program }) => ({ 'more.mk': `planted := $(shell ${program})\n`, Makefile: 'all:\n' }),
    needs: ['make'],
    victim: 'make',
    into: 'every make',
    reference: MAKE,
  },
  {
    name: 'makeflags',
    variables: ({ program }) => ({ MAKEFLAGS: `--eval=planted:=$$(shell\\ ${program})` }),
    files: () => ({ Makefile: 'all:\n' }),
    needs: ['make'],
    victim: 'make',
    into: 'every make',
    reference: 'https://www.gnu.org/software/make/manual/html_node/Options_002fRecursion.html',
  },
  {
    name: 'compiler-path',
    variables: ({ at }) => ({ COMPILER_PATH: at }),
    files: ({ shell }) => ({ cc1: `#!/bin/sh\n${shell}\n`, 'source.c': 'int x;\n' }),
    needs: ['gcc'],
    victim: 'gcc -c source.c',
    into: 'every run of the compiler',
    reference: GCC,
  },
  {
    name: 'gcc-exec-prefix',
    variables: ({ at }) => ({ GCC_EXEC_PREFIX: `${at}/` }),
    files: ({ shell }) => ({ cc1: `#!/bin/sh\n${shell}\n`, 'source.c': 'int x;\n' }),
    needs: ['gcc'],
    victim: 'gcc -c source.c',
    into: 'every run of the compiler',
    reference: GCC,
  },
  {
    name: 'viminit',
    variables: ({ program }) => ({ VIMINIT: `call system('${program}')` }),
    needs: ['vim'],
    victim: 'vim --not-a-term -T dumb +q',
    into: 'every vim',
    reference: VIM,
  },
  {
    name: 'exinit',
    variables: ({ program }) => ({ EXINIT: `call system('${program}')` }),
    needs: ['vim'],
    victim: 'vim --not-a-term -T dumb +q',
    into: 'every vi and vim',
    reference: VIM,
  },
];

/** Not code, but as good: the keys of the connections of all programs. */
const KEY_LOG: Probe = {
  id: 'injection/sslkeylogfile',
  title: 'SSLKEYLOGFILE: keys of encrypted connections, written to a file',
  gives: 'the content of every TLS connection that is recorded, tokens included',
  planted: "SSLKEYLOGFILE in the caller's environment",
  tried: 'preparing a TLS connection in Python and looking for the file',
  reference: 'https://datatracker.ietf.org/doc/draft-ietf-tls-keylogfile/',
  promise: 'environment',
  env: ({ work }) => ({ SSLKEYLOGFILE: `${work}/keys` }),
  trial: ({ work }) => ({
    sh: `python3 -c 'import ssl; ssl.create_default_context()'; test -e ${work}/keys && echo LEAKED`,
  }),
};

export const TOOLS: readonly Probe[] = [...LINES.map(steered), KEY_LOG];
