import type net from 'node:net';

/** What a connection begins with, once it is enough. It is left neither paused nor flowing, for whoever reads from it next. */
export function beginning(socket: net.Socket, isEnough: (bytes: Buffer) => boolean): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let held: Buffer = Buffer.alloc(0);
    const done = () => socket.off('readable', take).off('end', gone).off('close', gone);
    const gone = () => {
      done();
      reject(new Error('the connection ended too soon'));
    };
    const take = () => {
      for (let bytes = socket.read() as Buffer | null; bytes !== null; bytes = socket.read())
        held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      if (held.length === 0 || !isEnough(held)) return;
      done();
      resolve(held);
    };
    socket.on('readable', take).once('end', gone).once('close', gone);
  });
}

const END = '\r\n\r\n';

/** Where the head of a message of HTTP ends; -1 as long as it does not. */
export function endOfHead(bytes: Buffer): number {
  const at = bytes.indexOf(END, 0, 'latin1');
  return at === -1 ? -1 : at + END.length;
}
