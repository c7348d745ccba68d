import type { ShapeRule } from '../finding.ts';

/** Keys and password hashes that belong to no single service. */
export const KEYS: readonly ShapeRule[] = [
  {
    id: 'private-key',
    what: 'a private key',
    // The last three are PRIVATE KEY in base64, at each of its three offsets.
    anchors: [
      'PRIVATE KEY',
      'PuTTY-User-Key-File-',
      'b3BlbnNzaC1rZXktdjE',
      'UFJJVkFURSBLRVk',
      'BSSVZBVEUgS0VZ',
      'QUklWQVRFIEtFW',
    ],
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|---- BEGIN SSH2 [A-Z0-9 ]{0,20}PRIVATE KEY|PuTTY-User-Key-File-\d|b3BlbnNzaC1rZXktdjE|UFJJVkFURSBLRVk|BSSVZBVEUgS0VZ|QUklWQVRFIEtFW/,
  },
  {
    id: 'age-identity',
    what: 'an age identity',
    anchors: ['AGE-SECRET-KEY-', 'age-secret-key-', 'AGE-PLUGIN-'],
    pattern: /AGE-(?:SECRET-KEY-(?:PQ-)?1|PLUGIN-[A-Z0-9]{1,20}-1)[A-Z0-9]{30}/i,
  },
  {
    id: 'extended-private-key',
    what: 'a wallet key',
    anchors: ['xprv', 'yprv', 'zprv', 'tprv'],
    pattern: /(?<![A-Za-z0-9])[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100}/,
  },
  {
    id: 'password-hash',
    what: 'a password hash',
    anchors: ['$2a$', '$2b$', '$2x$', '$2y$', '$apr1$', '$5$', '$6$', '$y$', '$argon2', '{SHA}', '{SSHA}'],
    pattern:
      /\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|\$[56]\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{43}|\$y\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{1,86}\$[./A-Za-z0-9]{43}|\$argon2(?:id|i|d)\$v=\d{1,3}\$|\{S?SHA\}[A-Za-z0-9+/]{27}/,
  },
];
