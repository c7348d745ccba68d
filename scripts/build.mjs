// Builds dist/: the bundles, the type declarations, the native programs, and the path of the Node they belong to.
// With --package also the programs for every machine that the npm package is for.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildNative, putInPlace, writeCodeCache, writeNodePath } from './install-native.mjs';
import { rollTypes } from './lib/roll-types.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const { optionalDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const ENTRIES = new Set(['cli.js', 'index.js', 'keyring-helper.js', 'agent-renderer.js']);

// Entries last, each by a rename: whoever starts dist/cli.js meanwhile gets the old program or the new one, never a mixture.
function writeBundle(files) {
  const isEntry = (file) => ENTRIES.has(basename(file.path));
  for (const file of files.toSorted((a, b) => isEntry(a) - isEntry(b))) {
    const fresh = `${file.path}.${process.pid}`;
    writeFileSync(fresh, file.contents);
    renameSync(fresh, file.path);
  }
  const current = new Set(files.map((file) => basename(file.path)));
  const stale = readdirSync(dist).filter((name) => name.endsWith('.js') && !current.has(name));
  for (const name of stale) rmSync(join(dist, name));
}

async function bundle() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      cli: 'src/cli/main.ts',
      index: 'src/index.ts',
      'keyring-helper': 'src/launch/keyring-helper.ts',
      'agent-renderer': 'src/agents/renderer.ts',
    },
    outdir: dist,
    // Beside the entries: every part finds dist/native by the same relative path.
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    // Its build for Node is CommonJS, which calls a require that an ES module does not have.
    alias: { yaml: join(root, 'node_modules', 'yaml', 'browser', 'index.js') },
    // Everything else is bundled: the package needs nothing at run time but what it can do without.
    external: Object.keys(optionalDependencies),
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  writeBundle(outputFiles);
  return metafile.inputs;
}

