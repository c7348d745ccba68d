import type { Bytes } from '../../host/bytes.ts';
import type { WorkspaceMode } from '../../policy/policy.ts';
import type { Path, PathPattern } from './facts.ts';

/**
 * What is to be where inside, one to one as docs/plan-format.md has it. How it gets there is the launcher's matter, which carries the
 * operations out in their order. `why` is for people.
 */
export type Operation =
  | { readonly kind: 'root'; readonly from: 'machine' | 'writable' | 'empty' }
  | {
      readonly kind: 'home' | 'layer' | 'cut' | 'folder' | 'chdir' | 'aside' | 'workspace-at' | 'git-notes';
      readonly path: Path;
    }
  | {
      readonly kind: 'show' | 'hide' | 'keep-out' | 'come-back' | 'save';
      readonly paths: readonly PathPattern[];
      readonly why: string;
    }
  | { readonly kind: 'keep-read'; readonly paths: readonly Path[]; readonly why: string }
  | { readonly kind: 'changes'; readonly path: Path; readonly days: number; readonly bytes: number }
  | { readonly kind: 'kept'; readonly path: Path; readonly policy: string }
  | { readonly kind: 'write-plain'; readonly path: Path }
  | { readonly kind: 'write-project'; readonly path: Path; readonly aside: readonly string[] }
  | { readonly kind: 'read' | 'write' | 'try-write'; readonly path: Path; readonly target?: Path }
  | { readonly kind: 'try-read'; readonly path: PathPattern; readonly target?: Path }
  | { readonly kind: 'expose-read' | 'expose-write'; readonly path: Path }
  | { readonly kind: 'private'; readonly path: Path; readonly mode: string; readonly bytes?: number }
  | { readonly kind: 'link'; readonly path: Path; readonly text: string }
  | { readonly kind: 'data' | 'try-data'; readonly path: Path; readonly text: Bytes }
  | { readonly kind: 'workspace'; readonly path: Path | 'here'; readonly mode: WorkspaceMode }
  | { readonly kind: 'dev'; readonly bytes?: number }
  | {
      readonly kind: 'network-names';
      readonly ports: readonly number[];
      readonly local: readonly { readonly address: string; readonly bits: number }[];
      /** A socket with a path, which the same program serves. */
      readonly socket?: Path | undefined;
      readonly outside: Outside;
    }
  | {
      /** What programs are to trust, beside what the files at these paths hold; at the first of them in any case. */
      readonly kind: 'certificates';
      readonly text: Bytes;
      readonly bundles: readonly [Path, ...Path[]];
    }
  | { readonly kind: 'ipc-host' | 'network-off' | 'show-programs' | 'proc' | 'run' | 'mention' };

/** The program that lets connections through, and what it is told; or, in a container, the socket on which it takes the listeners. */
export type Outside = { readonly words: readonly string[]; readonly task: Bytes } | { readonly at: Path };

export type OperationOf<Kind extends Operation['kind']> = { [One in Kind]: Operation & { readonly kind: One } }[Kind];
