// What commands do once they are started: the same inside and outside in turn, and from each side its launch taken off.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EVERYDAY, guardedShim, HOME, livedInHome, PROJECT, put, REGISTRY } from '../home.mjs';
import { folder, interleaved } from '../interleave.mjs';
import { offlineProject } from './npm.mjs';

const cordon = fileURLToPath(new URL('../../dist/bin/cordon', import.meta.url));

/** Modules that name each other, with enough types that the compiler has something to do. */
function typescriptProject(project, count) {
  const options = { strict: true, noEmit: true, target: 'es2022', module: 'nodenext', types: [] };
  put(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
  for (let i = 0; i < count; i++) {
    const before = i === 0 ? 'export const last = 0;' : `export { value${i - 1} as last } from './part${i - 1}.js';`;
    const lines = Array.from(
      { length: 50 },
      (_, j) => `export type Shape${j} = { readonly [K in keyof { a${j}: 1; b${j}: 2 }]: K | ${j} };`,
    );
    put(join(project, `part${i}.ts`), `${[before, ...lines, `export const value${i}: number = ${i};`].join('\n')}\n`);
  }
  return ['-p', project];
}

function tasks({ smoke }) {
  const [app, lib] = [join(PROJECT, 'app'), join(PROJECT, 'lib')];
  return {
    'git status': { tool: 'git', args: ['status', '--short'], in: PROJECT, goal: '<= 1.1' },
    'npm ci from an offline cache': {
      tool: 'npm',
      args: offlineProject(app, join(folder, 'packages')),
      in: app,
      goal: '<= 1.1',
    },
    'tsc on a small project': { tool: 'tsc', args: typescriptProject(lib, smoke ? 10 : 60), in: lib, goal: '<= 1.1' },
    [`find over ${smoke ? '10⁴' : '10⁵'} files of the layered home`]: {
      tool: 'find',
      args: [REGISTRY, '-type', 'f'],
      in: PROJECT,
      goal: '<= 1.5',
    },
  };
}

/** A thousand small files, into a folder of the home that is not there: inside they are put aside and kept when the command ends. */
function writingFiles() {
  const script = join(PROJECT, 'write-files');
  put(
    script,
    'rm -rf "$1"; mkdir "$1"; cd "$1"; i=0; while [ $i -lt 1000 ]; do echo text >file$i; i=$((i + 1)); done\n',
  );
  const { shim, program } = guardedShim('sh');
  return {
    'writing 1,000 files outside': { in: PROJECT, words: [program, script, join(HOME, 'written')] },
    'writing 1,000 files inside': { in: PROJECT, words: [shim, script, join(HOME, 'put-aside')] },
  };
}

/** All of it, with the start and the list of what was kept away at the end. */
function tracing({ program, args, in: where }) {
  const run = (...flags) => ({ in: where, words: [cordon, 'run', ...flags, '--', program, ...args] });
  return { 'npm ci in cordon run': run(), 'npm ci in cordon run --trace': run('--trace') };
}

export function rows({ smoke }) {
  livedInHome({ smoke });
  const all = Object.entries(tasks({ smoke })).map(([name, task]) => ({ name, ...task, ...guardedShim(task.tool) }));
  const launch = guardedShim('true');
  const commands = {
    'launch outside': { in: PROJECT, words: [launch.program] },
    'launch inside': { in: PROJECT, words: [launch.shim] },
    ...writingFiles(),
    ...tracing(all.find(({ tool }) => tool === 'npm')),
    ...Object.fromEntries(
      all.flatMap(({ name, args, in: where, shim, program }) => [
        [`${name} outside`, { in: where, words: [program, ...args] }],
        [`${name} inside`, { in: where, words: [shim, ...args] }],
      ]),
    ),
  };
  if (!smoke) interleaved(commands, 1, EVERYDAY); // So that nothing is read from the disk for the first time.
  const times = interleaved(commands, smoke ? 3 : 40, EVERYDAY);
  const work = (name, side) => Math.max(times[`${name} ${side}`] - times[`launch ${side}`], 0.01);
  return [
    ...all.map(({ name, goal }) => ({
      name: `${name}, inside / outside, the launch subtracted`,
      protection: 'guarded',
      value: work(name, 'inside') / work(name, 'outside'),
      unit: 'x',
      goal,
    })),
    {
      name: 'putting 1,000 files aside / writing them outside, the launch subtracted',
      protection: 'guarded',
      value: work('writing 1,000 files', 'inside') / work('writing 1,000 files', 'outside'),
      unit: 'x',
      goal: '<= 1.5',
    },
    {
      name: 'npm ci in cordon run --trace / in cordon run, as a whole',
      protection: 'guarded',
      value: times['npm ci in cordon run --trace'] / times['npm ci in cordon run'],
      unit: 'x',
      goal: '<= 2',
    },
    ...Object.entries(times).map(([name, value]) => ({ name: `  median ${name}`, value, unit: 'ms' })),
  ];
}