// The page of `cordon ui`: one file that loads nothing, with its script and styles named by hash in its own content policy.
async function bundlePage() {
  const source = (name) => join(root, 'src', 'ui', 'page', name);
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: { script: source('main.tsx'), style: source('style.css') },
    outdir: dist,
    tsconfig: source('tsconfig.json'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const [script, style] = ['.js', '.css'].map((end) => outputFiles.find(({ path }) => path.endsWith(end)).text.trim());
  const parts = { POLICY: contentPolicy(script, [style, plotStyle()]), STYLE: style, SCRIPT: script };
  const page = readFileSync(source('index.html'), 'utf8').replace(/@([A-Z]+)@/g, (_, name) => parts[name]);
  const fresh = join(dist, `ui.html.${process.pid}`);
  writeFileSync(fresh, page);
  renameSync(fresh, join(dist, 'ui.html'));
  return metafile.inputs;
}

function contentPolicy(script, styles) {
  const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${styles.map(hash).join(' ')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

// Observable Plot puts the same few lines of style into each picture.
function plotStyle() {
  const source = readFileSync(join(root, 'node_modules', '@observablehq', 'plot', 'src', 'plot.js'), 'utf8');
  const [, style] = /append\("style"\)\.text\(\s*`([^`]*)`/.exec(source) ?? [];
  if (style === undefined) throw new Error('the style that Observable Plot adds is not where it was');
  return style.replaceAll(/\$\{className\}/g, 'plot');
}

// The launch path alone, as one script that V8's code cache fits on: what it would load later, the whole program loads instead. And the
// process outside, which starts while a connection waits.
async function bundleScripts() {
  // V8 takes a cache for any source of the same length, and would run the old code.
  rmSync(join(dist, 'quick.cjs.cache'), { force: true });
  const script = {
    absWorkingDir: root,
    outdir: dist,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  };
  await build({
    ...script,
    entryPoints: { quick: 'src/cli/quick.ts' },
    define: { 'import.meta.url': 'thisModule.url', 'import.meta.dirname': '__dirname' },
    banner: { js: `${WRAPPER}${THIS_MODULE}` },
    footer: { js: '})' },
    // In a script that Node did not load itself, parts of Node are required.
    supported: { 'dynamic-import': false },
    plugins: [
      { name: 'later', setup: (one) => one.onResolve({ filter: /^\./ }, loadOthersLater) },
      { name: 'no-es-view', setup: leaveOutEsView },
    ],
  });
  await build({ ...script, entryPoints: { network: 'src/network/main.ts' } });
  putInPlace(join(root, 'scripts', 'start.cjs'), join(dist, 'start.cjs'));
}

// As Node wraps what it requires; start.cjs runs it.
const WRAPPER = '(function (exports, require, module, __filename, __dirname) {';
const THIS_MODULE = "const thisModule = { get url() { return require('node:url').pathToFileURL(__filename).href; } };";

// But for what starts a command in a container.
function loadOthersLater({ kind, path }) {
  const isLater = kind === 'dynamic-import' && !path.endsWith('/container-run.ts');
  return isLater ? { path: './cli.js', external: true } : undefined;
}

// A script sees node:fs itself and no ES module's view of it, so there is nothing to bring up to date, and nothing to copy. Node loads
// all that it has for ES modules with node:module.
function leaveOutEsView(one) {
  one.onResolve({ filter: /^node:fs$/ }, ({ importer }) =>
    importer.endsWith('/witness.ts') ? { path: 'fs', namespace: 'own-fs' } : undefined,
  );
  one.onLoad({ filter: /./, namespace: 'own-fs' }, () => ({ contents: "export default require('node:fs');" }));
  one.onResolve({ filter: /^node:module$/ }, () => ({ path: 'nothing', namespace: 'no-es-view' }));
  one.onLoad({ filter: /./, namespace: 'no-es-view' }, () => ({
    contents: 'export const syncBuiltinESMExports = () => undefined;',
  }));
}

// What is bundled comes with its licence.
function writeLicences(inputs) {
  const packages = Object.keys(inputs).map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  const texts = [...new Set(packages)].filter(Boolean).toSorted().map(licenceOf);
  writeFileSync(join(dist, 'third-party-licences.txt'), texts.join('\n'));
}

function licenceOf(name) {
  const folder = join(root, 'node_modules', name);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} is bundled, and has no licence file`);
  return `${name}\n\n${readFileSync(join(folder, file), 'utf8')}`;
}

// One file: what the exports of the library lead to, and nothing of how the sources are cut.
function declareTypes() {
  const folder = join(dist, `.types.${process.pid}`);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', folder];
  try {
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
    if (status !== 0) throw new Error('the type declarations could not be written');
    writeFileSync(join(folder, 'rolled.d.ts'), rollTypes(join(folder, 'index.d.ts')));
    renameSync(join(folder, 'rolled.d.ts'), join(dist, 'index.d.ts'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  rmSync(join(dist, 'types'), { recursive: true, force: true });
}

function installNative() {
  const native = buildNative(root);
  if (native) {
    putInPlace(native.launcher, join(dist, 'native', 'cordon-launch'));
    putInPlace(native.front, join(dist, 'bin', 'cordon'));
  } else {
    for (const stale of ['native', 'bin']) rmSync(join(dist, stale), { recursive: true, force: true });
  }
}

// In the package for machines without a compiler; a checkout has those of its own machine.
function addPrebuilt() {
  const prebuilt = join(dist, 'prebuilt');
  rmSync(prebuilt, { recursive: true, force: true });
  if (!process.argv.includes('--package')) return;
  const { status } = spawnSync('sh', [join(root, 'native', 'build.sh'), 'package'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the programs for the package could not be built');
  for (const machine of ['linux-x64', 'linux-arm64'])
    putInPlace(join(root, 'native', 'build', machine, 'cordon-launch'), join(prebuilt, machine, 'cordon-launch'));
}

try {
  mkdirSync(dist, { recursive: true });
  writeLicences({ ...(await bundle()), ...(await bundlePage()) });
  await bundleScripts();
  declareTypes();
  writeNodePath(dist);
  installNative();
  addPrebuilt();
  writeCodeCache(root);
} catch (error) {
  console.error(`build: ${error.message}`);
  process.exitCode = 1;
}
