import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { folderPrefix, removeGround, sweep } from './leftovers.ts';
import { ProveProblem } from './problem.ts';
import { type Identity, Scene } from './scene.ts';

/** Where the scenes of one run are: a folder that only this user may enter, and that is gone afterwards. */
export class Ground {
  readonly root: string;
  readonly #who: Identity;
  readonly #open = new Set<Scene>();
  #count = 0;

  constructor(temporary: string, who: Identity) {
    this.#who = who;
    sweep(temporary);
    try {
      this.root = realpathSync(mkdtempSync(join(temporary, folderPrefix())));
    } catch (cause) {
      throw new ProveProblem('write', `no folder can be made here (${(cause as NodeJS.ErrnoException).code})`, {
        where: temporary,
        hint: 'set TMPDIR to a folder that you may write to',
        cause,
      });
    }
  }

  /** A fresh one, in which nothing has happened yet. */
  open(): Scene {
    const home = join(this.root, String(this.#count++));
    mkdirSync(home, 0o755);
    const scene = new Scene(home, this.#who);
    this.#open.add(scene);
    return scene;
  }

  async end(scene: Scene): Promise<void> {
    this.#open.delete(scene);
    await scene.end();
  }

  /** Ends all that is under way. */
  async clear(): Promise<void> {
    await Promise.allSettled([...this.#open].map((scene) => this.end(scene)));
  }

  async close(): Promise<void> {
    await this.clear();
    removeGround(this.root);
  }
}
