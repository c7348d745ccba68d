import { expect, it } from 'vitest';
import { cordonProgram, freshHome, runAs } from '../support/cordon.ts';

/** In a mount namespace of its own, with a home on a disk that is read-only, or full to the last block. */
function onDisk(how: 'read-only' | 'full', command: string) {
  const filled =
    how === 'full' ? 'dd if=/dev/zero of="$HOME/fill" bs=4k 2>/dev/null' : 'mount -o remount,bind,ro "$HOME"';
  const script = `mount -t tmpfs -o size=64k tmpfs "$HOME" && mkdir -p "$HOME/.local/state/cordon" || exit 99
printf 'A=1\\n' >"$HOME/.env"
${filled}
${command}`;
  return runAs('/usr/bin/setsid', ['-w', 'unshare', '-rm', 'sh', '-c', script, cordonProgram()], {
    user: 'cordon-test',
    home: freshHome('cordon-test'),
    cwd: '/',
  });
}

it.each([
  ['read-only', '"$0" tool add env', 'the filesystem is read-only'],
  ['read-only', '"$0" import "$HOME/.env"', 'the filesystem is read-only'],
  ['read-only', 'printf x | "$0" creds set KEY', 'the filesystem is read-only'],
  ['full', '"$0" import "$HOME/.env"', 'the disk is full'],
] as const)('on a %s disk %s says so in words, and that it is no defect', (how, command, words) => {
  const { code, stderr } = onDisk(how, command);
  expect(code).toBe(125);
  expect(stderr).toContain(words);
  expect(stderr).not.toMatch(/defect|EROFS|ENOSPC/);
});

it('doctor says that nothing is recorded on a full disk', () => {
  const { stdout } = onDisk('full', '"$0" doctor');
  expect(stdout).toContain('the disk is full, so launches are not recorded');
});
