import { writeFileSync } from 'node:fs';
import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { lacking } from '../installed.ts';
import { library } from './library.ts';

/** What is planted in the working folder, as a hostile repository would bring it, and how each language says that it ran. */
interface Planted {
  readonly at: string;
  /** A program. */
  readonly program: string;
  /** A shared library. */
  readonly library: string;
  readonly shell: string;
  readonly python: string;
  readonly javascript: string;
  readonly perl: string;
  readonly ruby: string;
  readonly php: string;
}

/** One line of the table: a variable of the caller, and a program started inside that obeys it. */
export interface Steered {
  readonly name: string;
  /** The first is the one it is about. */
  readonly variables: (planted: Planted) => Readonly<Record<string, string>>;
  /** Files in the folder, beside the program and the library. */
  readonly files?: (planted: Planted) => Readonly<Record<string, string>>;
  /** Copies of the library under other names. */
  readonly libraries?: readonly string[];
  readonly needs: readonly string[];
  readonly victim: string;
  /** Where the code then runs. */
  readonly into: string;
  readonly reference: string;
  readonly inapplicable?: (scene: Scene) => string | undefined;
  readonly promise?: Probe['promise'];
}

/** Only the victim has this descriptor, so only code in the victim can write to it. */
const SHOWS = 7;

function plantedBy({ work, canary }: Pick<Scene, 'work' | 'canary'>): Planted {
  const at = `${work}/planted`;
  return {
    at,
    program: `${at}/program`,
    library: `${at}/library.so`,
    // Some programs close it for what they start: their own is still open.
    shell: `echo ${canary} >&${SHOWS} || echo ${canary} > /proc/$PPID/fd/${SHOWS}`,
    python: `__import__('posix').write(${SHOWS}, b'${canary}')`,
    javascript: `require('node:fs').writeSync(${SHOWS}, '${canary}')`,
    perl: `open(TO, '>&=', ${SHOWS}) && syswrite(TO, '${canary}'); 1;`,
    ruby: `IO.new(${SHOWS}).syswrite('${canary}')`,
    php: `<?php file_put_contents('php://fd/${SHOWS}', '${canary}');`,
  };
}

function plant(scene: Scene, { files, libraries = [] }: Steered): void {
  const planted = plantedBy(scene);
  scene.file(planted.program, `#!/bin/sh\n${planted.shell}\n`, 0o755);
  for (const [name, text] of Object.entries(files?.(planted) ?? {})) scene.file(`${planted.at}/${name}`, text, 0o755);
  for (const name of [planted.library, ...libraries.map((each) => `${planted.at}/${each}`)])
    writeFileSync(scene.file(name, '', 0o755), library(SHOWS, scene.canary));
}

const NOWHERE = plantedBy({ work: '.', canary: '…' });

export function steered(line: Steered): Probe {
  const [variable = ''] = Object.keys(line.variables(NOWHERE));
  return {
    id: `injection/${line.name}`,
    title: `${variable}: code in ${line.into}`,
    gives: `code of whoever set ${variable}, or wrote what it names, in ${line.into}, with all its rights`,
    planted: `${Object.keys(line.variables(NOWHERE)).join(', ')} in the caller's environment, and the code in the working folder`,
    tried: `running ${line.needs.join(' and ')} and seeing whether the planted code ran`,
    reference: line.reference,
    promise: line.promise ?? 'environment',
    inapplicable: (scene) => lacking(...line.needs) ?? line.inapplicable?.(scene),
    plant: (scene) => plant(scene, line),
    env: (scene) => line.variables(plantedBy(scene)),
    // Through a pipe: what is one can be opened again, a socket can't.
    trial: (scene) => ({
      sh: `cd ${plantedBy(scene).at} && { ${line.victim}\n} ${SHOWS}>&1 >/dev/null 2>&1 </dev/null | cat`,
    }),
  };
}
