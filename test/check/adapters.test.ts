import { expect, it } from 'vitest';
import { BUILT_IN_ADAPTERS } from '../../src/agents/registry.ts';
import { Findings } from '../../src/check/finding.ts';
import { checkBuiltInAdapters } from '../../src/check/kinds/config.ts';
import { agentIn } from '../../src/check/shell/agents.ts';
import { Source } from '../../src/policy/load/source.ts';

function rulesFor(extraKeys?: string[]): string[] {
  const findings = new Findings(new Source('built-in agents'));
  const adapters = BUILT_IN_ADAPTERS.map((adapter) => (extraKeys === undefined ? adapter : { ...adapter, extraKeys }));
  checkBuiltInAdapters(findings, adapters);
  return [...new Set(findings.list().map(({ rule }) => rule))];
}

it('holds the built-in adapters to the rules for everybody', () => {
  expect(rulesFor()).toEqual([]);
  expect(rulesFor(['*'])).toEqual(['agent-wildcard']);
  expect(rulesFor(['LD_PRELOAD'])).toEqual(['entry-does-nothing']);
});

it('takes no key that an adapter passes on for a foreign one', () => {
  const started = BUILT_IN_ADAPTERS.flatMap(({ program, extraKeys }) => {
    const agent = agentIn(`${program} go`);
    return agent === undefined
      ? []
      : [{ name: agent.name, missing: extraKeys.filter((key) => !agent.keys.includes(key)) }];
  });
  expect(new Set(started.map(({ name }) => name)).size).toBe(10);
  expect(started.filter(({ missing }) => missing.length > 0)).toEqual([]);
  expect(agentIn('claude go')?.keys).toContain('CLAUDE_CODE_OAUTH_TOKEN');
});
