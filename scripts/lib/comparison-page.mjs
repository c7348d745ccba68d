// docs/comparison.md from the results of one run.
import { markdownTable } from './markdown-table.mjs';
import { brokenCommand, wrapped } from './wrap.mjs';

/** Short names for the groups. */
const WORDS = {
  environment: 'its own environment',
  processes: 'other processes',
  descriptors: 'left-open descriptors',
  authority: 'daemons and agents',
  files: 'credential files',
  terminal: 'terminal',
  injection: 'code in variables',
  refill: 'shells refilling',
  network: 'network',
  broker: 'brokered credentials',
  planting: 'planting for later',
  kernel: 'kernel interfaces',
};
const MARKS = { leaked: '✗', open: '✗', blocked: '✓', 'not applicable': '–' };

const table = (head, lines) => markdownTable(head, lines, ':---:');

/** As the probes have them, so that a new one is on the page too. */
const groupsOf = ({ probes }) => [...new Set(probes.map(({ group }) => group))];
const wordsFor = (group) => WORDS[group] ?? group;

/** The columns in the order of the run: the control, Cordon, then the peers as they were given. */
function columnsOf({ peers, proof }, own = 'cordon run') {
  const named = [
    { title: 'nothing' },
    { title: own },
    ...peers.map(({ title, variant }) => ({ title: variant === 'default' ? title : `${title}, configured` })),
  ];
  return proof.launchers.map((launcher, i) => ({ ...launcher, name: named[i]?.title ?? launcher.title, place: i }));
}

/** What became of a probe under one launcher. */
function statusIn(proof, { title }, id) {
  return proof.results.find((result) => result.launcher === title && result.probe === id)?.status;
}

function groupTable(proof, columns) {
  const groups = groupsOf(proof);
  const cell = (column, group) => {
    const statuses = proof.probes.filter((probe) => probe.group === group).map(({ id }) => statusIn(proof, column, id));
    const tried = statuses.filter((status) => status !== 'not applicable' && status !== undefined).length;
    return tried === 0 ? '–' : `${statuses.filter((status) => status === 'blocked').length}/${tried}`;
  };
  return table(
    ['held / tried', ...columns.map(({ name }) => name)],
    groups.map((group) => [wordsFor(group), ...columns.map((column) => cell(column, group))]),
  );
}

function probeTable(proof, columns, group) {
  const probes = proof.probes.filter((probe) => probe.group === group);
  const lines = probes.map(({ id, title }) => [
    `${title} (\`${id}\`)`,
    ...columns.map((column) => MARKS[statusIn(proof, column, id)] ?? '–'),
  ]);
  return table(['', ...columns.map(({ name }) => name)], lines);
}

function commandsOf(peers) {
  return peers
    .map(({ title, variant, line, needs, note, version }, i) => {
      const isFirst = peers.findIndex((peer) => peer.title === title) === i;
      const head = `### ${title}${version === undefined ? '' : ` ${version}`}\n\n${wrapped(`${note} Needs ${needs}.`)}\n\n`;
      return `${isFirst ? head : ''}${variant}:\n\n\`\`\`\n${brokenCommand(withoutPlaces(line))}\n\`\`\`\n`;
    })
    .join('\n');
}

/** Where this checkout and the peers lie is nobody's business. */
function withoutPlaces(line) {
  return line.replace(/(?<=^|[\s"'=])\/[^\s"'=]*\/(bin|codex-home|peers)(?=\/|\s|$)/g, (path, last) =>
    path.startsWith('/usr/') ? path : `…/${last}`,
  );
}

/** Told the same hosts and the same credential by each in its own words. */
function namedPart(named) {
  const columns = columnsOf(named, 'cordon run --net HOST --broker');
  const { proof, peers } = named;
  const details = groupsOf(proof).map(
    (group) => `<details><summary>${wordsFor(group)}</summary>\n\n${probeTable(proof, columns, group)}\n\n</details>`,
  );
  return `## With a list of hosts, and a credential for one of them
Each probe names hosts that may be reached, and those of the broker a credential that one of them may have. Launchers
that can be told so were told exactly that, by \`bench/peers/named.mjs\`. – is what one has no word for, or a trial that
did not get as far as the host that it may reach. Servers on the loopback stand in for the hosts.

${groupTable(proof, columns)}

${commandsOf(peers)}
${details.join('\n\n')}

`;
}

export function pageOf(results) {
  const { peers, proof } = results;
  const columns = columnsOf(results);
  const { machine } = proof;
  const groups = groupsOf(proof);
  return `# What leaks, side by side

You want to know how much the launcher that you use today leaves open, or whether Cordon would close more of it. Find it
in the first table. Written by \`scripts/comparison.mjs\` from one run of \`cordon prove\`: ${proof.probes.length} ways to
get at what a command should not have, each tried in a throw-away home with planted stand-ins, under every launcher in
turn.

- Run: ${proof.date.slice(0, 10)}, Linux ${/^\d+\.\d+/.exec(machine.kernel)?.[0]} (${machine.arch}), as ${machine.user === 'root' ? 'root' : 'an ordinary user'}.
- ✓ held, ✗ it got through, – could not be tried there (the launcher did not start that trial, or it does not work on
  this machine even unprotected).
- A probe that looks in several places counts as held when none of them gave anything.
- **nothing** is the control: a probe that finds nothing there says nothing about the others.
- **cordon run** is \`cordon run\` without any policy or flag: network on, filesystem \`guarded\`. What it leaves open by
  that choice counts as ✗ here like anywhere.

To be fair: these programs have different aims. Each stands here twice, with its own defaults and as somebody who cares
about credentials would set it up (the exact lines are below). A read-only disk without network breaks more work than it
protects for some, and is just right for others; the numbers don't say which.

${groupTable(proof, columns)}

## To repeat it
<!-- by: test/project/comparison.test.ts -->
\`\`\`sh
./scripts/install-peers
node scripts/comparison.mjs
\`\`\`

One of them alone: \`cordon prove --under firejail\`.

${results.named === undefined ? '' : namedPart(results.named)}## The launchers as they were started
${commandsOf(peers)}
## Every probe
${groups.map((group) => `<details><summary>${wordsFor(group)}</summary>\n\n${probeTable(proof, columns, group)}\n\n</details>`).join('\n\n')}
`;
}
