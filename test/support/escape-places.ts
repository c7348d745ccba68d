import fc from 'fast-check';

/** A place as bytes, in hexadecimal: names need not be text. */
export type Hex = string;

const hex = (text: string): Hex => Buffer.from(text).toString('hex');
const SLASH = hex('/');

const below = (folder: string, name: Hex): Hex => `${hex(folder)}${SLASH}${name}`;
export const pathOf = (place: Hex): Buffer => Buffer.from(place, 'hex');

/** What shells, mount options and parsers of lists stumble over, and what is no text at all. */
const ODD = [
  ' ',
  '\n',
  '\t',
  "'",
  '"',
  '\\',
  ',',
  ':',
  ';',
  '=',
  '*',
  '?',
  '[',
  '$',
  '&',
  '#',
  '~',
  '%',
  '\x01',
  '\x7f',
];
const oddByte = fc.oneof(
  fc.constantFrom(...ODD.map(hex)),
  fc.integer({ min: 0x80, max: 0xff }).map((byte) => byte.toString(16)),
  fc.constantFrom('é', '\u202e', '日').map(hex),
);

/** Letters that make it a name that stands on no list. */
const letters = fc.stringMatching(/^[a-z0-9]{7,12}$/).map((text) => hex(`q${text}`));

const name = fc
  .tuple(fc.constantFrom('', hex('.'), hex('-'), hex('..')), letters, fc.array(oddByte, { maxLength: 3 }))
  .map(([start, middle, end]) => `${start}${middle}${end.join('')}`);

/** Up to three folders down; the first name alone is unlike any other. */
const unlisted = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join(SLASH));

/** This many places below these folders, some in each. */
export const placesIn = (folders: readonly string[], count: number): fc.Arbitrary<readonly Hex[]> =>
  fc
    .array(unlisted, { minLength: count, maxLength: count })
    .map((names) => names.map((one, at) => below(folders[at % folders.length] as string, one)));

/** What lies, listens and waits outside, and where the command tries to write. */
export interface Places {
  readonly files: readonly Hex[];
  readonly sockets: readonly Hex[];
  readonly pipes: readonly Hex[];
  readonly writes: readonly Hex[];
}

/** Started outside as the user, with the places and the canary: makes all but what the command will write, says so, and stays. */
export const PLANT = `
import json, os, socket, sys, threading
places, canary = json.load(open(sys.argv[1])), sys.argv[2].encode()
def enter(place):
    folder, name = os.path.split(bytes.fromhex(place))
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    return name
def serve(server):
    while True: server.accept()[0].sendall(canary)
for place in places['files']:
    with open(enter(place), 'wb') as file: file.write(canary)
for place in places['sockets']:
    server = socket.socket(socket.AF_UNIX)
    server.bind(enter(place))
    server.listen()
    threading.Thread(target=serve, args=[server], daemon=True).start()
for place in places['pipes']:
    name = enter(place)
    os.mkfifo(name)
    os.write(os.open(name, os.O_RDWR | os.O_NONBLOCK), canary)
print('ready', flush=True)
sys.stdin.read()
`;

/** Started inside, in the working folder: notes which places gave the canary, and tries to write to the others. */
export const LOOK = `
import json, os, socket
start = os.getcwd()
given = json.load(open('places.json'))
places, canary = given['places'], given['canary'].encode()
def file(name):
    with open(name, 'rb') as opened: return opened.read(1000)
def connection(name):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(5)
    client.connect(name)
    return client.recv(1000)
def pipe(name):
    text = os.read(os.open(name, os.O_RDONLY | os.O_NONBLOCK), 1000)
    os.open(name, os.O_WRONLY | os.O_NONBLOCK)
    return text
def got(place, how):
    folder, name = os.path.split(bytes.fromhex(place))
    try:
        os.chdir(folder)
        return canary in how(name)
    except OSError: return False
def write(place):
    folder, name = os.path.split(bytes.fromhex(place))
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), 'wb') as opened: opened.write(canary)
    except OSError: pass
found = {kind: [place for place in places[kind] if got(place, how)] for kind, how in
    {'files': file, 'sockets': connection, 'pipes': pipe}.items()}
for place in places['writes']: write(place)
os.chdir(start)
json.dump(found, open('found.json', 'w'))
`;
