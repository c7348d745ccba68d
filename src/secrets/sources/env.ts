import { bytesOfText } from '../../host/bytes.ts';
import { Secret } from '../secret.ts';
import { badReference, type SecretSource, Unavailable } from './source.ts';

/** `env://NAME`: another variable of the parent, which then does not reach the child under its own name. */
export const env: SecretSource = {
  parse(rest, where) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(rest)) throw badReference(`env://${rest}`, 'env://NAME', where);
    return { label: `env://${rest}`, parts: [rest] };
  },

  resolve({ parts: [name = ''] }, tools) {
    const value = tools.env.get(bytesOfText(name));
    if (value === undefined)
      throw new Unavailable(`the variable ${name} is not set`, `export ${name}, or choose another source`);
    return new Secret(value);
  },
};
