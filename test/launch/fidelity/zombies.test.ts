import { describe, expect, it, vi } from 'vitest';
import { begin, ended, SHELL } from '../../support/escape-run.ts';
import { Scene } from '../../support/escape-scene.ts';
import { cordonRun, EVERYWHERE } from './terminal.ts';

// Orphans that end while the command still runs have nobody but the first process to wait for them.
const ORPHANS = `
import os, time
for _ in range(20):
    if os.fork() == 0:
        if os.fork() > 0: os._exit(0)
        os._exit(0)
    os.wait()
def zombies():
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try: state, parent = open(f'/proc/{pid}/stat').read().rpartition(') ')[2].split()[:2]
        except OSError: continue
        if state == 'Z' and parent == str(os.getppid()): found.append(pid)
    return found
deadline = time.monotonic() + 10
while zombies() and time.monotonic() < deadline: pass
print(len(zombies()), 'left')
`;

vi.setConfig({ testTimeout: 60_000 });

describe.each(EVERYWHERE)('for %s with isolation %s', (user, isolation) => {
  it('orphans of the command are waited for', async () => {
    const child = begin(
      { scene: new Scene(user), env: {}, starter: SHELL },
      cordonRun(isolation, 'python3', '-c', ORPHANS),
    );
    expect((await ended(child)).stdout).toBe('0 left\n');
  });

  it('nothing of ours is left when the command has ended', async () => {
    const starter = [
      '/bin/sh',
      '-c',
      '"$@"; ps -o pid=,stat=,args= --ppid $$ | grep -v "ps -o" | grep -v grep; echo end',
      'sh',
    ];
    const child = begin({ scene: new Scene(user), env: {}, starter }, cordonRun(isolation, 'true'));
    expect((await ended(child)).stdout).toBe('end\n');
  });
});
