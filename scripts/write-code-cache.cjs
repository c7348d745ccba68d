// Runs one harmless launch through dist/quick.cjs and keeps what V8 compiled for it: node scripts/write-code-cache.cjs run -- true
const { renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const quick = join(__dirname, '..', 'dist', 'quick.cjs');
const { exports: loaded, script } = require(join(__dirname, '..', 'dist', 'start.cjs')).load();

loaded
  .quickRun(() => Promise.reject(new Error('this was to be a plain run')))
  .then(() => {
    writeFileSync(`${quick}.cache.new`, script.createCachedData());
    renameSync(`${quick}.cache.new`, `${quick}.cache`);
  });
