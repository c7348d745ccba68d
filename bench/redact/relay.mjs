// stdin to stdout through the redaction of fifty secrets, as a launch does it.
import { pipeline } from 'node:stream/promises';
import '../../scripts/ts.mjs';
import { fiftySecrets } from './rows.mjs';

const { redactStream } = await import('../../src/redact/redact-stream.ts');
const { Redaction } = await import('../../src/redact/redaction.ts');

await pipeline(process.stdin, redactStream(new Redaction(fiftySecrets())), process.stdout);
