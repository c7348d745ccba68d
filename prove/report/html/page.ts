import { createHash } from 'node:crypto';
import { showText } from '../../show-text.ts';
import { ownColumn, type Report } from '../report.ts';
import { summaryOf } from '../summary.ts';
import { cards } from './cards.ts';
import { filters } from './filters.ts';
import { html, trusted } from './markup.ts';
import { matrix } from './matrix.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/** One page that needs nothing else: it asks nobody for anything, and is readable without its script. */
export function proofAsPage(report: Report): string {
  const [tone, summary] = summaryOf(report);
  const { date, machine, columns } = report;
  const version = columns[ownColumn(report)]?.version ?? '';
  const { system, kernel, arch, user, barrier } = machine;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>cordon prove: what leaks</title>
<link rel="icon" href="data:,">
<style>${trusted(STYLE)}</style>
</head>
<body>
<header>
<h1>What leaks</h1>
<p class="verdict ${tone}">${sentence(summary)}</p>
<p class="facts">Cordon ${version} · <time datetime="${date}">${date.slice(0, 16).replace('T', ' ')} UTC</time> · ${system} ${arch}, kernel ${kernel}, ${barrier}, ${user === 'root' ? 'as root' : 'as an ordinary user'}</p>
</header>
<main>
${cards(report)}
${filters(report)}
${matrix(report)}
</main>
<footer>
<p>Every probe plants a stand-in for a secret in a throw-away home and tries to get at it. One that finds nothing with <em>nothing</em> around it does not apply to this machine.
<em>Open</em> means: it leaks, and the policy does not promise to hold it.</p>
</footer>
<script>${trusted(SCRIPT)}</script>
</body>
</html>
`.text;
}

/** Only the style and the script that stand in the page, by their hashes; nothing from elsewhere. */
function policy(): string {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  return `default-src 'none'; style-src ${hash(STYLE)}; script-src ${hash(SCRIPT)}; img-src data:; base-uri 'none'; form-action 'none'`;
}

const sentence = (text: string) => showText(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
