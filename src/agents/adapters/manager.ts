import type { BuiltIn } from '../adapter.ts';
import { claude } from './claude.ts';

/** The agent that plans and hands out work: Claude Code under a name of its own, so that roles and scopes can tell them apart. */
export const manager: BuiltIn = { ...claude, name: 'manager', sandboxMark: undefined };
