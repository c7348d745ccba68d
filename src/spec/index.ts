export { SandboxSpecBuilder, type SandboxSpecOptions } from './builder.ts';
export { explainSandboxEnv, filterSandboxEnv, type HostVariables, isSandboxEnv, type SandboxEnv } from './filter.ts';
export { SandboxSpecForbidden } from './forbidden.ts';
export type { SandboxException, SandboxOptions } from './options.ts';
export type { SandboxDecision } from './policy.ts';
export type { SandboxMount, SandboxSpec } from './spec.ts';
