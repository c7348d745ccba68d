// Bundled and started by the escape tests, as the user of the test: prints the plan that `cordon run` would carry out, with its values.
import { createContext } from '../../src/cli/context.ts';
import { parseArguments } from '../../src/cli/flags.ts';
import { POLICY_FLAGS } from '../../src/cli/run-flags.ts';
import { policyFromFlags } from '../../src/cli/start-policy.ts';
import type { Bytes } from '../../src/host/bytes.ts';
import { captureArguments } from '../../src/host/parent-env.ts';
import { prepare } from '../../src/launch/prepare.ts';
import { planText } from '../../src/plan/plan.ts';

const parsed = parseArguments(captureArguments(), { flags: POLICY_FLAGS, stopAtWord: true });
const context = createContext();
const { plan } = prepare({
  policy: await policyFromFlags(parsed, context),
  env: context.env,
  argv: parsed.rest as [Bytes, ...Bytes[]],
  workdir: process.cwd(),
  record: true,
});
process.stdout.write(Buffer.from(planText(plan, 'with-values'), 'latin1'));
