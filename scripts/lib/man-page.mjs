// The manual page in man(7), from the table that --help shows and the words below.
const DATE = '2026-11-15';

const DESCRIPTION = `Cordon decides which environment variables and which secrets reach a command, starts it that way, behind a barrier it
cannot look around, and says for every variable why. The environment of the command is built from empty: what no rule admits does not arrive.
Without a policy the base is os-common, the filesystem guarded and the isolation auto.`;

const PATTERNS = `A pattern covers the whole name, case-sensitive: * any characters, ? one, [seq] one of these, [!seq] none of these.
Quote it in the shell. A deny wins over base and allow; the code-injection list (LD_PRELOAD, NODE_OPTIONS, BASH_ENV and others) never passes.`;

const EXIT_CODES = [
  ['0', 'Success. With run, agent run and a tool, the exit code is that of the command.'],
  ['1', 'check found errors or warnings; with prove, something leaked that the policy promises to hold.'],
  ['124', 'agent run: --timeout ended the agent.'],
  ['125', 'Cordon itself failed or refused; nothing was started.'],
  ['126', 'The command was found and cannot be run.'],
  ['127', 'The command was not found.'],
  ['128+n', 'Signal n ended the command.'],
];

const FILES = [
  ['~/.config/cordon/cordon.toml', 'Policies of tools, agents, roles and scopes.'],
  ['~/.config/cordon/profiles/', 'Profiles: NAME.json, .jsonc, .toml, .yaml or .yml.'],
  [
    '~/.config/cordon/secrets.yaml, ~/.config/cordon/users/NAME/secrets.yaml',
    'Secrets of sessions, for mcp and serve.',
  ],
  ['~/.local/share/cordon/bin/', 'The shims of tools; first on PATH.'],
  ['~/.local/state/cordon/vault/', 'The vault, encrypted.'],
  ['~/.local/state/cordon/audit.jsonl', 'One line for each launch, never a value.'],
];

const ENVIRONMENT = [
  ['CORDON_HOME', 'One folder for all of the files above: cordon.toml and profiles/ in it, bin/, and state/.'],
  ['CORDON_LOG', 'info or debug: what was decided, on standard error, never a value.'],
  ['CORDON_DISABLE_BWRAP', 'Set to 1: filter although there is bubblewrap. What needs the barrier is refused.'],
  ['CORDON_POLICY_QUIET', 'Set to 1: a shim does not warn that there is no barrier.'],
  ['CORDON_SHIM_DEBUG, CORDON_SHIM_VERBOSE', 'Set to 1: a shim prints its policy, and what passes and is blocked.'],
  ['XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME', 'Where the files above are instead.'],
  ['NO_COLOR', 'No colours in the output of Cordon.'],
];

const ENVIRONMENT_END = 'None of the variables that begin with CORDON_ reaches a command.';

export function manPage({ commands, usageOf, flagGroups, sentence, policyFlags, version }) {
  const command = (entry) => [
    `.SS ${text(entry.name)}`,
    filled(sentence(entry.summary)),
    ...usageOf(entry).flatMap(definition),
    ...ownFlags(flagGroups(entry)).flatMap(definition),
    '.PP',
    entry.examples.length === 1 ? 'Example:' : 'Examples:',
    ...example(entry.examples),
  ];
  return [
    '.\\" Written by scripts/man-page.mjs.',
    `.TH CORDON 1 "${DATE}" "cordon ${version}" "User commands"`,
    '.SH NAME',
    'cordon \\- start a command with only the variables and secrets it needs',
    '.SH SYNOPSIS',
    '.nh',
    '.ad l',
    `.B ${text('cordon run [POLICY] -- CMD ARG…')}`,
    '.br',
    `.B ${text('cordon COMMAND [FLAG…] [WORD…]')}`,
    '.br',
    `.B ${text('cordon help [COMMAND]')}`,
    '.SH DESCRIPTION',
    paragraph(DESCRIPTION),
    '.SH COMMANDS',
    ...commands.flatMap(command),
    '.SH POLICY',
    'Where a command takes a POLICY, these flags make it up.',
    ...policyFlags.flatMap(definition),
    '.PP',
    paragraph(PATTERNS),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(item),
    '.SH FILES',
    ...FILES.flatMap(item),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(item),
    '.PP',
    text(ENVIRONMENT_END),
    '.SH SEE ALSO',
    '.BR bwrap (1),',
    '.BR env (1),',
    '.BR environ (7)',
    '.PP',
    filled(`The folder docs of the package: ${pages(commands)}. What is protected and what not: SECURITY.md.`),
    '',
  ].join('\n');
}

const ownFlags = ([{ flags }]) => flags.filter(({ term }) => term !== '--help');
const paragraph = (words) => filled(words.replaceAll('\n', ' '));
const definition = ({ term, text: what }) => item([term, what]);
const item = ([term, what]) => ['.TP', `.B ${text(term)}`, filled(what) || '\\&'];
const example = (lines) => ['.PP', '.EX', ...lines.map((line) => `    ${text(line)}`), '.EE'];
const pages = (commands) => [...new Set(commands.flatMap(({ page }) => page ?? []))].join(', ');

const CHARACTERS = {
  '\\': '\\e',
  '-': '\\-',
  '…': '...',
  '’': "'",
  '~': '\\(ti',
  '^': '\\(ha',
  '`': '\\(ga',
  "'": '\\(aq',
};

/** Text is filled anew by whoever shows it; in the file its lines are short. */
const filled = (words) =>
  text(words)
    .replace(/(.{1,78})(?: |$)/g, '$1\n')
    .trimEnd();

/** What roff would take for its own, or not know, is written the way it wants it. */
function text(words) {
  const escaped = words.replace(/[\\\-…’~^`']/g, (character) => CHARACTERS[character]);
  const strange = /[^\x20-\x7e]/.exec(escaped);
  if (strange) throw new Error(`the manual page has no way to write '${strange[0]}' in: ${words}`);
  return escaped.replace(/^\./, '\\&.');
}
