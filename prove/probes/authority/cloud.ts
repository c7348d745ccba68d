import type { Probe } from '../../probe.ts';
import type { Scene } from '../../scene.ts';
import { attack } from '../attack.ts';

/** Answers every request with the stand-in for a role's keys, as the services of clouds do for whoever asks. */
const SERVICE = `
import http.server, json, sys
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = json.dumps({'AccessKeyId': 'AKIA', 'SecretAccessKey': sys.argv[2]}).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)
    do_PUT = do_GET
    def log_message(self, *words): pass
server = http.server.ThreadingHTTPServer((sys.argv[1], 0), Answer)
print(server.server_port, flush=True)
server.serve_forever()
`;

const ASK = (url: string) => `
import urllib.request
ask = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
for method in ('PUT', 'GET'):
    try: print(ask(urllib.request.Request('${url}', method=method), timeout=10).read().decode())
    except OSError as error: print(error)
`;

const ports = new WeakMap<Scene, string>();
const urlOf = (scene: Scene, host: string, path: string) => `http://${host}:${ports.get(scene)}${path}`;

const service = (address: string) => async (scene: Scene) =>
  void ports.set(scene, (await scene.process(['python3', '-c', SERVICE, address, scene.canary])).ready);

// A stand-in for 169.254.169.254, on an address of the loopback that every Linux has.
const LINK_LOCAL = '127.169.254.169';
const ROLE = '/latest/meta-data/iam/security-credentials/role';

export const CLOUD_METADATA: Probe = {
  id: 'authority/cloud-metadata',
  title: "the metadata address of the cloud, which hands out the machine's role",
  gives: "the cloud credentials of the machine's role",
  planted: 'a service on 127.169.254.169, named by AWS_EC2_METADATA_SERVICE_ENDPOINT',
  tried: 'asking it for the keys of the role',
  reference: attack('T1552/005'),
  promise: 'network',
  plant: service(LINK_LOCAL),
  env: (scene) => ({ AWS_EC2_METADATA_SERVICE_ENDPOINT: urlOf(scene, LINK_LOCAL, '/') }),
  trial: (scene) => ({ python: ASK(urlOf(scene, LINK_LOCAL, ROLE)) }),
};

export const CONTAINER_CREDENTIALS: Probe = {
  id: 'authority/container-credentials',
  title: "the address at which a container gets its task's credentials",
  gives: 'the cloud credentials of the task or pod',
  planted: 'a service on the loopback, named by AWS_CONTAINER_CREDENTIALS_FULL_URI',
  tried: 'asking it for the keys',
  reference: 'https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html',
  promise: 'network',
  plant: service('127.0.0.1'),
  env: (scene) => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: urlOf(scene, '127.0.0.1', '/creds') }),
  trial: (scene) => ({ python: ASK(urlOf(scene, '127.0.0.1', '/creds')) }),
};

export const BROWSER_DEBUGGING: Probe = {
  id: 'authority/browser-debugging',
  title: 'a browser or program that was started with a debugging port',
  gives: "every page and cookie of the browser, code in the program's own process",
  planted: 'a service on the loopback that answers as the DevTools protocol does',
  tried: 'asking it for its pages',
  reference: attack('T1185'),
  promise: 'network',
  plant: service('127.0.0.1'),
  trial: (scene) => ({ python: ASK(urlOf(scene, '127.0.0.1', '/json/list')) }),
};
