/** What others wrote, made safe to show: control and invisible characters by their number. */
export function showText(text: string): string {
  return text.replace(UNSAFE_TO_SHOW, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
  });
}

// Control characters, line and paragraph separators, invisible and direction-changing format characters, lone surrogates.
const UNSAFE_TO_SHOW = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu;
