declare const markupBrand: unique symbol;

/** Markup that is safe to put into a page: `html` makes it, and escapes every text on the way. */
export type Markup = { readonly [markupBrand]: true; readonly text: string };

type Part = Markup | string | number | readonly Markup[];

/** Texts are escaped, for contents and quoted attributes alike; markup and lists of it are taken as they are. */
export function html(fixed: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return trusted(fixed.reduce((text, next, i) => `${text}${textOf(parts[i - 1] as Part)}${next}`));
}

/** For what is written in this folder and nowhere else. */
export const trusted = (text: string): Markup => ({ text }) as Markup;

function textOf(part: Part): string {
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return 'text' in part ? part.text : part.map(({ text }) => text).join('');
}

const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => SPECIAL[character] as string);
