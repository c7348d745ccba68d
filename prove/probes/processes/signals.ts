import type { Probe } from '../../probe.ts';
import { seeking, standIn } from './stand-in.ts';

const KILL = 'https://man7.org/linux/man-pages/man2/kill.2.html';

// By its number alone as well: it may be known where /proc shows nothing. A stranger that has this number inside is let be.
const SEND = (file: string) => `
known = int(open('${file}').read())
for pid in {known, *stand_ins()}:
    try:
        os.kill(pid, 0)
        if pid in stand_ins() or not os.path.exists(f'/proc/{pid}'):
            os.kill(pid, 9)
            print('LEAKED')
    except OSError as error: print(error)
`;

export const SIGNALS: Probe = {
  id: 'processes/signals',
  title: 'sending a signal to a process of the user by its number',
  gives: 'the power to end what guards or records, to make programs reload, or open their debuggers',
  planted: 'a process of the user, and its number in a file',
  tried: 'kill with that number',
  reference: KILL,
  promise: 'processes',
  plant: async (scene) => scene.file('work/pid', String((await standIn(scene)).pid)),
  trial: (scene) => ({ python: seeking(scene) + SEND(scene.path('work/pid')) }),
};

// The command shares the caller's process group, so that pipelines and job control work: kill 0 goes to all of it.
const NEIGHBOUR = `
import os, signal, subprocess, sys
signal.signal(signal.SIGUSR2, lambda *_: print('LEAKED', flush=True))
subprocess.run(sys.argv[1:], close_fds=False, preexec_fn=lambda: signal.signal(signal.SIGUSR2, signal.SIG_IGN))
`;

export const SIGNALS_TO_THE_GROUP: Probe = {
  id: 'processes/signals-to-the-group',
  title: 'a signal to the whole process group',
  gives: 'the power to end or steer the caller and the other parts of its pipeline',
  planted: 'a caller in the same process group that notices the signal',
  tried: 'kill -USR2 0',
  reference: KILL,
  promise: 'processes',
  starter: () => ['python3', '-c', NEIGHBOUR],
  trial: () => ({ sh: 'kill -USR2 0' }),
};
