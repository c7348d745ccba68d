import { readyTask } from '../../agents/command.ts';
import { shellWords } from '../../agents/template.ts';
import { showBytes } from '../../host/bytes.ts';
import { taskFromFlags } from '../agent-task.ts';
import { hasFlag } from '../flags.ts';
import type { AgentSubcommand } from './agent.ts';

/** The command line that `agent run` would start, as it could be typed. */
export const run: AgentSubcommand['run'] = async (parsed, context) => {
  const task = await taskFromFlags(parsed, context);
  const { argv, stdin } = readyTask(task);
  if (hasFlag(parsed, '--json')) {
    const shown = {
      argv: argv.map(showBytes),
      stdin: stdin === undefined ? null : showBytes(stdin),
      workdir: task.workdir,
    };
    context.out(`${JSON.stringify(shown, null, 2)}\n`);
  } else context.out(`${stdin === undefined ? '' : `printf %s ${shellWords([stdin])} | `}${shellWords(argv)}\n`);
  return 0;
};
