import { CordonError } from '../../host/errors.ts';
import { coverTokens, frameOf } from './frame.ts';
import type { Place } from './node.ts';
import type { Source } from './source.ts';

interface Problem {
  readonly place: Place;
  readonly message: string;
  readonly hint: string | undefined;
  readonly code?: string | undefined;
  /** Only worth a word where nothing else is said of the place. */
  readonly isGeneral?: boolean;
}

const MOST_SHOWN = 20;

/** Everything that is wrong with one file, said at once and in the order of the file. */
export class Problems {
  readonly source: Source;
  readonly #found: Problem[] = [];
  readonly #hidden: Place[] = [];

  constructor(source: Source) {
    this.source = source;
  }

  add(place: Place, message: string, hint?: string, code?: string): void {
    this.#found.push({ place, message: coverTokens(message), hint, code });
  }

  /** What holds whoever reads the value. Most readers say more precisely what is wrong with it, and then this is left out. */
  addGeneral(place: Place, message: string): void {
    this.#found.push({ place, message, hint: undefined, isGeneral: true });
  }

  /** A value that must not be shown in an error. */
  hide(places: readonly Place[]): void {
    for (const place of places) this.#hidden.push(place);
  }

  where(place: Place): string {
    return this.source.where(place);
  }

  throwIfAny(): void {
    const precise = new Set(this.#found.filter(({ isGeneral }) => isGeneral !== true).map(({ place }) => place));
    const [first, ...others] = this.#found
      .filter(({ isGeneral, place }) => isGeneral !== true || !precise.has(place))
      .toSorted((a, b) => startOf(a.place) - startOf(b.place))
      .slice(0, MOST_SHOWN);
    if (first !== undefined)
      throw this.#error(
        first,
        others.map((problem) => this.#error(problem)),
      );
  }

  #error({ place, message, hint, code }: Problem, related: readonly CordonError[] = []): CordonError {
    const frame = frameOf(this.source, place, this.#hidden);
    return new CordonError('policy', message, { where: this.where(place), hint, code, frame, related });
  }
}

const startOf = (place: Place) => ('path' in place ? 0 : place.start);

/** For a file that can't even be read as its syntax. */
export function refuse(
  source: Source,
  place: Place,
  message: string,
  options: { hint?: string; code?: string; hide?: readonly Place[] } = {},
): never {
  const problems = new Problems(source);
  problems.hide(options.hide ?? []);
  problems.add(place, message, options.hint, options.code);
  problems.throwIfAny();
  throw new CordonError('policy', message);
}
