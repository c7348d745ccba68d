import { describe, expect, onTestFinished, test } from 'vitest';
import { isRunning, uniqueSleep } from '../../mcp/support.ts';
import { bothServe, FRONTS } from '../client.ts';
import { eventually, FRONT_NAMESPACE, getIn, kubectl } from '../kubernetes.ts';
import { BESIDE, HERE, LEAVING, secretOf, THERE } from '../people.ts';
import { frontOf, inUsersPod, onlyOn, podNamed, podOf, podsOf } from '../users-pods.ts';
import { lab } from './lab.ts';

const GONE_MS = 30_000;
const UNKNOWN = 'it is unknown whether the call ran';
const ownValue = async (name: string, id: string, origin: string) =>
  (await FRONTS.call(name, id, 'echo "$OWN_KEY"', origin)).output;

/** Two users whose front is on the machine of the API server, which is left alone. */
async function nearPeople(): Promise<{ near: string; beside: string; front: string; origin: string }> {
  await FRONTS.bothServe();
  if ((await machines()).indexOf('one') < 0) await moveToOne();
  const origins = await FRONTS.bothServe();
  const at = (await machines()).indexOf('one') as 0 | 1;
  const [near, beside] = at === 0 ? [HERE, LEAVING] : [THERE, BESIDE];
  return { near, beside, front: frontOf(near), origin: origins[at] };
}

const machines = async (): Promise<string[]> =>
  [await FRONTS.pod(0), await FRONTS.pod(1)].map(({ spec }) => spec.nodeName);

/** Kubernetes spreads fronts where it can, and after a fault it could not. */
async function moveToOne(): Promise<void> {
  await kubectl('cordon', 'two');
  try {
    await kubectl('--namespace', FRONT_NAMESPACE, 'delete', 'pod', 'front-0');
    await eventually(async () => expect(await machines()).toContain('one'));
  } finally {
    await kubectl('uncordon', 'two');
  }
}

/** A session whose user has a pod on this machine; other users of the same front keep theirs. */
async function sessionOn(machine: 'one' | 'two', name: string, origin: string, kept: readonly string[] = []) {
  const allow = await onlyOn(machine, machine === 'one' ? 'two' : 'one', frontOf(name), kept);
  try {
    const id = await FRONTS.open(name, origin);
    const pod = await podOf(name, id, origin);
    expect((await podNamed(pod)).spec.nodeName).toBe(machine);
    return { id, pod };
  } finally {
    await allow();
  }
}

async function hasPressure(wanted: 'True' | 'False'): Promise<void> {
  const { status } = await getIn('default', 'node', 'two');
  const pressure = status.conditions.find(({ type }: { type: string }) => type === 'DiskPressure');
  expect(pressure.status).toBe(wanted);
}

