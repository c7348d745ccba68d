const SHORTEST = 16;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PATH_LIKE = /^(?:[~.]{0,2}\/|[A-Za-z]:[\\/])/;
const SEPARATORS_OF_TEXT = /[\s,;|<>(){}[\]"'`\\]|:\/\//;

/**
 * Whether the whole value looks like the output of a generator rather than something a person wrote.
 * Words, paths and versions change between letters, digits and cases seldom; random text does so all the time.
 */
export function looksRandom(value: string): boolean {
  if (value.length < SHORTEST || value.length > 4096) return false;
  if (UUID.test(value) || PATH_LIKE.test(value) || SEPARATORS_OF_TEXT.test(value)) return false;
  return classChanges(value) >= 0.27 && distinctCharacters(value) >= 8 && bitsPerCharacter(value) >= 2.8;
}

function classChanges(value: string): number {
  let changes = 0;
  for (let i = 1; i < value.length; i++) if (classOf(value, i) !== classOf(value, i - 1)) changes++;
  return changes / (value.length - 1) - separatorShare(value);
}

/** `a-b-c-1` changes class at every step, and is still no secret. */
function separatorShare(value: string): number {
  let separators = 0;
  for (let i = 0; i < value.length; i++) if ('-_./:@'.includes(value[i] ?? '')) separators++;
  return (2 * separators) / value.length;
}

function classOf(value: string, at: number): number {
  const code = value.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return 0;
  if (code >= 0x41 && code <= 0x5a) return 1;
  return code >= 0x61 && code <= 0x7a ? 2 : 3;
}

function distinctCharacters(value: string): number {
  return new Set(value).size;
}

/** Shannon entropy. */
function bitsPerCharacter(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
