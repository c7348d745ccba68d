import type { KeyPath } from './document.ts';

/** Text as TOML writes it. */
export function textLiteral(text: string): string {
  return `"${text.replace(/["\\\x00-\x1f\x7f]/g, escapeCharacter)}"`;
}

export function listLiteral(texts: readonly string[]): string {
  return `[${texts.map(textLiteral).join(', ')}]`;
}

/** Names of variables are quoted like the patterns they stand among. */
export function keyLiteral(path: KeyPath): string {
  return path.map((key) => (/^[a-z0-9_-]+$/.test(key) ? key : textLiteral(key))).join('.');
}

const SHORT: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escapeCharacter(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
