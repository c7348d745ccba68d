import type { Scene } from '../../scene.ts';

/** For what the kernel leaves to root, sandbox or not. */
export const onlyRoot =
  (why: string) =>
  ({ uid }: Scene): string | undefined =>
    uid === 0 ? undefined : why;
