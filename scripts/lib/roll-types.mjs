// One file of declarations from the many that tsc writes, with only what the entry's exports lead to. TypeScript 7 has no programming
// interface, so what rolls declarations up elsewhere does not work with it; tsc's own output is regular enough to be read by a parser.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** The text of one declaration file that exports what this one exports. */
export function rollTypes(entry) {
  const modules = new Map();
  const moduleAt = (path) => {
    if (!modules.has(path)) modules.set(path, readModule(path));
    return modules.get(path);
  };
  const exported = exportsOf(moduleAt(entry), moduleAt);
  const names = new Names();
  for (const [name, found] of exported) names.give(found, name);
  const written = new Map();
  const externals = new Map();
  const write = (found) => {
    if (written.has(found)) return;
    written.set(found, '');
    written.set(
      found,
      withNames(found, (name, from) => nameOf(declarationOf(found.module, name, from, moduleAt))),
    );
  };
  /** What it is called in the one file. Undefined: something of the language. */
  const nameOf = (found) => {
    if (found === undefined) return undefined;
    if (found.external !== undefined) {
      externals.set(`${found.external} ${found.name}`, found);
      return found.name;
    }
    write(found);
    return names.of(found);
  };
  for (const found of exported.values()) write(found);
  const list = [...exported].map(([name, found]) =>
    names.of(found) === name ? name : `${names.of(found)} as ${name}`,
  );
  return [
    ...[...externals.values()].map(({ external, name }) => `import type { ${name} } from '${external}';`),
    ...written.values(),
    `export { ${list.toSorted().join(', ')} };`,
    '',
  ].join('\n');
}

/** Every declaration has a name of its own; those that are exported keep theirs. */
class Names {
  #of = new Map();
  #taken = new Set();

