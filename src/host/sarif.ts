const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

export interface SarifTool {
  readonly name: string;
  readonly version: string;
  readonly rules: readonly object[];
}

/** One run of one tool as SARIF 2.1.0, which code scanning services read. */
export function sarifLog({ name, version, rules }: SarifTool, run: object): object {
  const driver = { name, semanticVersion: version, version, rules };
  return { $schema: SCHEMA, version: '2.1.0', runs: [{ tool: { driver }, columnKind: 'utf16CodeUnits', ...run }] };
}

/** `env-literal` is shown as `EnvLiteral`. */
export const ruleName = (id: string) => id.replace(/(?:^|[-/])([a-z0-9])/g, (_, one: string) => one.toUpperCase());

export const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${ended(text.slice(1))}`;

const ended = (text: string) => `${text}${/[.!?…]$/.test(text) ? '' : '.'}`;
