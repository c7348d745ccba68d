import { commandsOf, programName, programOf } from './commands.ts';

const INSTALLS: Readonly<Record<string, RegExp>> = {
  npm: /^(?:i|ci|install|install-test|it|add|update|up|rebuild|exec)$/,
  pnpm: /^(?:i|install|add|update|up|rebuild)$/,
  yarn: /^(?:install|add|up|--immutable|--frozen-lockfile)$/,
  bun: /^(?:i|install|add)$/,
  pip: /^install$/,
  pip3: /^install$/,
  gem: /^install$/,
  bundle: /^install$/,
  composer: /^(?:install|update)$/,
};

/** The package manager that runs scripts of packages here; under `cordon run` they get nothing. */
export function installerIn(script: string): string | undefined {
  for (const command of commandsOf(script)) {
    const [program, ...args] = programOf(command);
    const name = program === undefined ? '' : programName([program]);
    const words = args.map(({ text }) => text);
    const isBareYarn = name === 'yarn' && words.length === 0;
    if (words.includes('--ignore-scripts') || words.includes('--no-scripts') || words.includes('--only-binary=:all:'))
      continue;
    const action = words.find(
      (word) => !word.startsWith('-') || word.startsWith('--immutable') || word.startsWith('--frozen'),
    );
    if (isBareYarn || (action !== undefined && INSTALLS[name]?.test(action) === true)) return name;
  }
  return undefined;
}
