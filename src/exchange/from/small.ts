import { type Draft, quoted } from '../draft.ts';
import { at, entriesAt, type Json, listAt, mapAt, textsAt } from '../json.ts';
import type { Importer } from './importer.ts';

/** Source: the page about env policies of ixt. Tables have keys that are not about policies: where a tool comes from, its version. */
export const ixt: Importer = {
  format: 'ixt',
  title: 'ixt',
  syntax: 'TOML',
  needs: 'tools',
  recognises: ({ data }) =>
    entriesAt(at(data, 'tools')).some(([, tool]) =>
      Object.keys(mapAt(tool) ?? {}).some((key) => /^(env|fs)_/.test(key)),
    ),
  read: ({ data, only }, draft) => {
    const tools = entriesAt(at(data, 'tools'));
    const [name, tool] =
      tools.length === 1 ? (tools[0] as (typeof tools)[0]) : (tools.find(([one]) => one === only) ?? []);
    if (name === undefined || tool === undefined)
      return draft.row(
        'tools',
        "can't be said",
        `several tools: give --only ${tools.map(([one]) => quoted(one)).join(' or ')}`,
        { needsAccept: true },
      );
    const base = String(at(tool, 'env_base') ?? 'all');
    if (['all', 'none', 'os-common'].includes(base)) draft.profile.environment.base = base;
    else draft.unknown(`tools.${name}.env_base`);
    draft.profile.filesystem.preset = 'all';
    for (const [key, value] of entriesAt(tool)) readToolKey(`tools.${name}.${key}`, key, value, draft);
    for (const [key] of entriesAt(data)) if (key !== 'tools') draft.aside(key);
  },
};

function readToolKey(way: string, key: string, value: Json, draft: Draft) {
  if (key === 'env_base') draft.row(way, 'same', `base ${quoted(String(value))}`);
  else if (key === 'env_allow') {
    const bad = draft.texts(way, value).filter((pattern) => !draft.allowGlob(pattern));
    for (const pattern of bad) draft.row(`${way}(${quoted(pattern)})`, 'narrower', 'this is not a pattern');
    draft.row(way, 'same', 'allow_patterns');
  } else if (key === 'env_deny') readToolDeny(way, value, draft);
  else if (/^(fs|net)_/.test(key)) draft.unknown(way);
  else draft.aside(way, 'not about the policy of the tool');
}

function readToolDeny(way: string, value: Json, draft: Draft) {
  const entries =
    mapAt(value) === undefined ? draft.texts(way, value).map((one) => [one, null] as const) : entriesAt(value);
  for (const [pattern, rule] of entries) {
    const except = textsAt(at(rule, 'except'));
    if (!draft.deny(except.length === 0 ? pattern : { pattern, except: [...except] }))
      draft.row(`${way}(${quoted(pattern)})`, 'wider', 'this is not a pattern');
  }
  draft.row(way, 'same', 'deny_vars, with the exceptions of each');
}

/** Source: the page about sandboxed environment variables of Ag3ntum. */
export const ag3ntum: Importer = {
  format: 'ag3ntum',
  title: 'Ag3ntum secrets',
  syntax: 'YAML',
  needs: 'sandboxed_envs',
  recognises: ({ data }) => at(data, 'sandboxed_envs') !== undefined,
  read: ({ data }, draft) => {
    const { environment, filesystem } = draft.profile;
    environment.allow_vars = [];
    environment.set_vars = { PATH: '/usr/bin:/bin', HOME: '$WORKDIR' };
    filesystem.preset = 'workspace';
    draft.profile.isolation = 'barrier';
    draft.row('(sandbox)', 'same', 'nothing is inherited, PATH is /usr/bin:/bin, HOME the working folder');
    for (const [name, value] of entriesAt(at(data, 'sandboxed_envs'))) {
      if (typeof value === 'string') draft.secret(`sandboxed_envs.${name}`, name, value);
      else draft.row(`sandboxed_envs.${name}`, 'narrower', 'not text, so not there');
    }
    for (const [key] of entriesAt(data)) {
      if (key === 'anthropic_api_key') draft.aside(key, "the main process's own key, which no sandbox gets");
      else if (key !== 'sandboxed_envs') draft.unknown(key);
    }
  },
};

const NAME = /^[A-Z_][A-Z0-9_]*\*?$/;

/** Source: codegenie's decision about a static allowlist. A list of names, one a line, or in a module of Python or JavaScript. */
export const names: Importer = {
  format: 'names',
  title: 'a list of names',
  syntax: 'lines',
  holdsAny: ({ text, data, path }) => textsAt(data).length + namesIn(text, path).length > 0,
  recognises: ({ text, data, path }) => {
    if (Array.isArray(data))
      return listAt(data).length > 0 && listAt(data).every((item) => typeof item === 'string' && NAME.test(item));
    if (data !== undefined) return false;
    return namesIn(text, path).length > 1;
  },
  read: ({ text, data, path }, draft) => {
    draft.profile.environment.base = 'none';
    draft.profile.environment.allow_vars = [];
    draft.profile.environment.guard = 'strip';
    for (const name of Array.isArray(data) ? textsAt(data) : namesIn(text, path))
      draft.row(name, draft.allowVar(name) ? 'same' : 'narrower', 'allow_vars');
    draft.row(
      '(denied words)',
      'narrower',
      'the guard strips KEY, TOKEN, SECRET, PASSWORD, more words, and credentials in values',
    );
  },
};

function namesIn(text: string, path: string): string[] {
  if (/\.(py|js|ts|mjs)$/.test(path)) {
    const found = [...text.matchAll(/(["'])([A-Z_][A-Z0-9_]*\*?)\1/g)].map((match) => match[2] as string);
    return [...new Set(found)].filter((name) => !['KEY', 'TOKEN', 'SECRET', 'PASSWORD'].includes(name));
  }
  const lines = text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '');
  return lines.every((line) => NAME.test(line)) ? lines : [];
}
