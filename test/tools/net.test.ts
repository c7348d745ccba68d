import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ToolBox } from './support.ts';

const SEE = 'tail -n 1 /etc/hosts; tail -n +3 /proc/net/dev | cut -d : -f 1';

function boxWithTool(): ToolBox {
  const box = new ToolBox();
  box.tool('probe', `#!/bin/sh\n${SEE}\n`);
  return box;
}

const config = (box: ToolBox, ...words: string[]) => box.cordon(['tool', 'config', 'probe', 'net', ...words]);

describe('tool config NAME net', () => {
  test('writes the list, the limits and that nothing is reached, and takes all of it away again', () => {
    const box = boxWithTool();
    expect(config(box, 'list').stdout).toContain('allow       : all\n');
    config(box, 'allow', '@npm', 'db.example.com:5432');
    config(box, 'deny', 'ads.example.com');
    config(box, 'connections', '20');
    const { stdout } = config(box, 'silence', '60');
    expect(stdout).toBe(
      'net policy for probe:\nallow       : @npm db.example.com:5432\ndeny        : ads.example.com\nconnections : 20\nsilence     : 60 s\n',
    );
    expect(JSON.parse(config(box, 'list', '--json').stdout)).toMatchObject({
      ...{ tool: 'probe', block: false, allow: ['@npm', 'db.example.com:5432'], deny: ['ads.example.com'] },
      ...{ connections: 20, silence_seconds: 60, policy: true },
    });
    expect(config(box, 'off').stdout).toContain('none: the network is cut off');
    expect(readFileSync(box.config, 'utf8')).not.toContain('@npm');
    expect(config(box, 'allow', '@npm').code).not.toBe(0);
    expect(config(box, 'reset').stdout).toContain('there is no net policy: the tool reaches');
    expect(readFileSync(box.config, 'utf8').trim()).toBe('[tools.probe]');
  });

  test('is what the tool gets, started by its name', () => {
    const box = boxWithTool();
    config(box, 'allow', 'a.example.com');
    const seen = '127.128.0.1 a.example.com\n    lo\n';
    const { stdout, stderr } = box.cordon(['run', '--tool', 'probe', '--', 'sh', '-c', SEE]);
    expect(stdout, stderr).toContain(seen);
    const shim = box.start('probe');
    expect(shim.stdout, shim.stderr).toContain(seen);
  });

  test.each([
    [['allow'], 'needs at least one host'],
    [['allow', '127.0.0.1'], 'own loopback'],
    [['deny', 'a b'], 'a b'],
    [['connections', '0'], 'from 1 to 65535'],
    [['silence', '1e9'], 'from 1 to 2000000'],
    [['alow', 'x.test'], 'allow'],
    [['off', 'x'], 'off'],
  ])('%j is refused, and changes nothing', (words, why) => {
    const box = boxWithTool();
    const { code, stderr } = config(box, ...words);
    expect(code).not.toBe(0);
    expect(stderr).toContain(why);
  });

  test('apply takes the network of another file over, as it is written there', () => {
    const box = boxWithTool();
    config(box, 'off');
    config(box, 'connections', '3');
    const theirs = '[tools.probe]\nnetwork = { allow = ["@npm"], deny = ["x.test"], silence_seconds = 9 }\n';
    const file = box.write(join(box.home, 'theirs.toml'), theirs);
    const { code, stderr } = box.cordon(['tool', 'apply', file]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(JSON.parse(config(box, 'list', '--json').stdout)).toMatchObject({
      ...{ block: false, allow: ['@npm'], deny: ['x.test'], silence_seconds: 9 },
    });
    expect(readFileSync(box.config, 'utf8')).not.toContain('connections');
  });
});
