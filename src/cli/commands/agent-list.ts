import { type AgentState, agentStates } from '../../agents/login.ts';
import { showText } from '../../host/bytes.ts';
import { agentConfig } from '../agent-policy.ts';
import type { Context } from '../context.ts';
import { flagValues, hasFlag, usageError } from '../flags.ts';
import { painter } from '../ui/colour.ts';
import { table } from '../ui/table.ts';
import type { AgentSubcommand } from './agent.ts';

export const run: AgentSubcommand['run'] = async (parsed, context) => {
  if (flagValues(parsed, '--agent').length > 0) throw usageError('agent list takes no words');
  const states = await agentStates(agentConfig(context), context.env);
  if (hasFlag(parsed, '--json')) context.out(`${JSON.stringify(states.map(asJson), null, 2)}\n`);
  else context.out(agentTable(states, context));
  return 0;
};

const asJson = (state: AgentState) => ({ ...state, installed: state.path !== null });

function agentTable(states: readonly AgentState[], context: Context): string {
  const paint = painter(context.colour.out);
  const titles = ['NAME', 'INSTALLED', 'VERSION', 'LOGGED IN', 'KEYS SET'];
  return table({
    columns: [...titles.map((title) => ({ title })), { title: 'NOT SET', flexible: true }],
    rows: states.map((state) => cellsOf(state).map(showText)),
    width: context.columns,
    paintTitle: (cell) => paint('bold', cell),
    paint: (cell, row, column) => (column === 0 && states[row]?.path !== null ? paint('green', cell) : cell),
  });
}

function cellsOf({ name, path, version, loggedIn, keys }: AgentState): string[] {
  const names = (wanted: boolean) => keys.filter(({ set }) => set === wanted).map((key) => key.name);
  return [
    name,
    path === null ? 'no' : 'yes',
    version ?? '-',
    loggedIn === null ? '-' : yesOrNo(loggedIn),
    names(true).join(' ') || '-',
    names(false).join(' ') || '-',
  ];
}

const yesOrNo = (yes: boolean) => (yes ? 'yes' : 'no');
