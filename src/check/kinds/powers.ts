import { childOf, entryOf, itemsOf, type Node, textOf } from '../../policy/load/node.ts';
import type { Findings } from '../finding.ts';

const POWERS = ['ALL', 'SYS_ADMIN', 'SYS_PTRACE', 'SYS_MODULE', 'DAC_READ_SEARCH'];

/** What makes a container as good as its machine, in the words of pods and of compose. */
export function checkPowers(findings: Findings, node: Node, whose: string): void {
  const add = (at: Node, what: string) =>
    findings.add('privileged-container', at.place, { message: `${whose} has ${what}` });
  for (const holder of [node, childOf(node, 'securityContext')]) {
    const privileged = entryOf(holder, 'privileged')?.value;
    if (isTrue(privileged)) add(privileged, 'privileged: true');
  }
  const processes = entryOf(node, 'hostPID')?.value;
  if (isTrue(processes)) add(processes, 'the processes of the machine (hostPID)');
  const pid = childOf(node, 'pid');
  if (pid !== undefined && textOf(pid) === 'host') add(pid, 'the processes of the machine (pid: host)');
  const added = [childOf(childOf(childOf(node, 'securityContext'), 'capabilities'), 'add'), childOf(node, 'cap_add')];
  for (const item of added.flatMap(itemsOf)) {
    const power = textOf(item)?.replace(/^CAP_/i, '').toUpperCase();
    if (power !== undefined && POWERS.includes(power)) add(item, `the capability ${power}`);
  }
}

function isTrue(node: Node | undefined): node is Node {
  return node?.kind === 'scalar' && node.value === true;
}
