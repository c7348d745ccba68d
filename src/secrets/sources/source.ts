import type { Bytes } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import type { ParentEnv } from '../../host/parent-env.ts';
import type { Keyring } from '../keyring.ts';
import type { Secret } from '../secret.ts';
import type { Vault } from '../vault/vault.ts';

/** A program that knows a secret. It gets what most programs need and the named variables, and no terminal. */
export interface HelperCommand {
  readonly argv: readonly [string, ...string[]];
  /** Patterns of variables it gets besides the common ones: a password manager's own session, a session bus. */
  readonly lend?: readonly string[];
  readonly input?: Secret;
  readonly signal: AbortSignal;
}

/** How it went. What it wrote to stderr may hold anything, so it is looked at and never shown. */
export type HelperResult =
  | { readonly outcome: 'exited'; readonly code: number; readonly stdout: Buffer; readonly stderr: string }
  | { readonly outcome: 'untrusted'; readonly error: CordonError }
  | { readonly outcome: 'not-found' | 'not-runnable' | 'time' | 'too-much' };

export type Run = (command: HelperCommand) => Promise<HelperResult>;

/** What sources work with. None of them starts a process or reads the environment by itself. */
export interface Tools {
  readonly env: ParentEnv;
  readonly run: Run;
  readonly keyring: Keyring;
  readonly vault: Vault;
  /** Aborted when the time for all credentials together is over. */
  readonly signal: AbortSignal;
}

export interface Request {
  /** As it is shown to people. */
  readonly label: string;
  readonly parts: readonly string[];
}

export interface SecretSource {
  parse(rest: string, where: string): Request;
  resolve(request: Request, tools: Tools): Promise<Secret> | Secret;
}

/** Why a source gave no value, and what to do: the resolver adds which credential and which source. */
export class Unavailable extends Error {
  readonly hint: string | undefined;

  constructor(why: string, hint?: string) {
    super(why);
    this.hint = hint;
  }
}

export function badReference(reference: string, expected: string, where: string): CordonError {
  return new CordonError('policy', `'${reference}' is not a source of credentials: expected ${expected}`, { where });
}

/** The parts of `SCHEME://a/b/c`, all of them present and without control characters. */
export function splitParts(rest: string, counts: readonly number[]): string[] | undefined {
  const parts = rest.split('/');
  const good = counts.includes(parts.length) && parts.every((part) => part !== '' && !/\p{Cc}/u.test(part));
  return good ? parts : undefined;
}

export type CredentialMap = ReadonlyMap<Bytes, Secret>;
