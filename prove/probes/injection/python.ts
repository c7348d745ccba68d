import type { Probe } from '../../probe.ts';
import { type Steered, steered } from './steered.ts';

const PYTHON = 'https://docs.python.org/3/using/cmdline.html#environment-variables';

/** The folder has the version of Python in its name. */
const forEachPython = (path: string, text: string) =>
  Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`lib/python3.${index + 6}/${path}`, text]));

const LINES: readonly Steered[] = [
  {
    name: 'pythonstartup',
    variables: ({ at }) => ({ PYTHONSTARTUP: `${at}/startup.py` }),
    files: ({ python }) => ({ 'startup.py': python }),
    needs: ['python3'],
    victim: 'python3 -i',
    into: 'every interactive Python',
    reference: PYTHON,
  },
  {
    name: 'pythonpath',
    variables: ({ at }) => ({ PYTHONPATH: `${at}/modules` }),
    files: ({ python }) => ({ 'modules/sitecustomize.py': python }),
    needs: ['python3'],
    victim: 'python3 -c 0',
    into: 'every Python program',
    reference: PYTHON,
  },
  {
    name: 'pythonuserbase',
    variables: ({ at }) => ({ PYTHONUSERBASE: at }),
    files: ({ python }) => forEachPython('site-packages/usercustomize.py', python),
    needs: ['python3'],
    victim: 'python3 -c 0',
    into: 'every Python program',
    reference: PYTHON,
  },
  {
    name: 'pythonhome',
    variables: ({ at }) => ({ PYTHONHOME: at }),
    files: ({ python }) => forEachPython('encodings/__init__.py', python),
    needs: ['python3'],
    victim: 'python3 -c 0',
    into: 'every Python program',
    reference: PYTHON,
  },
  {
    name: 'pythonbreakpoint',
    variables: () => ({ PYTHONBREAKPOINT: 'debugging.start' }),
    files: ({ python }) => ({ 'debugging.py': `def start(): ${python}\n` }),
    needs: ['python3'],
    victim: "python3 -c 'breakpoint()'",
    into: 'Python programs that call breakpoint()',
    reference: PYTHON,
  },
  {
    name: 'pythonwarnings',
    variables: ({ program }) => ({ PYTHONWARNINGS: 'all:0:antigravity.x:0:0', BROWSER: `${program} %s` }),
    needs: ['python3'],
    victim: 'python3 -c 0',
    into: 'every Python program',
    reference: 'https://www.elttam.com/blog/env/',
  },
];

export const PYTHON_VARIABLES: readonly Probe[] = LINES.map(steered);
