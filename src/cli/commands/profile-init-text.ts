import type { Answers } from './profile-init-answers.ts';

/** A profile in JSON with comments that says what each part is for. */
export function profileText({ name, agent, tools, credentials }: Answers): string {
  const bases = [...(agent === 'none' ? [] : [agent]), ...tools.map((tool) => `${tool}-dev`)];
  const json = (value: unknown) => JSON.stringify(value);
  return `// Shown as a whole, with what it builds on: cordon profile show ${name}
{
  "meta": {
    "name": ${json(name)},
    "description": ${json(descriptionOf(agent, tools))}
  },

  // The profiles this one builds on, in order: lists add up, this file wins elsewhere.
  "extends": [${(bases.length === 0 ? ['default'] : bases).map(json).join(', ')}],

  "environment": {
    // Further variables of the shell that pass: exact names, or PREFIX* for all that begin so.
    "allow_vars": [],
    // What never passes, whatever is allowed. An exception: { "pattern": "*TOKEN*", "except": ["MY_TOKEN_COUNT"] }
    "deny_vars": [],
    // Fixed values. No place for secrets.
    "set_vars": {}
  },

  // Credentials from the vault (cordon creds set NAME), whatever the lists above say: "NAME IN THE VAULT": "VARIABLE".
  // Other sources: "env://VARIABLE", "file:///path", "keyring://service/account", "op://vault/item/field".
  "env_credentials": ${credentialText(credentials)},

  // Places on top of the preset: "write" and "read" let them through, "hide" takes them away, "expose" lifts a mask.
  // The workspace is yours to write; "aside" puts aside what is written there, "read-only" lets nothing be written.
  "filesystem": { "write": [], "read": [], "expose": [] },

  // true cuts the network off.
  "network": { "block": false },

  // auto: behind the barrier where there is one. barrier: there or not at all. filter: only the environment.
  "isolation": "auto",

  // true replaces injected credentials in what the program prints.
  "redact": false
}
`;
}

function descriptionOf(agent: string, tools: readonly string[]): string {
  const who = agent === 'none' || agent === 'agent' ? 'My own work' : `My ${agent}`;
  return tools.length === 0 ? who : `${who}, with ${tools.join(', ')}`;
}

function credentialText(credentials: readonly string[]): string {
  if (credentials.length === 0) return '{}';
  return `{\n${credentials.map((name) => `    ${JSON.stringify(name)}: ${JSON.stringify(name)}`).join(',\n')}\n  }`;
}
