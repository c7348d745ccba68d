import { readFileSync } from 'node:fs';
import { wayOut } from '../support/escape.ts';
import { FILTER } from '../support/escape-off.ts';

const AUDIT = '.local/state/cordon/audit.jsonl';

wayOut('changing the record of launches', {
  plant: (scene) => scene.file(AUDIT, '{"mine":true}\n'),
  flags: ['--fs', 'all'],
  probe: ({ home, canary }) => ({
    sh: `cd ${home}; echo ${canary} >> ${AUDIT}; rm -f ${AUDIT}; mv .local/state x && mkdir -p .local/state/cordon && echo ${canary} > ${AUDIT}`,
  }),
  worked: ({ home, canary }) => {
    const records = readFileSync(`${home}/${AUDIT}`, 'utf8');
    return records.includes(canary) || !records.includes('"mine"');
  },
  off: FILTER,
});
