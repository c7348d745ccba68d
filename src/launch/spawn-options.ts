type Channel = 'inherit' | 'pipe' | 'ignore';

export interface StdioOptions {
  readonly stdin?: Channel;
  readonly stdout?: Channel;
  readonly stderr?: Channel;
}

export function stdioOf({ stdin, stdout, stderr }: StdioOptions): [Channel, Channel, Channel] {
  return [stdin ?? 'inherit', stdout ?? 'inherit', stderr ?? 'inherit'];
}

/**
 * An environment object for node:child_process that stays what it is: no prototype to be polluted, and NODE_V8_COVERAGE taken, since
 * Node adds it from its own environment to any object without that key.
 */
export function emptyEnvironment(): NodeJS.ProcessEnv {
  return Object.assign(Object.create(null), { NODE_V8_COVERAGE: undefined }) as NodeJS.ProcessEnv;
}
