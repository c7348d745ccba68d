#include "launch.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * Whoever gave the plan over a socket learns on the same socket that the command was started. The command never has the
 * descriptor, so nothing it prints and no exit code of its own can be taken for a failure of ours.
 */
static int status_fd = -1;

void status_keep(int fd) {
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0) status_fd = fd;
  else close(fd);
}

void status_started(void) {
  if (status_fd < 0) return;
  /* A caller that went away, or that gave the plan over a pipe, wants no answer. */
  send(status_fd, "s", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  close(status_fd);
  status_fd = -1;
}
