#include "kernel.h"
#include "launch.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int exit_code_of(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : EXIT_SIGNAL_BASE + WTERMSIG(wait_status);
}

/* One that went on with its group, or has stopped again since, needs no second continue: it would undo that stop. */
static bool needs_continue(pid_t pid) {
  siginfo_t since = {0};
  return waitid(P_PID, (id_t)pid, &since, WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT) == 0 && since.si_pid == 0;
}

static void pass_signals(struct watch *watch, pid_t pid) {
  struct caught caught;
  while (watch_next(watch, &caught))
    if (caught.signal == SIGCONT ? needs_continue(pid) : caught.signal != SIGCHLD && caught.by_process)
      kill(pid, caught.signal == END_SIGNAL ? SIGKILL : caught.signal);
}

/* What a command that has ended left behind is ours to wait for where nobody else is there. */
static void reap_others(pid_t pid) {
  siginfo_t ended = {0};
  while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid && ended.si_pid != pid) {
    waitpid(ended.si_pid, NULL, 0);
    ended.si_pid = 0;
  }
}

/* Those of a child that is ended come to us, so all are found in the end. */
void end_descendants(void) {
  char path[64], list[4096];
  if (getpid() == 1) return; /* The kernel ends the others when this process ends. */
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  for (;;) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, list, sizeof list - 1);
    if (fd >= 0) close(fd);
    if (got <= 0) return;
    list[got] = '\0';
    char *rest = list;
    /* A number that the buffer cuts off is another process's: it is read again, with those in front of it gone. */
    for (char *space; (space = strchr(rest, ' ')); rest = space + 1) {
      pid_t pid = (pid_t)strtol(rest, NULL, 10);
      kill(pid, SIGKILL);
      while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    }
  }
}

/* Whoever wanted the command is gone: it ends with all that it started. */
static void hear_caller(pid_t pid) {
  int signal;
  while ((signal = status_next_signal()) > 0) kill(pid, signal);
  if (signal == 0) return;
  end_descendants();
  _exit(EXIT_OWN_FAILURE);
}

static bool has_ended(pid_t pid, int *status) {
  if (status_lifeline() >= 0) reap_others(pid);
  pid_t found = waitpid(pid, status, WNOHANG | WUNTRACED | WCONTINUED);
  if (found < 0 && errno != EINTR) refuse("the command could not be waited for: ", error_text(errno), NULL);
  if (found != pid || WIFCONTINUED(*status)) return false;
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

static struct {
  pid_t pid;
  /* -1: it has said all it has to say. */
  int pipe;
  struct incoming *rest;
  void (*heard)(struct slice rest);
} planner = {.pipe = -1};

/* With nothing left to do it dies faster than it would tidy up: while the sandbox is being set up. */
static int let_go(pid_t pid, int pipe) {
  planner.pid = pid;
  planner.pipe = pipe;
  if (pipe < 0) kill(pid, SIGKILL);
  return 0;
}

void planner_hear(struct incoming *rest, void (*heard)(struct slice rest)) {
  planner.rest = rest;
  planner.heard = heard;
}

/* It may have been stopped, by a terminal for one, or have left the pipe to somebody else: then nothing is kept. */
static void hear_out(void) {
  enum { PATIENCE_MS = 1000 };
  struct pollfd sources[] = {{.fd = planner.pipe, .events = POLLIN},
                             {.fd = (int)syscall(SYS_pidfd_open_, planner.pid, 0), .events = POLLIN}};
  while (planner.pipe >= 0 && !incoming_is_whole(planner.rest) && !sources[1].revents && poll(sources, 2, PATIENCE_MS) > 0)
    drain(planner.rest, &planner.pipe);
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
    if (sources[i].fd >= 0) close(sources[i].fd);
  if (incoming_is_whole(planner.rest)) planner.heard(planner.rest->text);
  planner.heard = NULL;
}

void await_planner(void) {
  if (planner.heard) hear_out();
  if (planner.pid <= 0) return;
  kill(planner.pid, SIGKILL);
  while (waitpid(planner.pid, NULL, 0) < 0)
    if (errno != EINTR) refuse("the planner could not be waited for: ", error_text(errno), NULL);
  planner.pid = 0;
}

int watch_child(struct watch *watch, pid_t pid, int pipe, struct incoming *incoming) {
  int status = 0;
  bool ended = false;
  while (!ended) {
    struct pollfd sources[] = {{.fd = watch->fd, .events = POLLIN}, {.fd = pipe, .events = POLLIN},
                               {.fd = status_lifeline(), .events = POLLIN}};
    if (poll(sources, 3, -1) < 0 && errno != EINTR) refuse("cannot wait: ", error_text(errno), NULL);
    if (sources[2].revents) hear_caller(pid);
    pass_signals(watch, pid);
    ended = has_ended(pid, &status);
    if (pipe < 0) continue;
    drain(incoming, &pipe);
    if (!ended && incoming_has_plan(incoming)) return let_go(pid, pipe);
  }
  return status;
}
