// `node --import ./scripts/ts.mjs FILE.ts`: Node 20 cannot load TypeScript by itself.
import { register } from 'node:module';

register('./ts-hooks.mjs', import.meta.url);
