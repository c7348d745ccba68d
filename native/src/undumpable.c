#include "undumpable.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

void undumpable_offer(void) {
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  signal(SIGTRAP, SIG_DFL);
  sigprocmask(SIG_UNBLOCK, &trap, NULL);
  /* Someone else traces it, or nobody may: it stops all the same, since its parent waits for that. */
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) raise(SIGSTOP);
}

typedef struct user_regs_struct registers;

#if defined(__x86_64__)
enum { INSTRUCTION_BYTES = 2, INSTRUCTION_STEP = 1 };
static const unsigned char CALL[INSTRUCTION_BYTES] = {0x0f, 0x05};
static unsigned long stack_of(const registers *now) { return now->rsp; }
static void set_call(registers *now, unsigned long place) {
  now->rip = place;
  now->rax = SYS_prctl;
  now->orig_rax = (unsigned long)-1;
  now->rdi = PR_SET_DUMPABLE;
  now->rsi = now->rdx = now->r10 = now->r8 = 0;
}
#elif defined(__aarch64__)
enum { INSTRUCTION_BYTES = 4, INSTRUCTION_STEP = 4 };
static const unsigned char CALL[INSTRUCTION_BYTES] = {0x01, 0x00, 0x00, 0xd4};
static unsigned long stack_of(const registers *now) { return now->sp; }
static void set_call(registers *now, unsigned long place) {
  now->pc = place;
  now->regs[8] = SYS_prctl;
  now->regs[0] = PR_SET_DUMPABLE;
  now->regs[1] = now->regs[2] = now->regs[3] = now->regs[4] = 0;
}
#else
#error "say how this machine calls its kernel"
#endif

static bool registers_by(int request, pid_t child, registers *all) {
  struct iovec room = {all, sizeof *all};
  return ptrace(request, child, (void *)(uintptr_t)NT_PRSTATUS, &room) == 0;
}

static bool has_stopped(pid_t child, int *status) {
  while (waitpid(child, status, WUNTRACED | __WALL) < 0)
    if (errno != EINTR) return false;
  return WIFSTOPPED(*status);
}

static long word_at(pid_t child, unsigned long place) {
  errno = 0;
  return ptrace(PTRACE_PEEKDATA, child, (void *)place, NULL);
}

/* The kernel's own code in every process. At its start a program has on its stack its arguments, its environment, and then this. */
static unsigned long kernel_code(pid_t child, unsigned long stack) {
  unsigned long place = stack + ((unsigned long)word_at(child, stack) + 2) * sizeof(long);
  while (word_at(child, place) && !errno) place += sizeof(long);
  place += sizeof(long);
  for (long kind; (kind = word_at(child, place)) != AT_NULL && !errno; place += 2 * sizeof(long))
    if (kind == AT_SYSINFO_EHDR) return (unsigned long)word_at(child, place + sizeof(long));
  return 0;
}

/* An instruction that calls the kernel. Nothing is written: what is made undumpable could not be put right again. */
static unsigned long place_to_call(pid_t child, unsigned long stack) {
  enum { MOST = 1 << 14 };
  static unsigned char code[MOST];
  unsigned long begin = kernel_code(child, stack), length = 0;
  for (; begin && length < MOST; length += sizeof(long)) {
    long word = word_at(child, begin + length);
    if (errno) break;
    memcpy(code + length, &word, sizeof word);
  }
  for (unsigned long at = 0; at + INSTRUCTION_BYTES <= length; at += INSTRUCTION_STEP)
    if (memcmp(code + at, CALL, INSTRUCTION_BYTES) == 0) return begin + at;
  return 0;
}

static void call_in(pid_t child) {
  registers before, now;
  int status;
  if (!registers_by(PTRACE_GETREGSET, child, &before)) return;
  unsigned long place = place_to_call(child, stack_of(&before));
  if (!place) return;
  now = before;
  set_call(&now, place);
  bool called = registers_by(PTRACE_SETREGSET, child, &now) && ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0;
  if (!called || !has_stopped(child, &status) || !registers_by(PTRACE_SETREGSET, child, &before)) kill(child, SIGKILL);
}

bool undumpable_make(pid_t child) {
  int status;
  while (has_stopped(child, &status)) {
    if (WSTOPSIG(status) == SIGTRAP) {
      call_in(child);
      ptrace(PTRACE_DETACH, child, NULL, NULL);
      return true;
    }
    /* Someone sent it a signal, which it gets; or it is not traced. */
    if (ptrace(PTRACE_CONT, child, NULL, (void *)(uintptr_t)WSTOPSIG(status)) == 0) continue;
    kill(child, SIGCONT);
    return true;
  }
  return false;
}
