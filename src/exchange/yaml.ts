import { stringify } from 'yaml';

/** kubectl and compose read YAML 1.1, in which a plain `off` is false and `12:30` a number: no value stands without quotes. */
const WRITING = {
  version: '1.1',
  defaultStringType: 'QUOTE_DOUBLE',
  defaultKeyType: 'PLAIN',
  lineWidth: 0,
  aliasDuplicateObjects: false,
} as const;

export const yamlText = (value: object): string => stringify(value, WRITING);
