// Where `cordon` begins (the bundle is plain ASCII): the launch path with V8's code cache, anything else as ES modules.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const filename = join(__dirname, 'quick.cjs');

// A cache of another version of Node is rejected by V8 and costs nothing but its reading.
function cacheOf(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function load() {
  const source = readFileSync(filename);
  const script = new Script(source.latin1Slice(0, source.length), {
    filename,
    cachedData: cacheOf(`${filename}.cache`),
  });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, filename, __dirname);
  return { run: module.exports.quickRun, script, filename };
}

// The build loads this to write the cache; as the program it runs.
module.exports = { load };
if (require.main === module) load().run(() => import('./cli.js'));
