import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/project.ts';
import { BUILDS, entriesOf, planLines, run, shim, writeShim } from './support.ts';

const BAD_LINES: readonly (readonly [string, string])[] = [
  ['surprise x', 'unknown instruction surprise'],
  ['Allow X', 'unknown instruction Allow'],
  ['allow', 'wrong number of fields for allow'],
  ['replace A B', 'wrong number of fields for replace'],
  ['allow A [B', 'without its'],
  ['hold A B=C', "not a variable's name"],
  ['append-args x', 'wrong number of fields for append-args'],
  ['summary x', 'wrong number of fields for summary'],
  ['quiet x', 'wrong number of fields for quiet'],
  ['trace relative', 'an absolute path'],
  ['look x', 'wrong number of fields for look'],
  ['allow  A', 'an empty field'],
  ['allow A ', 'an empty field'],
  ['allow \\e', 'an empty pattern'],
  ['allow A\\q', 'a bad escape'],
  ['allow A\\e', 'a bad escape'],
  ['allow \\c', 'a bad escape'],
  ['allow A\\', 'a bad escape'],
  ['allow A\\x4', 'a bad escape'],
  ['allow A\\x00', 'a bad escape'],
  ['allow A\\xzz', 'a bad escape'],
  ['allow A\x01', 'a raw control byte'],
  ['allow A\r', 'a raw control byte'],
  ['allow A\x7f', 'a raw control byte'],
  ['# \x1b[2J', 'a raw control byte'],
  ['allow [A', 'without its'],
  ['deny A [!]', 'without its'],
  ['set A=B x', "not a variable's name"],
  ['set \\e x', "not a variable's name"],
  ['replace A=B', "not a variable's name"],
  ['check zone TZ', 'was expected'],
  ['isolation none', '`filter`, `barrier` or `auto`'],
  ['append-args', 'said twice'],
  ['name other', 'said twice'],
  ['launch a/b', "a launch's id was expected"],
  ['launch ..', "a launch's id was expected"],
  ['launch -f', "a launch's id was expected"],
  [`launch ${'1'.repeat(65)}`, "a launch's id was expected"],
  ['changes /x 14', 'wrong number of fields'],
  ['changes /x soon 1', 'a number of days was expected'],
  ['changes /x 99999999999 1', 'a number of days was expected'],
  ['changes x 14 1', 'an absolute path'],
  ['kept /x ../../../../../y', "a policy's fingerprint was expected"],
  ['kept /x abc', "a policy's fingerprint was expected"],
  ['come-back relative', 'an absolute path'],
  ['save /a/../b', 'an absolute path'],
  ['command relative', 'a path with a `/`'],
  ['bwrap bwrap', 'an absolute path'],
  ['seccomp AAA', 'not a filter program'],
  ['seccomp AAAA', 'not a filter program'],
  ['seccomp ====', 'not a filter program'],
  ['limit speed 1', 'no such limit'],
  ['limit core -1', 'a number was expected'],
  ['limit core 99999999999999999999', 'a number was expected'],
  ['parent 0', 'a process number'],
  ['data relative x', 'an absolute path'],
  ['data /x', 'wrong number of fields'],
  ['try-data /x', 'wrong number of fields'],
  ['certificates text', 'wrong number of fields'],
  ['certificates text relative', 'an absolute path'],
  ['outside-at relative', 'an absolute path'],
  ['hide relative', 'an absolute path'],
  ['show /a/../b', 'an absolute path'],
  ['read /a//b', 'an absolute path'],
  ['write /a/', 'an absolute path'],
  ['private /x', 'wrong number of fields'],
  ['private /x 99', 'octal'],
  ['private /x 755 much', 'a number was expected'],
  ['root house', '`machine`, `writable` or `empty`'],
  ['workspace here', 'wrong number of fields'],
  ['workspace here never', '`real`, `aside` or `read-only`'],
  ['network on', '`off` or `names` was expected'],
  ['network off\nnetwork names', 'said twice'],
  ['listen 0', 'a port was expected'],
  ['listen 65536', 'a port was expected'],
  ['listen 80 80', 'said twice'],
  ['local 10.0.0.1 8', 'a network was expected'],
  ['local 010.0.0.0 8', 'an IPv4 address was expected'],
  ['local 10.0.0.0 0', 'from 1 to 32'],
  ['local 127.0.0.0 8', 'not loopback'],
  ['local 0.0.0.0 1', 'not loopback'],
  ['socket here', 'an absolute path'],
  ['socket /x\nsocket /y', 'said twice'],
  ['outside node', 'an absolute path'],
  ['outside-task x\noutside-task y', 'said twice'],
  ['ipc own', '`host` was expected'],
  ['quota none', 'a number was expected'],
  ['expect socket /x', 'was expected'],
  ['source /x 1 2 3', 'wrong number of fields'],
  ['source /x 1 2 3 four', 'a number was expected'],
  ['aside here', 'an absolute path'],
];

