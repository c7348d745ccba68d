import type { ProfileData } from '../profile/schema.ts';
import { AGENT } from './agent.ts';
import { CI } from './ci.ts';
import { CLAUDE_CODE } from './claude-code.ts';
import { CODEX } from './codex.ts';
import { DEFAULT } from './default.ts';
import { GEMINI } from './gemini.ts';
import { GO_DEV } from './go-dev.ts';
import { LOCKED } from './locked.ts';
import { NODE_DEV } from './node-dev.ts';
import { PYTHON_DEV } from './python-dev.ts';
import { RUST_DEV } from './rust-dev.ts';

export const BUILT_IN_PROFILES: Readonly<Record<string, ProfileData>> = {
  default: DEFAULT,
  agent: AGENT,
  'claude-code': CLAUDE_CODE,
  codex: CODEX,
  gemini: GEMINI,
  'node-dev': NODE_DEV,
  'python-dev': PYTHON_DEV,
  'rust-dev': RUST_DEV,
  'go-dev': GO_DEV,
  ci: CI,
  locked: LOCKED,
};
