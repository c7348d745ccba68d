#include "barrier.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

int own_terminal(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (tcgetpgrp(fd) == getpgrp()) return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  return -1;
}

/*
 * A shell inside takes the terminal for its own group and cannot name ours, which its namespace does not know, to give
 * it back. Only a foreground group that no longer exists is replaced: another one has its rights.
 */
void reclaim_terminal(int terminal) {
  if (terminal < 0) return;
  pid_t foreground = tcgetpgrp(terminal);
  if (foreground > 1 && foreground != getpgrp() && kill(-foreground, 0) != 0 && errno == ESRCH) {
    sigset_t output;
    sigemptyset(&output);
    sigaddset(&output, SIGTTOU);
    sigprocmask(SIG_BLOCK, &output, NULL);
    tcsetpgrp(terminal, getpgrp());
  }
  close(terminal);
}
