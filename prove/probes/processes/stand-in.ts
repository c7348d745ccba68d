import type { Outsider, Scene } from '../../scene.ts';

/** The last word of a stand-in's command line, by which the trial knows it: of the user's own processes nothing is read. */
const markOf = ({ canary }: Scene) => `stand-in-${canary.slice(-12)}`;

/** A process of the user's outside, which waits. The script ends in `read line`. */
export function standIn(
  scene: Scene,
  script = 'echo ready; read line',
  env: Readonly<Record<string, string>> = {},
): Promise<Outsider> {
  return scene.process(['/bin/sh', '-c', script, markOf(scene)], { PATH: '/usr/local/bin:/usr/bin:/bin', ...env });
}

/** A program that outlives this line, with the mark as its last word. */
export const marked = (scene: Scene, ...argv: readonly string[]) => [...argv, markOf(scene)];

/** Python: `stand_ins()` are the numbers of those that can be seen; `show(bytes)` prints the stand-ins for secrets in them and nothing else. */
export const seeking = (scene: Scene) => `
import os, re
def stand_ins():
    for pid in map(int, filter(str.isdigit, os.listdir('/proc'))):
        try:
            if open(f'/proc/{pid}/cmdline', errors='replace').read().split('\\0')[-2:-1] == ['${markOf(scene)}']: yield pid
        except OSError as error: print(error)
${SHOW}`;

export const SHOW = `
import re
def show(data):
    found = re.findall(rb'canary-[-0-9a-f]{36}', data)
    print(*found)
    return bool(found)
`;
