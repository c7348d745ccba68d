import { FILES } from '../../src/prove/probes/files/index.ts';
import { wayOut } from '../support/escape.ts';
import { FS_ALL } from '../support/escape-off.ts';

// The others of their kind are tried by test/prove.
const FAMILIES = ['ssh', 'aws', 'kubernetes', 'registries', 'netrc', 'code-hosts', 'npm', 'mcp-settings'];

for (const probe of FILES.filter(({ id }) => FAMILIES.some((family) => id === `files/${family}`)))
  wayOut(probe, { off: FS_ALL });
