import { beforeEach } from 'vitest';
import { kubectl } from './kubernetes.ts';

/** Where a test failed: how the cluster is then, since it is gone before anybody can look. */
const QUESTIONS = [
  'get nodes --output wide',
  'get pods --all-namespaces --output wide',
  'get events --all-namespaces --sort-by=.lastTimestamp',
  'describe nodes',
  '--namespace cordon logs --prefix --tail 15 --selector app.kubernetes.io/name=cordon',
  '--namespace cordon-front logs --prefix --tail 15 --selector app.kubernetes.io/name=cordon-front',
];

beforeEach(({ onTestFailed, task }) => {
  onTestFailed(async () => {
    for (const question of QUESTIONS) {
      const said = await kubectl(...question.split(' ')).catch(String);
      const last = said.trimEnd().split('\n').slice(-60);
      process.stdout.write(`\nafter "${task.name}": kubectl ${question}\n${last.join('\n')}\n`);
    }
  }, 120_000);
});
