// Stands in for the resolver of a peer that runs in Node: names of a probe lead where the probe says, whatever the port.
// NAMED_HOSTS is what `cordon prove --under` hands over: NAME:PORT=ADDRESS:PORT, several with spaces between.
const dns = require('node:dns');
const net = require('node:net');

const HOSTS = (process.env.NAMED_HOSTS ?? '').split(' ').filter((text) => text.includes('='));
const targets = new Map(HOSTS.map((text) => text.split('=')));
const names = [...new Set([...targets.keys()].map((place) => place.split(':')[0]))];
/** One of its own for every name, so that a dialled address says which was meant. */
const addressOf = (name) => (names.includes(name) ? `127.66.0.${names.indexOf(name) + 1}` : undefined);
const nameOf = (host) => names.find((name) => host === name || host === addressOf(name));

const lookup = dns.lookup;
dns.lookup = (name, options, done = options) => {
  const address = addressOf(name);
  if (address === undefined) return lookup(name, options, done);
  const isAll = typeof options === 'object' && options?.all === true;
  process.nextTick(() => (isAll ? done(null, [{ address, family: 4 }]) : done(null, address, 4)));
};
const lookupLater = dns.promises.lookup;
dns.promises.lookup = async (name, options) => {
  const address = addressOf(name);
  if (address === undefined) return lookupLater(name, options);
  return options?.all === true ? [{ address, family: 4 }] : { address, family: 4 };
};

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0];
  // Whoever has been there dials the address again that it was led to.
  const again = options?.host === '127.0.0.1' ? nameOf(options?.servername) : undefined;
  const target = targets.get(`${nameOf(options?.host) ?? again}:${options?.port}`);
  if (target !== undefined) [options.host, options.port] = target.split(':');
  return connect.apply(this, args);
};