const WHOLE: readonly (readonly [string, (lines: string[]) => string[], string])[] = [
  ['no header', (lines) => lines.slice(1), 'was expected here'],
  ['another version', (lines) => ['cordon-plan 1', ...lines.slice(1)], 'another version of Cordon'],
  ['something behind end', (lines) => [...lines, 'end', 'allow *'], 'something follows'],
  ['no command', (lines) => lines.filter((line) => !line.startsWith('command')), 'no `command`'],
  ['no argument', (lines) => lines.filter((line) => !line.startsWith('arg')), 'no `arg`'],
  ['no isolation', (lines) => lines.filter((line) => !line.startsWith('isolation')), 'no `isolation`'],
  ['no root for a barrier', (lines) => lines.map((line) => line.replace('filter', 'barrier')), 'no `root`'],
  ['seventeen homes', (lines) => [...lines, ...Array.from({ length: 17 }, (_, i) => `home /${i}`)], 'too many'],
  ['names without anybody outside', (lines) => [...lines, 'network names'], 'without `outside`'],
  ['ports without names', (lines) => [...lines, 'listen 80'], 'no `network names`'],
  ['audit without head', (lines) => [...lines, 'audit /x'], 'belong together'],
  ['a name set twice', (lines) => [...lines, 'set A 1', 'set A 2'], 'sets a variable twice'],
];

describe.each(BUILDS)('a plan, read by the %s build,', (build) => {
  const started = join(openFolder('started'), 'yes');
  const lines = planLines({ args: ['sh', '-c', `>${started}`] });
  const attempt = (all: readonly string[]) => run(writeShim(all, { build }));

  it.each(BAD_LINES)('is refused whole for the line %j', (line, message) => {
    const { code, stderr } = attempt([...lines.slice(0, 3), line, ...lines.slice(3), 'append-args', 'allow *']);
    expect(stderr).toContain(message);
    if (!message.includes('twice')) expect(stderr).toMatch(/^cordon: tool: plan line 5: [\x20-\x7e]*\n$/);
    expect(code).toBe(125);
    expect(existsSync(started)).toBe(false);
  });

  it.each(WHOLE)('is refused for %s', (_, change, message) => {
    const { code, stderr } = attempt(change([...lines]));
    expect(stderr).toContain(message);
    expect(code).toBe(125);
    expect(existsSync(started)).toBe(false);
  });

  it('is refused at every place where it could have been cut short', () => {
    const text = [...lines, 'allow *'].join('\n');
    for (let length = 14; length < text.length; length += build === 'release' ? 3 : 29) {
      const path = writeShim(text.slice(0, length).split('\n'), { build });
      const whole = run('/bin/sh', ['-c', 'head -c -5 "$1" >"$1.cut"; chmod 755 "$1.cut"; exec "$1.cut"', 'sh', path]);
      expect(whole.code).toBe(125);
    }
    expect(existsSync(started)).toBe(false);
  });

  it('may have comments, blank lines and no newline at the end', () => {
    const path = writeShim(['# said', '', lines[0] as string, '', '# more \xc3\xa9', ...lines.slice(1)], { build });
    const { code } = run('/bin/sh', ['-c', 'printf %s "$(cat "$1")" >"$1.x"; chmod 755 "$1.x"; "$1.x"', 'sh', path]);
    expect(code).toBe(0);
  });

  it('decodes every escape and hands on every byte', () => {
    const path = shim({
      build,
      lines: ['set A \\s\\t\\n\\r\\\\\\xff\\x01=\xc3\xa9', 'set B \\e', 'set C\\xe9.%% x'],
      command: '/usr/bin/env',
      args: ['env', '-0'],
    });
    expect(entriesOf(run(path))).toEqual(['A= \t\n\r\\\xff\x01=\xc3\xa9', 'B=', 'C\xe9.%%=x']);
  });
});
