/**
 * The one way from a host's environment into a sandbox spec. A variable that every sandbox needs is added here, with a review;
 * one that a single spec needs goes into that spec's `addToAllowlist`. Neither can admit a name that DENIED_WORDS forbids.
 */
export const ALLOWLIST: { readonly names: readonly string[]; readonly prefixes: readonly string[] } = Object.freeze({
  names: Object.freeze(['HTTPS_PROXY', 'NODE_ENV', 'PATH']),
  prefixes: Object.freeze(['NPM_CONFIG_']),
});
