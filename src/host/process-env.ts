/** The environment of the running process as a library's caller sees it, changes made at run time included. */
export function currentEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
