import { depthOf, isWithin } from './paths.ts';
import type { Access, Cover, FsSurvey, Speaker } from './types.ts';

/**
 * What surrounds a path: `host` as outside · `frozen` read-only · `system` read-only ground of a built root ·
 * `void` empty, to be filled by preset and policy · `hidden` empty, filled only by what the policy names ·
 * `sealed` empty, filled only by Cordon.
 */
export type Region = 'host' | 'frozen' | 'system' | 'void' | 'hidden' | 'sealed';

export interface Layout {
  /** Outermost first, one per path, only those that change something. */
  readonly covers: readonly Cover[];
  readonly refused: readonly Cover[];
  readonly regionAt: (path: string) => Region;
}

export function layOut(survey: FsSurvey): Layout {
  const regions = groundRegions(survey);
  const regionAt = (path: string) => nearest(regions, path);
  const covers: Cover[] = [];
  const refused: Cover[] = [];
  for (const cover of inOrder(strongestPerPath(unlifted(survey.covers)))) {
    if (!changes(cover, regionAt(cover.path))) refused.push(cover);
    else {
      covers.push(cover);
      regions.set(cover.path, regionOf(cover));
    }
  }
  return { covers, refused, regionAt };
}

export function inOrder<T extends { readonly path: string }>(covers: readonly T[]): T[] {
  return [...covers].sort((a, b) => depthOf(a.path) - depthOf(b.path) || (a.path < b.path ? -1 : 1));
}

function groundRegions({ ground }: FsSurvey): Map<string, Region> {
  const regions = new Map<string, Region>([['/', 'void']]);
  for (const [option, , path = '/'] of ground) {
    if (option === '--ro-bind') regions.set(path, 'system');
    else if (option === '--bind') regions.set(path, 'host');
  }
  return regions.set('/dev', 'void').set('/proc', 'sealed').set('/sys', 'system');
}

function nearest(regions: ReadonlyMap<string, Region>, path: string): Region {
  for (let at = path; ; at = at.slice(0, at.lastIndexOf('/')) || '/') {
    const region = regions.get(at);
    if (region !== undefined) return region;
  }
}

/** What the policy exposes, the preset no longer speaks about. */
function unlifted(covers: readonly Cover[]): Cover[] {
  const exposed = covers.filter(({ lifts }) => lifts).map(({ path }) => path);
  return covers.filter(
    ({ path, speaker }) => speaker !== 'preset' || !exposed.some((folder) => isWithin(path, folder)),
  );
}

const SPEAKERS: readonly Speaker[] = ['cordon', 'policy', 'preset'];
const STRICTEST: readonly Access[] = ['hidden', 'cleaned', 'readonly', 'writable', 'private'];

function strongestPerPath(covers: readonly Cover[]): Cover[] {
  const strongest = new Map<string, Cover>();
  for (const cover of covers) {
    const other = strongest.get(cover.path);
    if (other === undefined || strength(cover) < strength(other)) strongest.set(cover.path, cover);
  }
  return [...strongest.values()];
}

function strength({ speaker, access }: Cover): number {
  return SPEAKERS.indexOf(speaker) * STRICTEST.length + STRICTEST.indexOf(access);
}

/** Whether the cover makes a difference where it lies, and its speaker has a say there. */
function changes({ access, speaker }: Cover, region: Region): boolean {
  const shows = access === 'readonly' || access === 'writable';
  switch (region) {
    case 'host':
      return access !== 'writable';
    case 'frozen':
      return access !== 'readonly' && (access !== 'writable' || speaker === 'policy');
    case 'system':
      return access !== 'readonly';
    case 'void':
      return access === 'private' || (shows && speaker === 'policy') || (access === 'writable' && speaker === 'preset');
    case 'hidden':
      return shows && speaker === 'policy';
    case 'sealed':
      return shows && speaker === 'cordon';
  }
}

function regionOf({ access, speaker }: Cover): Region {
  switch (access) {
    case 'hidden':
      return speaker === 'cordon' ? 'sealed' : 'hidden';
    case 'private':
      return 'void';
    case 'cleaned':
    case 'readonly':
      return 'frozen';
    case 'writable':
      return 'host';
  }
}
