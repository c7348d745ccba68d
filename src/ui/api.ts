/** What the server and the page say to each other. Names, rules and numbers only: no value of a variable has a place in it. */

export interface Welcome {
  /** For the header of every later request; the page keeps it in memory. */
  readonly token: string;
  readonly version: string;
  readonly decide: boolean;
}

/** One launch in the list. Counts only, so that ten thousand of them are a small answer. */
export interface LaunchRow {
  readonly id: string;
  /** Milliseconds since 1970; 0 where the record says nothing usable. */
  readonly time: number;
  readonly command: string;
  readonly arguments: number | null;
  readonly folder: string | null;
  readonly policy: string;
  readonly isolation: string;
  readonly exit: number | null;
  readonly durationMs: number | null;
  readonly passed: number;
  readonly dropped: number;
  readonly credentials: number;
  readonly hostsReached: number;
  readonly hostsRefused: number;
  readonly aside: number;
}

export interface RunningLaunch {
  readonly pid: number;
  readonly program: string;
  readonly folder: string | null;
  readonly startedMs: number;
}

/** A line of a record that can't be read: how long it is, and how it begins. */
export interface DamagedLine {
  readonly bytes: number;
  readonly head: string;
}

export interface Launches {
  /** Changes when the record was rotated: what the page holds is then asked for anew. */
  readonly generation: string;
  /** How many launches the record holds. */
  readonly total: number;
  /** Where `rows` begin, counted from the oldest. */
  readonly from: number;
  readonly rows: readonly LaunchRow[];
  readonly running: readonly RunningLaunch[];
  /** How many hosts wait for an answer. */
  readonly asking: number;
  readonly damaged: readonly DamagedLine[];
  readonly damagedCount: number;
}

/** Connections of one launch to one host with the same outcome. */
export interface Host {
  readonly name: string;
  readonly outcome: 'reached' | 'refused' | 'failed';
  readonly reason: string;
  readonly count: number;
  readonly sent: number;
  readonly received: number;
}

export interface AsideFile {
  readonly path: string;
  readonly kind: string;
  /** What it would run, later and outside, once it is taken over. */
  readonly runs: string | null;
}

export interface LaunchDetails {
  readonly row: LaunchRow;
  readonly passed: readonly string[];
  readonly set: readonly string[];
  readonly credentials: readonly string[];
  /** Of the credentials those whose value never reached the command. */
  readonly brokered: readonly string[];
  readonly dropped: readonly { readonly name: string; readonly rule: string }[];
  readonly asked: string;
  readonly preset: string;
  readonly network: string;
  readonly hosts: readonly Host[];
  readonly aside: readonly AsideFile[];
}

export type PolicyKind = 'defaults' | 'profile' | 'agent' | 'tool';

export interface PolicyName {
  readonly kind: PolicyKind;
  readonly name: string;
}

export interface PolicyEntry extends PolicyName {
  readonly where: string;
  readonly description: string;
  readonly error: string | null;
  readonly passed: number;
  readonly dropped: number;
  readonly added: number;
}

/** What is tried on top of a policy, without saving. */
export interface WhatIf {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly guard: string;
}

export interface PolicyLine {
  readonly key: string;
  readonly value: string;
  readonly origin: string;
}

export interface VariableDecision {
  readonly name: string;
  readonly verdict: 'pass' | 'drop' | 'set' | 'credential';
  readonly rule: string;
  readonly origin: string;
  readonly reason: string;
}

export interface ResolvedPolicy extends PolicyName {
  readonly where: string;
  readonly description: string;
  readonly chain: readonly string[];
  readonly lines: readonly PolicyLine[];
  readonly decisions: readonly VariableDecision[];
  readonly warnings: readonly string[];
}

export interface ProofRun {
  readonly id: string;
  readonly date: string;
  readonly verdict: string;
  readonly complete: boolean;
  readonly launchers: readonly string[];
  readonly counts: readonly ProofCounts[];
}

export interface ProofCounts {
  readonly launcher: string;
  readonly leaked: number;
  readonly open: number;
  readonly blocked: number;
  readonly notApplicable: number;
}

export interface ProofProbe {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  readonly gives: string;
  /** In the order of the launchers. */
  readonly cells: readonly ProofCell[];
}

export interface ProofCell {
  readonly status: string;
  readonly reason: string;
  /** What it was in the run before, where that differs. */
  readonly before: string | null;
}

export interface Proofs {
  readonly runs: readonly ProofRun[];
  /** The run that was asked for, else the newest. */
  readonly shown: (ProofRun & { readonly probes: readonly ProofProbe[]; readonly comparedWith: string | null }) | null;
}

export interface ServiceSample {
  readonly time: number;
  readonly sessions: number;
  readonly running: number;
  readonly calls: number;
}

export interface RunningService {
  readonly address: string;
  readonly startedMs: number;
  readonly reachable: boolean;
  readonly users: number;
  readonly sessions: number;
  readonly opened: number;
  readonly running: number;
  readonly calls: readonly { readonly kind: string; readonly outcome: string; readonly count: number }[];
  readonly limits: readonly { readonly limit: string; readonly count: number }[];
  readonly refusedTokens: number;
  /** Cumulative, as a histogram of Prometheus: up to `le` seconds. */
  readonly durations: readonly { readonly le: string; readonly count: number }[];
  readonly samples: readonly ServiceSample[];
}

export interface Sessions {
  readonly services: readonly RunningService[];
}

/** A host that a launch with `--net ask` waits for. */
export interface HostQuestion {
  readonly id: string;
  readonly host: string;
  readonly command: string;
  /** Where the policy of that launch comes from. */
  readonly policy: string;
  readonly time: number;
  /** When it is refused, if nobody answers. */
  readonly until: number;
}

/** A name that launches asked for and were refused. */
export interface RefusedName {
  readonly name: string;
  readonly reason: string;
  readonly count: number;
  /** The newest launch that asked. */
  readonly launch: string;
}

export interface PendingChange {
  readonly launch: string;
  readonly command: string;
  readonly time: number;
  readonly count: number;
  /** Files that could not be kept. */
  readonly lost: number;
  /** The first of them. */
  readonly files: readonly AsideFile[];
}

export interface AllPending {
  /** The oldest first, and at most some. */
  readonly questions: readonly HostQuestion[];
  readonly asking: number;
  /** The profiles that a host can be written to, by name. */
  readonly profiles: readonly string[];
  readonly names: readonly RefusedName[];
  readonly changes: readonly PendingChange[];
}

export type PageDecision = FilesDecision | HostDecision;

export interface FilesDecision {
  readonly launch: string;
  readonly answer: 'apply' | 'drop';
}

export interface HostDecision {
  readonly question: string;
  readonly answer: 'once' | 'launch' | 'no';
  /** Written to this profile, too. */
  readonly profile?: string;
}

export interface AppliedFile {
  readonly path: string;
  readonly outcome: 'applied' | 'same' | 'refused';
  readonly why: string;
}

export interface Decided {
  readonly files: readonly AppliedFile[];
  readonly pending: AllPending;
}

/** What `--static` keeps inside the page. */
export interface KeptPage {
  readonly version: string;
  readonly date: string;
  readonly launches: Launches;
  readonly details: Readonly<Record<string, LaunchDetails>>;
  readonly policies: readonly PolicyEntry[];
  readonly resolved: readonly ResolvedPolicy[];
  readonly proofs: Proofs;
  readonly sessions: Sessions;
  readonly pending: AllPending;
}
