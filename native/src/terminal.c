#include "terminal.h"

#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* ── outside ── */

static int own_terminal(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (tcgetpgrp(fd) == getpgrp()) return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  return -1;
}

/* The first in a pipeline leads the group of all. */
static bool is_in_pipeline(void) {
  struct stat found;
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fstat(fd, &found) == 0 && (S_ISFIFO(found.st_mode) || S_ISSOCK(found.st_mode))) return true;
  return false;
}

/* Whoever waits for us in the same group may use the terminal meanwhile. A launcher that is the command of another one shares the group
   with the first process there, which does not. */
static bool is_alone(void) {
  enum { FIRST = 1, ITS_COMMAND = 2 };
  if (is_in_pipeline()) return false;
  return getpgrp() == getpid() || (getpgrp() == FIRST && getpid() == ITS_COMMAND && is_behind_barrier());
}

void terminal_begin(struct terminal *terminal) {
  terminal->fd = own_terminal();
  terminal->is_lent = terminal->fd >= 0 && is_alone();
}

bool terminal_is_ours(const struct terminal *terminal) { return terminal->fd >= 0 && tcgetpgrp(terminal->fd) == getpgrp(); }

/* From the background, which SIGTTOU would answer with a stop. */
static bool set_front(int terminal, pid_t group) {
  sigset_t output, before;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  sigprocmask(SIG_BLOCK, &output, &before);
  bool is_set = tcsetpgrp(terminal, group) == 0;
  sigprocmask(SIG_SETMASK, &before, NULL);
  return is_set;
}

void terminal_take_back(const struct terminal *terminal) { set_front(terminal->fd, getpgrp()); }

/* A shell inside takes the terminal for its own group. Only a foreground group that no longer exists is replaced: another one has its rights. */
void terminal_end(const struct terminal *terminal) {
  if (terminal->fd < 0) return;
  pid_t foreground = tcgetpgrp(terminal->fd);
  if (foreground > 1 && foreground != getpgrp() && kill(-foreground, 0) != 0 && errno == ESRCH) terminal_take_back(terminal);
  close(terminal->fd);
}

/* ── inside ── */

int lead_group(void) {
  setpgid(0, 0);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (tcgetpgrp(fd) >= 0) return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  return -1;
}

pid_t group_in_front(int terminal) {
  pid_t group = tcgetpgrp(terminal);
  return group > 0 ? group : 0;
}

bool put_in_front(int terminal, pid_t group) { return set_front(terminal, group); }
