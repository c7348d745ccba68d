import type { Probe } from '../../probe.ts';
import { planting } from './planting.ts';

/** What each would take from its cache without asking anybody: a packument, a tarball, a crate, a module's hash, a wheel. */
const FORGED = [
  '.npm/_cacache/index-v5/aa/bb/forged',
  '.npm/_cacache/content-v2/sha512/aa/bb/forged',
  '.local/share/pnpm/store/v10/files/aa/forged',
  '.cache/pnpm/metadata-v1.3/registry/forged.json',
  '.cargo/registry/cache/index.crates.io/forged-1.0.0.crate',
  '.cargo/registry/src/index.crates.io/forged-1.0.0/build.rs',
  'go/pkg/mod/cache/download/example.org/forged/@v/v1.0.0.ziphash',
  'go/pkg/mod/example.org/forged@v1.0.0/forged.go',
  '.cache/pip/http-v2/a/b/forged.body',
  '.cache/uv/wheels-v5/forged/forged.whl',
];

export const FORGED_CACHES: Probe = {
  id: 'planting/forged-caches',
  title: 'planting packages in the caches of npm, pnpm, cargo, Go and pip',
  gives: 'code that every other project installs from the cache, and runs',
  planted: 'nothing',
  tried: `writing ~/${FORGED.join(', ~/')}`,
  reference: 'https://cwe.mitre.org/data/definitions/349.html',
  promise: 'planting',
  ...planting({ places: FORGED }),
};
