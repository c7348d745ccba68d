#include "protocol.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

static void gain_nothing_by_exec(void) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) refuse("cannot give up privileges: ", error_text(errno), NULL);
}

/* Signals too: the command shares its process group with the caller's, and kill(0, …) would reach out of the sandbox. */
void cut_off_abstract_sockets(void) {
  long abi = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_VERSION);
  if (abi < LANDLOCK_ABI_WITH_SCOPES) return;
  gain_nothing_by_exec();
  struct landlock_ruleset rules = {.scoped = LANDLOCK_SCOPE_ABSTRACT_SOCKETS | LANDLOCK_SCOPE_SIGNALS};
  int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0u);
  if (fd < 0 || syscall(SYS_landlock_restrict_self, fd, 0u) != 0)
    refuse("cannot cut off abstract sockets: ", error_text(errno), NULL);
  close(fd);
}

void load_filter(const struct bpf_instruction *instructions, size_t count) {
  struct bpf_program program = {.count = (unsigned short)count, .instructions = instructions};
  gain_nothing_by_exec();
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER_, 0u, &program) != 0)
    refuse("the system call filter was not accepted: ", error_text(errno), NULL);
}
