import { judge, refuse } from './judge.ts';

/** Docker asks its helpers for every registry, also for public ones, and fails without them. */
const HELPERS = new Set(['credsStore', 'credHelpers', 'auths', 'HttpHeaders']);

/** Docker's settings without log-ins, and without what would ask for them. */
export function cleanDocker(text: string): string {
  const tree = JSON.parse(text) as unknown;
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) refuse();
  return `${JSON.stringify(keptOf(tree, []), null, 2)}\n`;
}

function keptOf(node: unknown, path: readonly string[]): unknown {
  if (typeof node === 'string') return judge(path, node);
  if (Array.isArray(node)) return node.map((one) => keptOf(one, path)).filter((one) => one !== undefined);
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(([key]) => !HELPERS.has(key) && judge([key], '') !== undefined);
  return Object.fromEntries(kept.map(([key, one]) => [key, keptOf(one, [...path, key])]));
}
