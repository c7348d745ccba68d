#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * Whoever gave the plan over a socket learns on the same socket that the command was started. The command never has the
 * descriptor, so nothing it prints and no exit code of its own can be taken for a failure of ours.
 */
static int status_fd = -1;
/* It stays open while the command runs: its end is the end of whoever wanted the command. */
static bool is_lifeline;

void status_keep(int fd, bool lifeline) {
  is_lifeline = lifeline;
  if (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0) status_fd = fd;
  else close(fd);
}

/* One byte is a signal for the command: an engine does not pass all of them on. */
int status_next_signal(void) {
  unsigned char number;
  ssize_t got = recv(status_fd, &number, 1, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  return got == 1 && number >= 1 && number < NSIG ? number : -1;
}

/* An engine may say another code, or none. */
void status_ended(int code) {
  char said[16];
  if (!is_lifeline) return;
  int length = snprintf(said, sizeof said, " %d\n", code);
  send(status_fd, said, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int status_descriptor(void) { return status_fd; }

void status_ready(void) { send(status_fd, "r", 1, MSG_NOSIGNAL | MSG_DONTWAIT); }

int status_lifeline(void) { return is_lifeline ? status_fd : -1; }

void status_started(const char *isolation) {
  if (status_fd < 0) return;
  const char *said = is_lifeline ? isolation : "s";
  /* A caller that went away, or that gave the plan over a pipe, wants no answer. */
  send(status_fd, said, strlen(said), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (is_lifeline) return;
  close(status_fd);
  status_fd = -1;
}
