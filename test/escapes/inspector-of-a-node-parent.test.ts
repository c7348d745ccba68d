import { describe, expect, it } from 'vitest';
import { launching, nodeProgram } from '../support/escape-library.ts';
import { Scene } from '../support/escape-scene.ts';
import { USERS } from '../support/users.ts';

// SIGUSR1 opens Node's inspector, and whoever reaches its port runs code in that process. Only the nearest Node above is knocked at.
const KNOCK = `
pid=$PPID
while [ "$pid" -gt 0 ] && [ "$(cat /proc/$pid/comm)" != node ]; do pid=$(cut -d' ' -f4 /proc/$pid/stat); done
[ "$pid" -gt 0 ] && kill -USR1 $pid && echo found
echo knocked`;

const REPORT = `
import inspector from 'node:inspector';
const deadline = Date.now() + 10_000;
while (process.argv[2] === 'wait' && inspector.url() === undefined && Date.now() < deadline) await new Promise(setImmediate);
console.log(inspector.url() === undefined ? 'closed' : 'LEAKED');
process.exit();
`;

function attempt(scene: Scene, isolation: string, report: string) {
  const policy = `{ ...cordon.DEFAULT_POLICY, isolation: '${isolation}' }`;
  return nodeProgram(scene, launching(['/bin/sh', '-c', KNOCK], policy) + report);
}

describe.each(USERS)('the inspector of a Node process that uses the library, as %s', (user) => {
  it('stays closed', async () => {
    const { stdout, stderr } = await attempt(new Scene(user), 'barrier', REPORT);
    expect(stdout, stderr).toBe('knocked\nclosed\n');
  });

  it('opens without the barrier', async () => {
    const waiting = REPORT.replace("process.argv[2] === 'wait'", 'true');
    const { stdout, stderr } = await attempt(new Scene(user), 'filter', waiting);
    expect(stdout, stderr).toBe('found\nknocked\nLEAKED\n');
  });
});
