import { wayOut } from '../support/escape.ts';
import { planting } from '../support/escape-planted.ts';

wayOut(
  'planting something that starts with the session',
  planting({
    existing: ['.config/systemd/user/mine.service'],
    places: [
      ...[
        '.config/systemd/user/evil.service',
        '.config/systemd/user/mine.service',
        '.config/systemd/user/default.target.wants/x',
      ],
      ...[
        '.config/autostart/evil.desktop',
        '.config/environment.d/evil.conf',
        '.local/share/systemd/user/evil.service',
      ],
      '.local/share/dbus-1/services/evil.service',
    ],
  }),
);
