import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { showBytes } from '../../../src/host/bytes.ts';
import { CordonError } from '../../../src/host/errors.ts';
import type { Policy } from '../../../src/policy/policy.ts';
import { loadPolicy } from '../../../src/policy/profile/load-policy.ts';
import type { ProfileData } from '../../../src/policy/profile/schema.ts';

/** A throw-away home of Cordon with these files under profiles/. */
export class Home {
  readonly config = mkdtempSync(join(tmpdir(), 'cordon-profiles-'));

  constructor(files: Readonly<Record<string, string | object>> = {}) {
    for (const [name, content] of Object.entries(files)) this.write(`profiles/${name}`, content);
  }

  write(name: string, content: string | object): string {
    const path = join(this.config, name);
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2), { mode: 0o600 });
    return path;
  }

  load(profile: string | readonly string[] | ProfileData): Promise<Policy> {
    return loadPolicy({ profile, folders: { config: this.config }, home: '/home/u', workdir: this.config });
  }

  async refusal(profile: string | readonly string[] | ProfileData): Promise<CordonError> {
    const error = await this.load(profile).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof CordonError && error.kind === 'policy') return error;
    throw new Error(`not refused as a policy: ${String(error)}`);
  }
}

export const allowed = ({ allow }: Policy) => allow.map(({ pattern }) => showBytes(pattern.source));
