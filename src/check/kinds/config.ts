import type { Adapter } from '../../agents/adapter.ts';
import { BUILT_IN_ADAPTERS } from '../../agents/registry.ts';
import { bytesOfText } from '../../host/bytes.ts';
import { childOf, type Entry, itemsOf, type Node, type Place, textOf } from '../../policy/load/node.ts';
import { isNeverName } from '../../policy/presets/presets.ts';
import { parseConfig, refuseBroken } from '../../tools/config/read.ts';
import { policyOf } from '../../tools/tool-policy.ts';
import { checkWrittenValue } from '../credential.ts';
import { type Findings, nameText } from '../finding.ts';
import { checkPolicy } from '../policy-rules.ts';
import { type Checker, placesIn } from './kind.ts';

/** cordon.toml: the policies of tools, and the tables of agents, roles and scopes. */
export const checkConfig: Checker = ({ source, root, findings, options }) => {
  const { home } = options.places;
  const config = parseConfig(source.name, source.text);
  refuseBroken(config);
  for (const tool of config.tools.values()) {
    const policy = policyOf(tool, { home, passwdHome: home });
    const whole = entriesOf(childOf(root, 'tools')).find(({ key }) => key === tool.name)?.keyPlace ?? { path: '' };
    const called = { name: `the tool ${nameText(tool.name)}`, fix: SMALLER_TOOL };
    checkPolicy(findings, { policy, placeOf: placesIn(source), whole, env: options.env, called });
  }
  for (const section of ['agents', 'roles', 'scopes', 'settings']) checkTables(findings, childOf(root, section));
};

const SMALLER_TOOL = 'set env_base to os-common or none and env_allow to what it needs, or deny what it must not have';

const entriesOf = (node: Node | undefined): readonly Entry[] => (node?.kind === 'map' ? node.entries : []);

const NAMES_OF_VARIABLES = /allow|keys/;
const NO_VALUES = /deny|except|credentials/;

function checkTables(findings: Findings, node: Node | undefined): void {
  for (const { key, value } of entriesOf(node)) {
    if (value.kind === 'list' && NAMES_OF_VARIABLES.test(key)) checkNames(findings, itemsOf(value));
    else if (value.kind === 'map') checkTables(findings, value);
    else if (!NO_VALUES.test(key)) checkValues(findings, key, value.kind === 'list' ? value.items : [value]);
  }
}

/** The adapters that come with Cordon are held to what is asked of anybody's. */
export function checkBuiltInAdapters(findings: Findings, adapters: readonly Adapter[] = BUILT_IN_ADAPTERS): void {
  for (const { name, extraKeys, addresses, settings } of adapters) {
    for (const key of [...extraKeys, ...addresses, ...settings]) checkAgentName(findings, key, { path: name });
  }
}

function checkNames(findings: Findings, items: readonly Node[]): void {
  for (const item of items) checkAgentName(findings, textOf(item) ?? '', item.place);
}

/** Agents always have the guard, so what a wildcard matches is never a credential; `*` alone is refused all the same. */
function checkAgentName(findings: Findings, name: string, place: Place): void {
  if (/^\*+$/.test(name))
    findings.add('agent-wildcard', place, { message: `${name} asks for every variable`, names: [name] });
  else if (isNeverName(bytesOfText(name)))
    findings.add('entry-does-nothing', place, { message: `${nameText(name)} does nothing here`, names: [name] });
}

function checkValues(findings: Findings, name: string, items: readonly Node[]): void {
  for (const item of items) {
    const value = textOf(item);
    if (value !== undefined) checkWrittenValue(findings, { name, value, place: item.place });
  }
}
