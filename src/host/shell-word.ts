/** A word as a shell takes it, with `~` left to be expanded. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text) || /^~\/[\w@%+=:,./-]*$/.test(text)) return text;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
