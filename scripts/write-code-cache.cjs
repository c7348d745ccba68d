// Runs one harmless launch through the bundle for it and keeps what V8 compiled: node scripts/write-code-cache.cjs run -- true
const { renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const { run, script, filename } = require(join(__dirname, '..', 'dist', 'start.cjs')).load();

run(() => Promise.reject(new Error('this was to be a plain run'))).then(() => {
  writeFileSync(`${filename}.cache.new`, script.createCachedData());
  renameSync(`${filename}.cache.new`, `${filename}.cache`);
});
