import { Problems } from '../load/problems.ts';
import { readTrustedText } from '../load/read-file.ts';
import { Source } from '../load/source.ts';
import { readToml } from '../load/toml.ts';
import { check } from '../profile/shape.ts';
import { CONFIG } from './shape.ts';

/** The whole of cordon.toml but its tools, of which each answers for itself when it is started. */
export function checkSections(path: string): void {
  const source = new Source(path, readTrustedText(path).text);
  const root = readToml(source);
  const problems = new Problems(source);
  check(CONFIG, { ...root, entries: root.entries.filter(({ key }) => key !== 'tools') }, problems);
  problems.throwIfAny();
}
