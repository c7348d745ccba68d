import { type Bytes, bytesOfText } from '../../host/bytes.ts';
import type { WorkspaceMode } from '../../policy/policy.ts';
import { planLine, textLine } from '../field.ts';
import type { Path, PathPattern } from './path.ts';

/**
 * What is to be where inside, one to one as docs/plan-format.md has it. How it gets there is the launcher's matter, which carries the
 * operations out in their order. `why` is for people.
 */
export type Operation =
  | { readonly kind: 'root'; readonly from: 'machine' | 'writable' | 'empty' }
  | { readonly kind: 'home' | 'layer' | 'cut' | 'folder' | 'chdir' | 'aside' | 'workspace-at'; readonly path: Path }
  | {
      readonly kind: 'show' | 'hide' | 'keep-out' | 'come-back' | 'save';
      readonly paths: readonly PathPattern[];
      readonly why: string;
    }
  | { readonly kind: 'keep-read'; readonly paths: readonly Path[]; readonly why: string }
  | { readonly kind: 'changes'; readonly path: Path; readonly days: number; readonly bytes: number }
  | { readonly kind: 'kept'; readonly path: Path; readonly policy: string }
  | { readonly kind: 'read' | 'write' | 'try-write'; readonly path: Path; readonly target?: Path }
  | { readonly kind: 'try-read'; readonly path: PathPattern; readonly target?: Path }
  | { readonly kind: 'expose-read' | 'expose-write'; readonly path: Path }
  | { readonly kind: 'private'; readonly path: Path; readonly mode: string; readonly bytes?: number }
  | { readonly kind: 'link'; readonly path: Path; readonly text: string }
  | { readonly kind: 'data'; readonly path: Path; readonly text: Bytes }
  | { readonly kind: 'workspace'; readonly path: Path | 'here'; readonly mode: WorkspaceMode }
  | { readonly kind: 'dev'; readonly bytes?: number }
  | {
      readonly kind: 'network-names';
      readonly ports: readonly number[];
      readonly local: readonly { readonly address: string; readonly bits: number }[];
      /** A socket with a path, which the same program serves. */
      readonly socket?: Path | undefined;
      /** The program that lets connections through, and what it is told. */
      readonly outside: readonly string[];
      readonly task: Bytes;
    }
  | { readonly kind: 'ipc-host' | 'network-off' | 'show-programs' | 'proc' | 'run' | 'mention' };

export type OperationOf<Kind extends Operation['kind']> = { [One in Kind]: Operation & { readonly kind: One } }[Kind];

const HIDDEN = '***' as Bytes;

/** The lines of the plan. What is kept of a file is nobody else's business: people get `***` for its text. */
export function placeLines(operations: readonly Operation[], values: 'with-values' | 'hidden'): string[] {
  return operations.flatMap((operation) => linesOf(operation, values === 'with-values'));
}

function linesOf(operation: Operation, reveal: boolean): string[] {
  switch (operation.kind) {
    case 'root':
      return [`root ${operation.from}`];
    case 'show':
    case 'hide':
    case 'keep-out':
    case 'keep-read':
    case 'come-back':
    case 'save':
      return operation.paths.length === 0 ? [] : [`# ${operation.why}`, textLine(operation.kind, ...operation.paths)];
    case 'read':
    case 'write':
    case 'try-read':
    case 'try-write':
      return [textLine(operation.kind, operation.path, ...optional(operation.target))];
    case 'private':
      return [textLine('private', operation.path, operation.mode, ...optional(operation.bytes))];
    case 'changes':
      return [textLine('changes', operation.path, String(operation.days), String(operation.bytes))];
    case 'kept':
      return [textLine('kept', operation.path, operation.policy)];
    case 'link':
      return [textLine('link', operation.path, operation.text)];
    case 'data':
      return [planLine('data', bytesOfText(operation.path), reveal ? operation.text : HIDDEN)];
    case 'workspace':
      return [textLine('workspace', operation.path, operation.mode)];
    case 'dev':
      return [textLine('dev', ...optional(operation.bytes))];
    case 'ipc-host':
      return ['ipc host'];
    case 'network-off':
      return ['network off'];
    case 'network-names':
      return [
        'network names',
        ...(operation.ports.length === 0 ? [] : [textLine('listen', ...operation.ports.map(String))]),
        ...operation.local.map(({ address, bits }) => textLine('local', address, String(bits))),
        ...(operation.socket === undefined ? [] : [textLine('socket', operation.socket)]),
        textLine('outside', ...operation.outside),
        planLine('outside-task', reveal ? operation.task : HIDDEN),
      ];
    case 'show-programs':
    case 'proc':
    case 'run':
    case 'mention':
      return [operation.kind];
    default:
      return [textLine(operation.kind, operation.path)];
  }
}

const optional = (field: string | number | undefined) => (field === undefined ? [] : [String(field)]);
