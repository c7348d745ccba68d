import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { wayOut } from '../support/escape.ts';
import { NO_SECCOMP, withPlan } from '../support/escape-off.ts';
import type { Scene } from '../support/escape-scene.ts';

// keyctl(GET_KEYRING_ID, session) by the numbers of the i386 ABI, and by those of x32.
const SOURCE = `
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
int main(int argc, char **argv) {
  long result;
#if defined __x86_64__
  if (argc > 1 && !strcmp(argv[1], "i386"))
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(288), "b"(0), "c"(-3), "d"(1) : "memory", "r8", "r9", "r10", "r11");
  else
    result = syscall(0x40000000 + 250, 0, -3, 1);
#else
  result = syscall(SYS_keyctl, 0, -3, 1);
#endif
  if ((int)result > 0) puts("LEAKED");
  return 0;
}`;

function plant({ home }: Scene): void {
  execFileSync('gcc', ['-x', 'c', '-static', '-o', join(home, 'call'), '-'], { input: SOURCE });
}

wayOut('calling the kernel by the numbers of another ABI', {
  plant,
  probe: ({ home }) => ({ sh: `${home}/call i386; ${home}/call x32` }),
  off: withPlan('the system call filter', NO_SECCOMP),
});