  give(found, name) {
    if (this.#of.has(found)) return;
    this.#of.set(found, name);
    this.#taken.add(name);
  }

  of(found) {
    if (!this.#of.has(found)) {
      let name = found.name;
      for (let count = 2; this.#taken.has(name); count++) name = `${found.name}_${count}`;
      this.give(found, name);
    }
    return this.#of.get(found);
  }
}

function readModule(path) {
  const text = readFileSync(path, 'utf8');
  const { program, errors } = parseSync(path, text, { lang: 'dts' });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const module = { path, declared: new Map(), imported: new Map(), exported: new Map(), all: [] };
  let end = 0;
  for (const node of program.body) {
    readStatement(module, node, text.slice(end, node.start).trim(), text);
    end = node.end;
  }
  return module;
}

function readStatement(module, node, comment, text) {
  const from = node.source?.value;
  if (node.type === 'ImportDeclaration')
    for (const { type, local, imported } of node.specifiers) {
      if (type !== 'ImportSpecifier') throw new Error(`${module.path}: only single names may be imported from ${from}`);
      module.imported.set(local.name, { from, name: imported.name });
    }
  else if (node.type === 'ExportAllDeclaration') module.all.push(from);
  else if (node.type === 'ExportNamedDeclaration' && node.declaration === null)
    for (const { local, exported } of node.specifiers) module.exported.set(exported.name, { from, name: local.name });
  else declare(module, node, comment, text);
}

function declare(module, node, comment, text) {
  const isExported = node.type === 'ExportNamedDeclaration';
  const inner = isExported ? node.declaration : node;
  const names = inner.type === 'VariableDeclaration' ? inner.declarations.map(({ id }) => id.name) : [inner.id.name];
  for (const name of names) {
    const earlier = module.declared.get(name);
    const nodes = [...(earlier?.nodes ?? []), { node: inner, comment, text: text.slice(inner.start, inner.end) }];
    module.declared.set(name, { module, name, nodes });
    if (isExported) module.exported.set(name, { name });
  }
}

const below = (module, from) => join(dirname(module.path), from.replace(/\.ts$/, '.d.ts'));

function exportsOf(module, moduleAt) {
  const found = new Map();
  for (const from of module.all)
    for (const [name, one] of exportsOf(moduleAt(below(module, from)), moduleAt)) found.set(name, one);
  for (const name of module.exported.keys()) found.set(name, exportNamed(module, name, moduleAt));
  return found;
}

function exportNamed(module, name, moduleAt) {
  const known = module.exported.get(name);
  if (known === undefined) {
    const found = module.all.map((from) => exportNamed(moduleAt(below(module, from)), name, moduleAt));
    return found.find((one) => one !== undefined);
  }
  return declarationOf(module, known.name, known.from, moduleAt);
}

/** What a name stands for in a module, or in the one that it names right there. */
function declarationOf(module, local, source, moduleAt) {
  if (source === undefined && module.declared.has(local)) return module.declared.get(local);
  const { from, name } = source === undefined ? (module.imported.get(local) ?? {}) : { from: source, name: local };
  if (from === undefined) return undefined;
  return from.startsWith('.') ? exportNamed(moduleAt(below(module, from)), name, moduleAt) : { external: from, name };
}

/** The declaration's text with every name in it as the one file has it. */
function withNames({ nodes }, nameOf) {
  return nodes
    .map(({ node, comment, text }) => {
      const edits = [];
      visit(node, ({ start, end }, written, from) => {
        const now = nameOf(written, from);
        if (now !== undefined) edits.push({ start: start - node.start, end: end - node.start, now });
      });
      let changed = text;
      for (const { start, end, now } of edits.toSorted((a, b) => b.start - a.start))
        changed = changed.slice(0, start) + now + changed.slice(end);
      const declared = /^(?:declare|interface|type)\b/.test(changed) ? changed : `declare ${changed}`;
      return `${comment === '' ? '' : `${comment}\n`}${declared}`;
    })
    .join('\n');
}

/** Where a name is only a name: of a member, a parameter, an element of a tuple. */
const OWN_NAMES = {
  TSPropertySignature: ['key'],
  TSMethodSignature: ['key'],
  PropertyDefinition: ['key'],
  MethodDefinition: ['key'],
  AccessorProperty: ['key'],
  TSNamedTupleMember: ['label'],
  TSTypePredicate: ['parameterName'],
  TSQualifiedName: ['right'],
  Property: ['key'],
};

function visit(node, found, bound = new Set()) {
  if (node.type === 'Identifier' && !bound.has(node.name))
    found({ start: node.start, end: node.start + node.name.length }, node.name);
  if (node.type === 'TSImportType')
    found({ start: node.start, end: node.qualifier.end }, node.qualifier.name, node.source.value);
  const inside = new Set([...bound, ...boundBy(node)]);
  for (const child of childrenOf(node)) visit(child, found, inside);
}

function childrenOf(node) {
  if (node.type === 'TSImportType') return node.typeArguments ? [node.typeArguments] : [];
  const skipped = node.computed === true ? [] : (OWN_NAMES[node.type] ?? []);
  return Object.entries(node)
    .filter(([key]) => !skipped.includes(key))
    .flatMap(([, value]) => value)
    .filter((child) => typeof child?.type === 'string');
}

/** Parameters and type parameters, which hide names of the module. */
function boundBy(node) {
  const types = node.typeParameters?.params?.map(({ name }) => name.name) ?? [];
  const values = Array.isArray(node.params) ? node.params.map(parameterName) : [];
  const mapped = node.type === 'TSMappedType' ? [node.key?.name] : [];
  const inferred = node.type === 'TSConditionalType' ? inferredIn(node.extendsType) : [];
  return [...types, ...values, ...mapped, ...inferred].filter((name) => name !== undefined);
}

const parameterName = (node) => node.name ?? node.argument?.name ?? node.left?.name;

function inferredIn(node) {
  if (typeof node !== 'object' || node === null) return [];
  if (node.type === 'TSInferType') return [node.typeParameter.name.name];
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? value.flatMap(inferredIn) : inferredIn(value)));
}
