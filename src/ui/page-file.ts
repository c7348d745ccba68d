import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CordonError } from '../host/errors.ts';
import type { KeptPage } from './api.ts';

export interface PageFile {
  readonly html: Buffer;
  /** What it may load and run, by hash; the page carries it itself too, for when it is opened as a file. */
  readonly contentPolicy: string;
}

/** The page, one file beside this one. */
export function readPage(): PageFile {
  const file = fileURLToPath(new URL('ui.html', import.meta.url));
  try {
    const html = readFileSync(file);
    const [, content = ''] =
      /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html.toString()) ?? [];
    return { html, contentPolicy: `${content}; frame-ancestors 'none'` };
  } catch (cause) {
    throw new CordonError('ui', 'the page is missing from this installation', {
      where: file,
      hint: 'install Cordon anew; in a checkout: node scripts/build.mjs',
      cause,
    });
  }
}

const DATA = '<script type="application/json" id="kept"></script>';

/** The page with its data inside: it asks nobody for anything. Data is no script, and `<` in it begins no tag. */
export function pageWith(kept: KeptPage, { html }: PageFile): string {
  const data = JSON.stringify(kept).replaceAll('<', '\\u003c');
  const text = html.toString();
  const at = text.indexOf(DATA);
  if (at === -1) throw new CordonError('ui', 'the page of this installation has no place for data');
  return `${text.slice(0, at)}${DATA.replace('></', () => `>${data}</`)}${text.slice(at + DATA.length)}`;
}
