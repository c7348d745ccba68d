import { dirname } from 'node:path';
import { userFolder } from '../../host/user-lock.ts';
import { Disk, type Found, isReplaceable, type Missing } from './disk.ts';
import type { FsFacts } from './facts.ts';
import { realStart } from './own.ts';
import { foldersAbove, isWithin } from './paths.ts';
import type { Access, Cover, Expectation, Placeholder, Speaker } from './types.ts';

export interface Saying {
  readonly access: Access;
  readonly speaker: Speaker;
  readonly why: string;
  readonly lifts?: boolean;
  readonly empty?: boolean;
}

/** Where the parts of the survey put what they find. */
export class Collection {
  readonly disk = new Disk();
  readonly facts: FsFacts;
  readonly homes: readonly string[];
  readonly covers: Cover[] = [];
  readonly placeholders = new Map<string, Placeholder>();
  readonly expect = new Map<string, Expectation>();
  readonly notes = new Set<string>();
  /** The state folder is there, or can be made. */
  readonly canKeep: boolean;
  readonly canOccupy: boolean;

  constructor(facts: FsFacts) {
    this.facts = facts;
    const homes = [facts.home, facts.passwdHome].flatMap((home) =>
      home === undefined ? [] : (this.disk.existing(home)?.path ?? []),
    );
    this.homes = [...new Set(homes)];
    this.canKeep = this.#canKeepIn(facts.folders.state);
    this.canOccupy =
      this.canKeep || (userFolder() !== undefined && this.homes.every((home) => this.disk.hasRoom(home)));
    if (!this.canOccupy)
      this.notes.add('absent start-up files cannot be held back from being made: Cordon has no folder to keep book in');
  }

  /** Covers what stands at the path, or its target; gives back what there is. */
  cover(path: string, saying: Saying, from?: string): Found | Missing {
    const found = this.disk.find(path, from);
    if ('missing' in found) this.expectAbsent(found.missing);
    else this.coverFound(found, saying);
    return found;
  }

  expectAbsent(path: string): void {
    this.expect.set(path, { kind: 'absent', path });
  }

  coverFound(found: Found, saying: Saying): void {
    this.expect.set(found.path, { kind: found.kind, path: found.path });
    if (this.#swallows(found.path, saying)) return;
    this.covers.push({ path: found.path, kind: found.kind, ...saying });
    if (found.link !== undefined && saying.speaker !== 'policy') this.#noteLink(found.link, saying.access);
  }

  /** Makes an absent path stand there while the command runs, so that the command can't. False: it can't be made. */
  occupy(path: string, { missing, link }: Missing, saying: Saying, placeholder: Omit<Placeholder, 'path'>): boolean {
    if (!this.canOccupy || !this.#canMake({ missing, link })) return false;
    // From the home down: a folder on the way may be the placeholder of a sandbox that is about to end.
    this.hold(path, this.homes.find((home) => isWithin(path, home)) ?? dirname(missing), placeholder);
    this.covers.push({ path, kind: placeholder.kind, ...saying });
    return true;
  }

  /** What stands there may be the placeholder of another sandbox, about to end: the launcher makes it again if it has to. */
  hold(path: string, below: string, placeholder: Omit<Placeholder, 'path'>): void {
    if (!this.canOccupy) return;
    for (const folder of foldersAbove(path)) {
      if (folder !== below && isWithin(folder, below)) this.placeholders.set(folder, { kind: 'dir', path: folder });
    }
    this.placeholders.set(path, { ...placeholder, path });
  }

  /** The folders above all covered paths that this user could put others in the place of. */
  renamable(mountPoints: ReadonlySet<string>): ReadonlySet<string> {
    const above = new Set(this.covers.flatMap(({ path }) => foldersAbove(path)));
    const canBe = (folder: string) => this.placeholders.has(folder) || isReplaceable(this.disk, folder);
    return new Set([...above].filter((folder) => !mountPoints.has(folder) && canBe(folder)));
  }

  #canKeepIn(state: string | undefined): boolean {
    return state !== undefined && this.#canMake(this.disk.find(realStart(this, state)));
  }

  /** Nothing is made through a link, in a folder of someone else, or to stand in for an absent home. */
  #canMake(spot: Found | Missing): boolean {
    if (!('missing' in spot)) return this.#isOurs(spot.path);
    const { home, passwdHome } = this.facts;
    const makesHome = [home, passwdHome].some((one) => one !== undefined && isWithin(one, spot.missing));
    return spot.link === undefined && !makesHome && this.#isOurs(dirname(spot.missing));
  }

  #isOurs(folder: string): boolean {
    const stats = this.disk.stat(folder);
    return stats?.isDirectory() === true && stats.uid === this.facts.uid && this.disk.isWritable(folder);
  }

  /** A variable may point at the home itself, a pattern may match a folder someone works in: hiding that would leave nothing to work with. */
  #swallows(path: string, { access, speaker, why }: Saying): boolean {
    if (speaker !== 'preset' || access === 'readonly' || access === 'writable') return false;
    const needed = [...this.homes, '/tmp', '/run', '/etc', '/usr', '/var/tmp'];
    if (!needed.some((folder) => isWithin(folder, path))) return false;
    this.notes.add(`${path} would be hidden (${why}), but too much else is in it: it stays`);
    return true;
  }

  #noteLink(link: string, access: Access): void {
    if (!this.homes.some((home) => isWithin(link, home)) || !isReplaceable(this.disk, link)) return;
    const state = access === 'readonly' ? 'read-only' : 'hidden';
    this.notes.add(`${link} is a symbolic link: its target is ${state}, the link itself can be replaced`);
  }
}
