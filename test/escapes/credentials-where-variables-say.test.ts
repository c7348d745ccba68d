import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

const NAMED = {
  KUBECONFIG: 'kube',
  AWS_SHARED_CREDENTIALS_FILE: 'aws',
  GOOGLE_APPLICATION_CREDENTIALS: 'gcp',
  PGPASSFILE: 'pg',
};

wayOut('credential files at places that only variables of the parent name', {
  plant: (scene) => Object.values(NAMED).map((file) => scene.file(`keep/${file}`)),
  env: ({ home }) => Object.fromEntries(Object.entries(NAMED).map(([name, file]) => [name, `${home}/keep/${file}`])),
  probe: ({ home }) => ({ sh: `cat ${home}/keep/*` }),
  off: FS_ALL,
});
