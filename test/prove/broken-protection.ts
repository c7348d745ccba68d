// Bundled and started by broken-protection.test.ts, as the user of the test: proves a Cordon whose plans have lost what holds these probes.
import { release } from 'node:os';
import type { Attempt } from '../../prove/attempt.ts';
import { Ground } from '../../prove/ground.ts';
import type { Launcher } from '../../prove/launchers.ts';
import { onGround } from '../../prove/on-ground.ts';
import { PROBES } from '../../prove/probes/index.ts';
import { commitmentsOf } from '../../prove/promise.ts';
import { columnsOf, exitCodeOf, type Report } from '../../prove/report/report.ts';
import { runProbes } from '../../prove/run.ts';
import { selected } from '../../prove/select.ts';
import { proofAsSarif, proofAsText } from '../../src/cli/prove/output.ts';
import { type Bytes, bytesOfText } from '../../src/host/bytes.ts';
import { ParentEnv } from '../../src/host/parent-env.ts';
import { nativeLauncher } from '../../src/launch/machine.ts';
import { prepare } from '../../src/launch/prepare.ts';
import { planText } from '../../src/plan/plan.ts';
import { DEFAULT_POLICY } from '../../src/policy/policy.ts';

const [temporary = '', format, lost = '', ...only] = process.argv.slice(2);

function start({ scene, env, trial }: Attempt) {
  const { plan } = prepare({
    policy: DEFAULT_POLICY,
    env: ParentEnv.fromRecord(env),
    argv: trial.map(bytesOfText) as [Bytes, ...Bytes[]],
    workdir: scene.work,
    record: false,
    throwawayHome: true,
  });
  const lines = planText(plan, 'with-values').split('\n');
  // A home shows only what is named: the protection is lost when this place is, and nothing hides it.
  const kept = lines.flatMap((line) => {
    if (lost === '') return [line];
    if (line === 'show-programs') return [line, `show ${scene.home}${lost}`];
    return line.startsWith('hide ') && line.includes(lost) ? [] : [line];
  });
  return { argv: [nativeLauncher() as string, '--plan-fd=3'], plan: kept.join('\n') };
}

const broken: Launcher = { kind: 'cordon', title: 'cordon', start };
const barrier = { ok: true, found: 'bubblewrap' };
const commitments = commitmentsOf(DEFAULT_POLICY, barrier);
const ground = new Ground(temporary, { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 });
const report: Report = await onGround(ground, async ({ signal }) => ({
  date: new Date().toISOString(),
  machine: {
    system: process.platform,
    kernel: release(),
    arch: process.arch,
    user: 'ordinary',
    barrier: barrier.found,
  },
  columns: columnsOf([broken]),
  commitments,
  rows: await runProbes({
    probes: selected(PROBES, only, () => undefined),
    launchers: [broken],
    commitments,
    ground,
    limits: { trialMs: 20_000, signal },
  }),
  complete: true,
}));
process.stdout.write(
  format === 'sarif'
    ? JSON.stringify(await proofAsSarif(report, '1.2.3'))
    : proofAsText(report, { colour: { out: false, err: false }, columns: undefined }),
);
process.exitCode = exitCodeOf(report);
