// What bodies are made of, in turn: prose, an API's JSON, and bytes such as those of a packed file. What is looked for takes its time in each.
import { randomBytes } from 'node:crypto';

const PIECE = 1 << 16;

const item = (id) =>
  JSON.stringify({
    id,
    node_id: randomBytes(12).toString('base64'),
    full_name: `octo/repository-${id}`,
    private: false,
    owner: { login: 'octo', url: 'https://api.example.test/users/octo' },
    description: 'some "quotes" & ünïcode',
    created_at: '2026-01-26T19:01:12Z',
    topics: ['one', 'two'],
  });

/** Of the same length each. */
export const PIECES = [
  Buffer.alloc(PIECE, 'what one sends to the other, and none of it is a secret. '),
  Buffer.from(Array.from({ length: 400 }, (_, at) => item(at)).join(',\n')).subarray(0, PIECE),
  randomBytes(PIECE),
];

/** Writes so many bytes, as fast as they are taken. */
export function writeBody(to, bytes) {
  let left = bytes / PIECE;
  const write = () => {
    while (left-- > 0) if (!to.write(PIECES[left % PIECES.length])) return void to.once('drain', write);
    to.end();
  };
  write();
}
