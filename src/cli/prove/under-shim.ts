import { join } from 'node:path';
import type { Attempt, Start } from '../../../prove/attempt.ts';
import type { Launcher } from '../../../prove/launchers.ts';
import type { Probe } from '../../../prove/probe.ts';
import type { Scene } from '../../../prove/scene.ts';
import { bytesOfText, showBytes } from '../../host/bytes.ts';
import { findCommand } from '../../host/folders.ts';
import { ParentEnv } from '../../host/parent-env.ts';
import { changeTools } from '../../tools/change.ts';
import { becomes, edited } from '../../tools/edits.ts';
import { placesOf, toolSetup } from '../../tools/setup.ts';
import { hasFsPolicy, type ToolFilesystem, type ToolPolicy } from '../../tools/tool-policy.ts';
import { relocate, type Whereabouts } from './relocate.ts';

export interface UnderShim {
  readonly from: Whereabouts;
  readonly version?: string | undefined;
}

/** The shim of a tool, written in the scene by the code that writes the user's, with the trial's program in the tool's place. */
export function underShim(tool: ToolPolicy, options: UnderShim): Launcher {
  const start = ({ scene, env, trial: [program = '', ...args] }: Attempt): Start => {
    const caller = ParentEnv.fromRecord(env);
    const places = placesOf(caller);
    const setup = { ...toolSetup(caller, places), homes: { home: scene.home, passwdHome: undefined } };
    const there = { ...tool, fs: relocatedPaths(tool.fs, options.from, scene) };
    changeTools(setup, (config) => ({
      text: edited(config, tool.name, becomes(config.tools.get(tool.name), there)),
      pins: new Map([[tool.name, findCommand(bytesOfText(program), caller)]]),
      remove: [],
    }));
    return { argv: [join(places.bin, tool.name), ...args] };
  };
  return {
    kind: 'cordon',
    title: 'cordon',
    version: options.version,
    flags: `--tool ${tool.name}`,
    start,
    leaves: leftByShim(tool),
    loosened: {
      by: loosenings(tool).map(({ by }) => by),
      without: (these) => {
        const dropped = loosenings(tool).filter((_, i) => these.has(i));
        return underShim(
          dropped.reduce((now, { without }) => without(now), tool),
          options,
        );
      },
    },
  };
}

/** `~` and `$HOME` mean the home of the scene by themselves. */
function relocatedPaths(fs: ToolFilesystem, from: Whereabouts, scene: Scene): ToolFilesystem {
  const moved = (path: string) => (/^[~$]/.test(path) ? path : relocate(path, from, scene));
  const move = (paths: readonly string[]) => paths.map(moved);
  const { folder } = fs.workspace;
  return {
    ...fs,
    write: move(fs.write),
    read: move(fs.read),
    hide: move(fs.hide),
    expose: move(fs.expose),
    workspace: { ...fs.workspace, ...(folder === undefined ? {} : { folder: moved(folder) }) },
  };
}

interface ToolLoosening {
  readonly by: string;
  readonly without: (tool: ToolPolicy) => ToolPolicy;
}

/** What lets things through because the user wrote so. */
function loosenings({ base, allow, fs }: ToolPolicy): ToolLoosening[] {
  const wideBase: ToolLoosening = {
    by: `base all (${base.origin})`,
    without: (tool) => ({ ...tool, base: { ...tool.base, preset: 'os-common' } }),
  };
  return [
    ...(base.preset === 'all' ? [wideBase] : []),
    ...allow.map((rule) => ({
      by: `allow ${showBytes(rule.pattern.source)} (${rule.origin})`,
      without: (tool: ToolPolicy) => ({ ...tool, allow: tool.allow.filter((other) => other !== rule) }),
    })),
    ...(['read', 'write', 'expose'] as const).flatMap((key) =>
      fs[key].map((path) => ({ by: `${key} ${path}`, without: withoutPath(key, path) })),
    ),
  ];
}

function withoutPath(key: 'read' | 'write' | 'expose', path: string) {
  return (tool: ToolPolicy): ToolPolicy => {
    const kept = tool.fs[key].filter((other) => other !== path);
    return { ...tool, fs: { ...tool.fs, [key]: kept } };
  };
}

interface Limit {
  readonly probes: RegExp;
  readonly why: string;
}

/** With a policy about files a shim holds all that a run holds. */
const OF_ENV_POLICIES: readonly Limit[] = [
  {
    probes: /^kernel\/(shared-memory|messages|posix-messages)$|^processes\/signals-to-the-group$/,
    why: 'with an env policy alone a shim shares IPC and abstract sockets with the host',
  },
  { probes: /^refill\//, why: 'with an env policy alone a shim shows the start-up files of shells as they are' },
];

/** What `cordon run` holds and the shim of this tool does not: with an env policy alone it leaves files and IPC as they are. */
function leftByShim(tool: ToolPolicy): (probe: Probe) => string | undefined {
  const limits = hasFsPolicy(tool) ? [] : OF_ENV_POLICIES;
  return ({ id }) => limits.find(({ probes }) => probes.test(id))?.why;
}
