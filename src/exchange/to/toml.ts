/** What is written out: texts, booleans, lists of texts, and tables of these. */
type Value = string | boolean | readonly string[] | { readonly [key: string]: Value };

/** A little TOML: plain values first, then a section for each table. Strings of JSON are strings of TOML. */
export function tomlText(table: Record<string, unknown>, way: readonly string[] = []): string {
  const entries = Object.entries(table) as [string, Value][];
  const plain = entries.filter(([, value]) => !isTable(value));
  const tables = entries.filter(([, value]) => isTable(value));
  const lines = plain.map(([key, value]) => `${keyText(key)} = ${JSON.stringify(value)}\n`).join('');
  const head = way.length > 0 && (lines !== '' || tables.length === 0) ? `\n[${way.map(keyText).join('.')}]\n` : '';
  return `${head}${lines}${tables.map(([key, value]) => tomlText(value as Record<string, unknown>, [...way, key])).join('')}`;
}

const isTable = (value: Value) => typeof value === 'object' && !Array.isArray(value);
const keyText = (key: string) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));
