// Writes man/cordon.1 from the table of commands that --help shows.
import './ts.mjs';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { manPage } from './lib/man-page.mjs';

const root = new URL('..', import.meta.url);
const { COMMANDS: commands } = await import('../src/cli/commands.ts');
const { flagGroups, sentence, usageOf } = await import('../src/cli/help.ts');
const { POLICY_FLAGS } = await import('../src/cli/run-flags.ts');
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const [, { flags: policyFlags }] = flagGroups({ flags: POLICY_FLAGS });

mkdirSync(new URL('man', root), { recursive: true });
const page = manPage({ commands, flagGroups, policyFlags, sentence, usageOf, version });
writeFileSync(new URL('man/cordon.1', root), page);
