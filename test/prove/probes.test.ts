import { describe, expect, it } from 'vitest';
import { GROUPS, groupOf, PROMISES } from '../../prove/probe.ts';
import { PROBES } from '../../prove/probes/index.ts';

const REFERENCE = /^(https:\/\/\S+|[a-z][\w.+-]*\(\d\w*\))$/;

describe('the probes', () => {
  it('are sixty at least, with something in every group', () => {
    expect(PROBES.length).toBeGreaterThanOrEqual(60);
    expect(new Set(PROBES.map(groupOf))).toEqual(new Set(Object.keys(GROUPS)));
  });

  it('have ids of their own', () => {
    const ids = PROBES.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('have titles of their own', () => {
    const titles = PROBES.map(({ title }) => title);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });

  it.each(PROBES.map((probe) => [probe.id, probe] as const))('%s says what a reader needs', (id, probe) => {
    expect(id).toMatch(/^[a-z]+\/[a-z0-9]+(-[a-z0-9]+)*$/);
    for (const text of [probe.title, probe.gives, probe.planted, probe.tried]) {
      expect(text.trim()).toBe(text);
      expect(text.length).toBeGreaterThan(4);
    }
    expect(probe.reference).toMatch(REFERENCE);
    expect(PROMISES).toContain(probe.promise);
  });
});
