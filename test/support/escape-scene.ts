import { onTestFinished } from 'vitest';
import { Scene as AnyScene } from '../../prove/scene.ts';
import { freshHome } from './cordon.ts';
import { identityOf, type User } from './users.ts';

/** The scene of one attempt by this user, gone when the test is over. */
export class Scene extends AnyScene {
  readonly user: User;

  constructor(user: User) {
    super(freshHome(user), identityOf(user));
    this.user = user;
    onTestFinished(() => this.end());
  }
}

/** Exactly this, whatever the Node that runs the tests would add. */
export function environment(env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return Object.assign(Object.create(null), { NODE_V8_COVERAGE: undefined }, env) as NodeJS.ProcessEnv;
}
