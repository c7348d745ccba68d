/** Cordon's own variables: read before any policy, never handed on. */
export const CONTROL_VARIABLES = [
  'CORDON_HOME',
  'CORDON_POLICY_QUIET',
  'CORDON_QUIET',
  'CORDON_DISABLE_BWRAP',
  'CORDON_SHIM_DEBUG',
  'CORDON_SHIM_VERBOSE',
  'CORDON_LOG',
  'CORDON_FRONT',
] as const;
