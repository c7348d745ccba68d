/** docs/compatibility.md from the rows of one run. */
const SIGN = {
  same: 'the same',
  flag: 'with a flag',
  'flag, not named': 'with a flag, which no line names',
  differs: '**differs**',
  'fails outside': 'not tried: fails outside too',
};

const cell = (text) => `\`${text.replaceAll('|', '\\|')}\``;

export function pageOf(rows) {
  const count = (result) => rows.filter((row) => row.result === result).length;
  const groups = [...new Set(rows.map(({ group }) => group))];
  return `<!-- Written by .ci/compatibility --write; do not edit. -->
# Which ordinary commands work inside

You want to know whether your day still works behind \`cordon run\` before you try. A hundred commands that people type
were written down first, and then run twice in a home that is lived in: outside, and as \`cordon run -- COMMAND\` without
any flag. Exit code and output have to be the same. **${count('same')} of ${rows.length} are the same without a flag**, ${count('flag')} more with a
flag that the line about a failed command, or \`cordon explain\`, names.

Where a flag is given, the command uses a credential or a file of yours, which are not shown unless you say so:
[what the command sees of your files](filesystem.md). Nothing but loopback was dialled; servers for git, ssh, npm, pip,
gh and Postgres stood there. The commands and their folders:
[scenarios.txt](../test/compatibility/scenarios.txt). To try it yourself, as root: \`.ci/compatibility\`.

${groups
  .map(
    (group) =>
      `## ${group}\n| command | inside |\n|---|---|\n${rows
        .filter((row) => row.group === group)
        .map(pageOf.row)
        .join('\n')}\n`,
  )
  .join('\n')}`;
}

pageOf.row = ({ command, result, needs }) =>
  `| ${cell(command)} | ${SIGN[result]}${result.startsWith('flag') ? `: \`${needs}\`` : ''} |`;
