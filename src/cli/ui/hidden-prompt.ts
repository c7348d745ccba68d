import { openSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { bytesOfBuffer } from '../../host/bytes.ts';
import { CordonError } from '../../host/errors.ts';
import { Secret } from '../../secrets/secret.ts';

/** Asks on the terminal itself, whatever stdin and stdout are, and shows nothing of the answer. */
export async function askHidden(prompt: string): Promise<Secret> {
  const descriptor = openTerminal();
  const terminal = new ReadStream(descriptor);
  try {
    terminal.setRawMode(true);
    writeSync(descriptor, prompt);
    return await readLine(terminal);
  } finally {
    terminal.setRawMode(false);
    writeSync(descriptor, '\n');
    terminal.destroy();
  }
}

function openTerminal(): number {
  try {
    return openSync('/dev/tty', 'r+');
  } catch {
    throw new CordonError('terminal', 'a hidden answer is needed, and there is no terminal to ask on', {
      hint: 'run it in a terminal; cordon creds set also takes the value from stdin',
    });
  }
}

const KEY = {
  interrupt: 0x03,
  endOfInput: 0x04,
  backspace: 0x08,
  enter: 0x0d,
  newline: 0x0a,
  eraseLine: 0x15,
  delete: 0x7f,
};

function readLine(terminal: ReadStream): Promise<Secret> {
  const typed: number[] = [];
  return new Promise((resolve, reject) => {
    terminal.on('error', reject);
    terminal.on('data', (chunk: Buffer) => {
      for (const byte of chunk) {
        if (byte === KEY.enter || byte === KEY.newline) return resolve(new Secret(bytesOfBuffer(Buffer.from(typed))));
        if (byte === KEY.interrupt || byte === KEY.endOfInput) return reject(cancelled());
        edit(typed, byte);
      }
    });
  });
}

/** One character back is all bytes of it. */
function edit(typed: number[], byte: number): void {
  if (byte === KEY.eraseLine) typed.length = 0;
  else if (byte !== KEY.backspace && byte !== KEY.delete) typed.push(byte);
  else while (isContinuation(typed.pop()));
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

const cancelled = () => new CordonError('terminal', 'cancelled', { hint: 'nothing was changed', exitCode: 130 });
