import { realpathSync } from 'node:fs';
import { CordonError } from '../../host/errors.ts';
import type { Loaded } from '../../policy/load/load.ts';
import { childOf, itemsOf } from '../../policy/load/node.ts';
import { readPlain } from '../../policy/load/plain.ts';
import { Source } from '../../policy/load/source.ts';
import { type Found, findProfile, isOwn } from '../../policy/profile/find.ts';
import { policyOf } from '../../policy/profile/finish.ts';
import type { Layer } from '../../policy/profile/layer.ts';
import { mergeLayers, withUniqueTargets } from '../../policy/profile/merge.ts';
import { readProfile } from '../../policy/profile/read.ts';
import { BUILT_IN_PROFILES } from '../../policy/profiles/index.ts';
import { checkPolicy } from '../policy-rules.ts';
import { parseFile } from '../read.ts';
import { type Checker, type CheckOptions, placesIn } from './kind.ts';

/** A profile with what it extends, as a launch would merge it; only what this file itself says is reported here. */
export const checkProfile: Checker = async ({ path, source, root, findings, options }) => {
  if (root === undefined) return;
  const layers = await layersOf({ path, loaded: { source, root }, options, above: [] });
  const policy = policyOf({
    name: source.name,
    where: source.name,
    description: undefined,
    chain: [],
    files: [],
    sources: new Map(),
    layer: withUniqueTargets(mergeLayers(layers)),
  });
  checkPolicy(findings, { policy, placeOf: placesIn(source), whole: root.place, env: options.env });
  if (isOwn(path, options.places)) return;
  for (const credential of itemsOf(childOf(root, 'env_credentials'))) {
    const command = childOf(credential, 'command');
    if (command !== undefined)
      findings.add('command-credential', command.place, { message: 'a command is to give this credential' });
  }
};

interface Step {
  readonly path: string | undefined;
  readonly loaded: Loaded;
  readonly options: CheckOptions;
  readonly above: readonly string[];
}

/** Bases first, as for a launch, but without asking who else could write the files: nothing is started by them. */
async function layersOf({ path, loaded, options, above }: Step): Promise<Layer[]> {
  const { home, workdir } = options.places;
  const { layer, extends: bases } = readProfile(loaded, { home, workdir, mayRunCommands: true });
  const layers: Layer[] = [];
  const from = path === undefined ? undefined : fileAt(path, options);
  for (const { value, origin } of bases) {
    const found = findProfile(value, options.places, from);
    if (found === undefined) throw brokenChain(`there is no profile '${value}'`, origin);
    const id = found.kind === 'file' ? realpathSync(found.path) : `built-in ${found.name}`;
    if (above.includes(id) || above.length > 64) throw brokenChain('profiles extend each other in a circle', origin);
    const next =
      found.kind === 'file' ? { path: found.path, loaded: await parseFile(found.path) } : builtIn(found.name);
    layers.push(...(await layersOf({ ...next, options, above: [...above, id] })));
  }
  return [...layers, layer];
}

const fileAt = (path: string, { places }: CheckOptions): Found => ({
  kind: 'file',
  name: path.replace(/^.*\//, '').replace(/\.[^.]*$/, ''),
  path,
  own: isOwn(path, places),
});

function builtIn(name: string): { path: undefined; loaded: Loaded } {
  const source = new Source(`built-in profile ${name}`);
  return { path: undefined, loaded: { source, root: readPlain(source, BUILT_IN_PROFILES[name]) } };
}

const brokenChain = (message: string, where: string) =>
  new CordonError('policy', message, { where, hint: "fix its 'extends'" });
