type Headers = readonly (readonly [name: string, value: string])[];

/** Headers by which some servers take a request for one with another method, or for another address. */
const METHODS = ['x-http-method-override', 'x-http-method', 'x-method-override'];
const ADDRESSES = [
  'x-original-url',
  'x-rewrite-url',
  'x-original-uri',
  'x-forwarded-uri',
  'x-forwarded-path',
  'x-forwarded-prefix',
];

const has = (headers: Headers, names: readonly string[]) =>
  headers.some(([name]) => names.includes(name.toLowerCase().replaceAll('_', '-')));

export const hasOtherMethod = (headers: Headers) => has(headers, METHODS);
export const hasOtherAddress = (headers: Headers) => has(headers, ADDRESSES);

/** A parameter that does the same. */
export const saysOtherMethod = (target: string) =>
  [...new URLSearchParams(target.split('?').slice(1).join('?')).keys()].some(
    (name) => name.toLowerCase() === '_method',
  );
