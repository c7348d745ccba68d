import { itemsOf, type Node, type Place, textOf } from '../../policy/load/node.ts';

/** A variable in an `environment:` block; without a value it is taken from outside. */
export interface Variable {
  readonly name: string;
  readonly value: string | undefined;
  readonly place: Place;
}

/** Both forms: `NAME: value`, with `<<` for what is merged in, and `- NAME=value`. */
export function variablesOf(node: Node | undefined): Variable[] {
  if (node?.kind === 'map')
    return node.entries.flatMap(({ key, keyPlace, value }) =>
      key === '<<' ? merged(value) : [{ name: key, value: scalarText(value), place: keyPlace }],
    );
  return itemsOf(node).flatMap((item) => {
    const text = textOf(item);
    if (text === undefined) return [];
    const [name = '', value] = text.split(/=(.*)/s);
    return [{ name, value, place: item.place }];
  });
}

const merged = (node: Node): Variable[] => (node.kind === 'list' ? node.items : [node]).flatMap(variablesOf);

function scalarText(node: Node): string | undefined {
  return node.kind === 'scalar' && node.value !== null ? String(node.value) : undefined;
}
