import { type Ran, type RunOptions, runCordon } from '../support/cordon.ts';

export interface Proof {
  readonly version: number;
  readonly date: string;
  readonly verdict: string;
  readonly complete: boolean;
  readonly machine: Readonly<Record<string, string>>;
  readonly launchers: readonly {
    readonly title: string;
    readonly kind: string;
    readonly version: string | null;
    readonly flags: string | null;
  }[];
  readonly promises: Readonly<Record<string, { readonly held: boolean; readonly why: string }>>;
  readonly probes: readonly Readonly<Record<string, string>>[];
  readonly results: readonly {
    readonly probe: string;
    readonly launcher: string;
    readonly status: string;
    readonly reason?: string;
  }[];
  readonly counts: readonly {
    readonly launcher: string;
    readonly leaked: number;
    readonly open: number;
    readonly blocked: number;
    readonly notApplicable: number;
  }[];
}

/** Probes of several kinds that every machine can try, and that are quick. */
export const SOME = ['processes/environ-of-parent', 'environment/cloud-keys', 'files/ssh', 'network/loopback'] as const;

export const only = (...ids: readonly string[]) => ids.flatMap((id) => ['--only', id]);

export const prove = (flags: readonly string[], options: RunOptions = {}): Ran =>
  runCordon(['prove', ...flags], options);

export function proof(flags: readonly string[], options: RunOptions = {}): Proof & { readonly code: number | null } {
  const { code, stdout, stderr } = prove(['--json', ...flags], options);
  if (!stdout.startsWith('{')) throw new Error(`there is no proof (exit code ${code}): ${stderr}`);
  return { ...(JSON.parse(stdout) as Proof), code };
}

/** `status` or `status: reason` of one probe under one launcher. */
export function told({ results }: Proof, probe: string, launcher = 'cordon'): string {
  const found = results.find((result) => result.probe === probe && result.launcher === launcher);
  return [found?.status, found?.reason].filter((part) => part !== undefined).join(': ');
}
