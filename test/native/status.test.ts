import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { BUILDS, BWRAP, ISOLATIONS, planLines, programs } from './support.ts';

describe.each(BUILDS)('the word that the command was started (%s build)', (build) => {
  /** What the launcher says on the socket that the plan came on, its exit code and its output. */
  async function launched(lines: readonly string[]) {
    const child = spawn(join(programs(build), 'cordon-launch'), ['--plan-fd=3'], {
      env: { NODE_V8_COVERAGE: undefined },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    const socket = child.stdio[3] as Duplex;
    const code = new Promise((resolve) => child.once('close', resolve));
    socket.end([...lines, 'end', ''].join('\n'));
    const [said, stdout, stderr] = await Promise.all(
      [socket, child.stdout, child.stderr].map((one) => text(one as Duplex)),
    );
    return { said, stdout, stderr, code: await code };
  }
  const script = (line: string) => ['sh', '-c', line.replaceAll(' ', '\\s')];
  const LIST = 'for f in /proc/self/fd/*; do echo $f; done; echo s >&3; exit 125';

  describe.each(ISOLATIONS)('%s', (isolation) => {
    it.each([true, false])(
      'is said, whatever the command prints and exits with; it has no such descriptor (supervised: %s)',
      async (supervised) => {
        const lines = planLines({ isolation, args: script(LIST) });
        const { said, stdout, code } = await launched(supervised ? [...lines, 'supervise'] : lines);
        expect({ said, code }).toEqual({ said: 's', code: 125 });
        expect(stdout?.match(/\d+$/gm)?.filter((fd) => Number(fd) > 2 && fd !== '10')).toEqual(['3']); // The listing itself.
      },
    );
  });

  it('is not said when the barrier cannot be set up, or the plan is refused', async () => {
    const [head, ...rest] = planLines({ isolation: 'barrier', args: script('echo ran') });
    const broken = [head as string, ...rest, 'read /no/such'];
    expect(broken).toContain(`bwrap ${BWRAP}`);
    for (const lines of [broken, ['rubbish']])
      expect(await launched(lines)).toMatchObject({ said: '', stdout: '', code: 125 });
  });
});
