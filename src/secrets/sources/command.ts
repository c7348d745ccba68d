import { secretFrom } from './helper.ts';
import { badReference, type SecretSource, Unavailable } from './source.ts';

/** A command of a profile, as an array of words: no shell, no terminal, no variables beyond the common ones. */
export const command: SecretSource = {
  parse(rest, where) {
    throw badReference(
      `cmd://${rest}`,
      'a command as an array of words in a profile: { target, command: [...] }',
      where,
    );
  },

  async resolve({ parts }, tools) {
    const [program = '', ...args] = parts;
    const result = await tools.run({ argv: [program, ...args], signal: tools.signal });
    return secretFrom(result, {
      program: `'${program}'`,
      install: 'give its whole path, or install it',
      explain: (_, code) => new Unavailable(`'${program}' ended with exit code ${code}`, 'run it by hand to see why'),
    });
  },
};
