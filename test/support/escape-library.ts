import { join } from 'node:path';
import { installedPackage } from './cordon.ts';
import { begin, ended, type TrialOutcome } from './escape-run.ts';
import type { Scene } from './escape-scene.ts';

/** A program that uses the library, in a Node process of the user's with these variables. */
export function nodeProgram(
  scene: Scene,
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<TrialOutcome> {
  const source = `import * as cordon from ${JSON.stringify(join(installedPackage(), 'dist/index.js'))};\nimport { spawn } from 'node:child_process';\n${script}`;
  // A port of its own, should something open the inspector.
  const program = scene.file('program.mjs', source);
  return ended(begin({ scene, env, starter: [] }, [process.execPath, '--inspect-port=0', program]));
}

/** JavaScript that launches the command with the library and waits for its end. */
export const launching = (argv: readonly string[], policy = '{}') => `
const { plan } = cordon.prepare({ argv: ${JSON.stringify(argv)}, env: process.env, policy: ${policy} });
const { exitCode } = await cordon.launch(plan).result;
`;

/** The same with Node's own means. */
export const spawning = (argv: readonly string[], env = '{ HOME: process.env.HOME, PATH: process.env.PATH }') => `
const [program, ...args] = ${JSON.stringify(argv)};
await new Promise((done) => spawn(program, args, { stdio: 'inherit', env: ${env} }).once('close', done));
`;
