import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type Bytes, bytesOfText } from '../../src/host/bytes.ts';
import { Redaction } from '../../src/redact/redaction.ts';
import { Redactor } from '../../src/redact/redactor.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { openFolder } from '../support/project.ts';

/** Values with everything that somebody escapes, each in a place of its own and all together. */
const PRINTABLE = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).join('');
const VALUES: Readonly<Record<string, string>> = {
  plain: 'sk-live-4f9Qzz1',
  'a quote': "it's-a-secret",
  'all printable characters': `z${PRINTABLE} z`,
  'a tilde and a hash first': '~#secret=~value:~x',
  'a newline and a tab': 'first "half"\n\tsecond\'s $half',
  'control characters': 'a\x1b[0m\x07b\x01c\x7fd\r\x0be\x0cf\bg',
  'other scripts': 'pässwörd–\u{1f511} \u00a0x',
};

/** Programs that write the variable X down, in every way they have. */
const WRITERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  'bash set -x': ['bash', '-c', 'exec 2>&1; set -x; : "$X"'],
  'bash export -p': ['bash', '-c', 'export -p | grep -a -A9 " X="'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's.
  'bash printf %q': ['bash', '-c', 'printf "%q\\n" "$X" "a$X"; echo "${X@Q} ${X@A}"'],
  'bash in C': ['env', 'LC_ALL=C', 'bash', '-c', 'printf "%q\\n" "$X"; export -p | grep -a -A9 " X="'],
  'dash set -x and export -p': ['dash', '-c', 'exec 2>&1; set -x; : "$X"; export -p'],
  'zsh set -x and export -p': ['zsh', '-c', 'exec 2>&1; export -p; set -x; : "$X"'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's.
  'zsh q, qq, qqq, qqqq': ['zsh', '-c', 'print -r -- ${(q)X} ${(qq)X} ${(qqq)X} ${(qqqq)X} ${(q-)X}'],
  'fish escape': ['fish', '-c', 'string escape -- $X; set --show X'],
  'GNU printf %q': ['env', 'printf', '%q\n', 'X'],
  'python repr, ascii, bytes, shlex, html, urllib, json': [
    'python3',
    '-c',
    'import os,sys,shlex,html,json,urllib.parse as u\nx=os.environ["X"]\nsys.stdout.reconfigure(encoding="utf8")\n' +
      'print(repr(x),ascii(x),repr(x.encode()),shlex.quote(x),html.escape(x),html.escape(x,False),u.quote(x),u.quote_plus(x),u.quote(x,safe=""),json.dumps(x),json.dumps(x,ensure_ascii=False),json.dumps(json.dumps(x)) if x.isascii() else "")\n' +
      'print(html.escape(x).encode("ascii","xmlcharrefreplace").decode(), {"x":x})',
  ],
  'node inspect and JSON': [
    process.execPath,
    '-e',
    'const x=process.env.X; console.log([x], [x+"\'"], JSON.stringify({x}), JSON.stringify(JSON.stringify({x})), encodeURIComponent(x), encodeURI(x))',
  ],
  perl: ['perl', '-e', 'use Data::Dumper; $Data::Dumper::Useqq=0; print Dumper($ENV{X})'],
};

/** Everything that is left when all needles are gone must say nothing of the value: no six bytes of it in a row. */
function leftover(value: string, output: Buffer): string | undefined {
  const redactor = new Redactor(new Redaction(new Map([['X' as Bytes, new Secret(bytesOfText(value))]])));
  const left = Buffer.concat([...redactor.push(output), ...redactor.end()]).toString('latin1');
  const bytes = bytesOfText(value);
  for (let at = 0; at + 6 <= bytes.length; at++) {
    const part = bytes.slice(at, at + 6);
    if (left.includes(part)) return `${part} in ${left}`;
  }
  return left.includes('[X]') ? undefined : `nothing was found in ${left}`;
}

/** Shells write their histories there. */
const home = openFolder('home');

describe.each(Object.entries(WRITERS))('%s', (_, [program, ...args]) => {
  test.each(Object.entries(VALUES))('%s', (_name, value) => {
    const words = args.map((word) => (word === 'X' ? value : word));
    const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: home, X: value };
    const output = execFileSync(program, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    expect(leftover(value, output)).toBeUndefined();
  });
});

describe('by hand', () => {
  const value = `a"b'c<d>&e/f\`g=h\\i+j`;
  test.each([
    ['Go’s JSON', `a\\"b'c\\u003cd\\u003e\\u0026e/f\`g=h\\\\i+j`],
    ['Gson', `a\\"b\\u0027c\\u003cd\\u003e\\u0026e/f\`g\\u003dh\\\\i+j`],
    ['.NET', 'a\\u0022b\\u0027c\\u003Cd\\u003E\\u0026e/f\\u0060g=h\\\\i\\u002Bj'],
    ['PHP’s JSON', `a\\"b'c<d>&e\\/f\`g=h\\\\i+j`],
    ['Go’s HTML', 'a&#34;b&#39;c&lt;d&gt;&amp;e/f`g=h\\i+j'],
    ['PHP’s HTML', 'a&quot;b&#039;c&lt;d&gt;&amp;e/f`g=h\\i+j'],
    ['XML', 'a&quot;b&apos;c&lt;d&gt;&amp;e/f`g=h\\i+j'],
    ['mustache', 'a&quot;b&#39;c&lt;d&gt;&amp;e&#x2F;f&#x60;g&#x3D;h\\i+j'],
    ['YAML and SQL', `a"b''c<d>&e/f\`g=h\\i+j`],
    ['CSV', `a""b'c<d>&e/f\`g=h\\i+j`],
    ['Rust and Go', `a\\"b'c<d>&e/f\`g=h\\\\i+j`],
  ])('%s', (_, written) => {
    expect(leftover(value, Buffer.from(`<${written}>`))).toBeUndefined();
  });
});
