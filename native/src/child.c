#include "watch.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int exit_code_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : EXIT_SIGNAL_BASE + WTERMSIG(wait_status);
}

/* A continue goes on before anything is looked at: a stop that was noted earlier must not stop us again. */
static void pass_signals(struct watch *watch, pid_t pid) {
  struct caught caught;
  while (watch_next(watch, &caught))
    if (caught.signal == SIGCONT || (caught.signal != SIGCHLD && caught.by_process)) kill(pid, caught.signal);
}

static bool has_ended(pid_t pid, int *status) {
  pid_t found = waitpid(pid, status, WNOHANG | WUNTRACED);
  if (found < 0 && errno != EINTR) refuse("the command could not be waited for: ", error_text(errno), NULL);
  if (found != pid) return false;
  if (!WIFSTOPPED(*status)) return true;
  stop_alike(WSTOPSIG(*status));
  return false;
}

static void drain(struct incoming *incoming, int *pipe) {
  enum incoming_state state;
  do state = incoming_take(incoming, *pipe);
  while (state == INCOMING_MORE);
  if (state == INCOMING_END) *pipe = -1;
}

static bool is_whole_plan(struct slice text) {
  static const char last[] = "\nend\n";
  size_t length = sizeof last - 1;
  return text.length >= length && memcmp(text.text + text.length - length, last, length) == 0;
}

static pid_t dismissed;

/* The planner has nothing left to do, and dies faster than it would tidy up: while the sandbox is being set up. */
static int dismiss(pid_t pid) {
  kill(pid, SIGKILL);
  dismissed = pid;
  return 0;
}

void await_dismissed(void) {
  if (dismissed <= 0) return;
  while (waitpid(dismissed, NULL, 0) < 0)
    if (errno != EINTR) refuse("the planner could not be waited for: ", error_text(errno), NULL);
  dismissed = 0;
}

int watch_child(struct watch *watch, pid_t pid, int pipe, struct incoming *incoming) {
  int status = 0;
  bool ended = false;
  while (!ended) {
    struct pollfd sources[] = {{.fd = watch->fd, .events = POLLIN}, {.fd = pipe, .events = POLLIN}};
    if (poll(sources, 2, -1) < 0 && errno != EINTR) refuse("cannot wait: ", error_text(errno), NULL);
    pass_signals(watch, pid);
    ended = has_ended(pid, &status);
    if (pipe < 0) continue;
    drain(incoming, &pipe);
    if (!ended && pipe < 0 && is_whole_plan(incoming->text)) return dismiss(pid);
  }
  return status;
}