describe('faults where each user has a pod', () => {
  test('a front that is gone in mid-call: the call ends inside, its pods go, others notice nothing', async () => {
    const origins = await FRONTS.bothServe();
    const [id, other, sleep] = [
      await FRONTS.open(THERE, origins[1]),
      await FRONTS.open(HERE, origins[0]),
      uniqueSleep(),
    ];
    const before = await podOf(HERE, other, origins[0]);
    const running = FRONTS.call(THERE, id, `sleep ${sleep}; echo over`, origins[0]);
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    const earlier = (await podsOf(frontOf(THERE))).map(({ metadata }) => metadata.name);
    const words = ['delete', 'pod', frontOf(THERE), '--grace-period=0', '--force', '--wait=false'];
    await kubectl('--namespace', FRONT_NAMESPACE, ...words);
    const { output, text } = await running;
    expect([output, text]).toEqual([undefined, expect.stringContaining(UNKNOWN)]);
    await eventually(() => expect(isRunning(sleep)).toBe(false));
    expect(await podOf(HERE, other, origins[0])).toBe(before);
    const [, again] = await FRONTS.bothServe();
    const fresh = await FRONTS.open(THERE, again);
    expect(await ownValue(THERE, fresh, again)).toBe(secretOf(THERE));
    expect(earlier).not.toContain(await podOf(THERE, fresh, again));
    await eventually(async () => {
      const left = (await podsOf(frontOf(THERE))).map(({ metadata }) => metadata.name);
      expect(left.filter((name) => earlier.includes(name))).toEqual([]);
    });
  });

  test('a pod that is deleted: its user hears of it, and has another', async () => {
    const [origin] = await FRONTS.bothServe();
    const id = await FRONTS.open(HERE, origin);
    const pod = await podOf(HERE, id, origin);
    await kubectl('--namespace', 'cordon-pods', 'delete', 'pod', pod);
    const { output, text } = await FRONTS.call(HERE, id, 'echo "$OWN_KEY"; ls', origin);
    expect(output).toBe(secretOf(HERE));
    expect(text).toContain("this user's earlier pod is gone");
    expect((await FRONTS.call(HERE, id, 'true', origin)).text).not.toContain('earlier pod');
  });

  test('a node is gone in mid-call: unknown is said, the call ends there too, and the next is elsewhere', async () => {
    const { near, origin } = await nearPeople();
    const { id, pod } = await sessionOn('two', near, origin);
    const sleep = uniqueSleep();
    const running = FRONTS.call(near, id, `sleep ${sleep}; echo over`, origin);
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    await lab('cut', 'two');
    onTestFinished(() => FRONTS.bothServe().then(() => undefined));
    try {
      const { output, text } = await running;
      expect([output, text]).toEqual([undefined, expect.stringContaining(UNKNOWN)]);
      const next = await FRONTS.call(near, id, 'echo "$OWN_KEY"; ls', origin);
      expect([next.output, next.text]).toEqual([secretOf(near), expect.stringContaining('earlier pod is gone')]);
      expect((await podNamed(await podOf(near, id, origin))).spec.nodeName).toBe('one');
      // Nobody can tell it to end: it has noticed by itself that nobody is there.
      await eventually(() => expect(isRunning(sleep)).toBe(false));
    } finally {
      await lab('mend', 'two');
    }
    await eventually(async () => expect((await podsOf()).map(({ metadata }) => metadata.name)).not.toContain(pod));
  });

  test('the API server is gone for half a minute: what ran is unknown, what is asked was not run, files stay', async () => {
    const [origin] = await FRONTS.bothServe();
    const [id, sleep] = [await FRONTS.open(HERE, origin), uniqueSleep()];
    const pod = await podOf(HERE, id, origin);
    await FRONTS.call(HERE, id, 'echo kept > kept', origin);
    const running = FRONTS.call(HERE, id, `sleep ${sleep}; echo over`, origin);
    await eventually(() => expect(isRunning(sleep)).toBe(true));
    await lab('api-server', 'stop');
    onTestFinished(() => FRONTS.bothServe().then(() => undefined));
    const until = Date.now() + GONE_MS;
    try {
      const { output, text } = await running;
      expect([output, text]).toEqual([undefined, expect.stringContaining(UNKNOWN)]);
      await eventually(() => expect(isRunning(sleep)).toBe(false));
      const refused = async () => {
        const { text: said } = await FRONTS.call(HERE, id, 'touch away', origin);
        expect(said).toContain('nothing was run');
      };
      await refused();
      await eventually(() => expect(Date.now()).toBeGreaterThan(until));
      await refused();
    } finally {
      await lab('api-server', 'start');
    }
    await eventually(async () => expect(await ownValue(HERE, id, origin)).toBe(secretOf(HERE)));
    expect((await FRONTS.call(HERE, id, 'ls', origin)).output?.split('\n')).toEqual(['kept']);
    expect(await podOf(HERE, id, origin)).toBe(pod);
  });

  test('the disk of a node is full: the command is told, others go on, and its user has a pod elsewhere', async () => {
    const { near, beside, origin } = await nearPeople();
    const other = await sessionOn('one', beside, origin);
    const { id, pod } = await sessionOn('two', near, origin, [other.pod]);
    onTestFinished(() => Promise.all([FRONTS.bothServe(), bothServe()]).then(() => undefined));
    const filled = await FRONTS.call(near, id, 'head -c 900M /dev/zero > large; echo "code $?"', origin);
    expect(filled.text).toMatch(/No space left on device|unknown whether the call ran/);
    expect(filled.output ?? '').not.toContain('code 0');
    await eventually(() => hasPressure('True'));
    expect(await ownValue(beside, other.id, origin)).toBe(secretOf(beside));
    await eventually(async () => expect((await podsOf()).map(({ metadata }) => metadata.name)).not.toContain(pod));
    await eventually(async () => expect(await ownValue(near, id, origin)).toBe(secretOf(near)));
    await eventually(() => hasPressure('False'));
    expect(await inUsersPod(await podOf(near, id, origin), 'ls')).not.toContain('large');
  });
});
