import { showText } from '../../host/bytes.ts';

/**
 * What stands in a record came from launches and may be anything. A field is taken for what it should be or for nothing, and text is made
 * printable and short enough to be shown: no record can break the page or hide others in it.
 */
export type RecordFields = Readonly<Record<string, unknown>>;

const LONGEST = 400;
const MOST = 20_000;

export function fieldsOf(value: unknown): RecordFields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RecordFields) : undefined;
}

export function textOf(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? shortText(value) : otherwise;
}

export function shortText(text: string, longest = LONGEST): string {
  const shown = showText(text.slice(0, longest));
  return text.length > longest ? `${shown}… (${text.length} characters)` : shown;
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, MOST) : [];
}

export function textsOf(value: unknown): string[] {
  return listOf(value).flatMap((one) => (typeof one === 'string' ? [shortText(one)] : []));
}

export function parseFields(text: string): RecordFields | undefined {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}
