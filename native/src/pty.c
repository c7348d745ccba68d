#include "pty.h"

#include "base.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { OUTPUT_CHUNK = 64 << 10, INPUT_CHUNK = 1024, LONGEST_WAIT_MS = 5000 };

struct relay {
  struct watch watch;
  struct termios caller_mode;
  int master;
  pid_t launcher, parent;
  bool is_raw, input_ended;
  /* Typed, and not yet taken by the command's terminal. */
  char input[INPUT_CHUNK];
  size_t input_from, input_to;
};

static int open_master(void) {
  int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 || fcntl(master, F_SETFL, O_NONBLOCK) != 0)
    refuse("cannot make a terminal for the command: ", error_text(errno), NULL);
  return master;
}

static int open_slave(int master, const struct termios *mode) {
  char path[64];
  int slave = ptsname_r(master, path, sizeof path) == 0 ? open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
  if (slave < 0 || tcsetattr(slave, TCSANOW, mode) != 0)
    refuse("cannot open the command's terminal: ", error_text(errno), NULL);
  return slave;
}

static void copy_window_size(int master) {
  struct winsize size;
  if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0) ioctl(master, TIOCSWINSZ, &size);
}

/* A descriptor that was no terminal for the caller stays what it is. */
static void live_in(int slave) {
  bool errors_are_shown = isatty(STDERR_FILENO);
  if (setsid() < 0 || ioctl(slave, TIOCSCTTY, 0) != 0)
    refuse("cannot take the command's terminal: ", error_text(errno), NULL);
  if (dup2(slave, STDIN_FILENO) < 0 || dup2(slave, STDOUT_FILENO) < 0 ||
      (errors_are_shown && dup2(slave, STDERR_FILENO) < 0))
    _exit(EXIT_OWN_FAILURE);
  close(slave);
}

/* From the background a terminal is neither changed nor read. */
static void make_raw(struct relay *relay) {
  struct termios raw = relay->caller_mode;
  cfmakeraw(&raw);
  relay->is_raw = tcgetpgrp(STDIN_FILENO) == getpgrp() && tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

static void restore(struct relay *relay) {
  sigset_t output;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  sigprocmask(SIG_BLOCK, &output, NULL);
  if (relay->is_raw) tcsetattr(STDIN_FILENO, TCSADRAIN, &relay->caller_mode);
  relay->is_raw = false;
}

/* False when there is nothing more for now. */
static bool pass_output(struct relay *relay) {
  static char bytes[OUTPUT_CHUNK];
  ssize_t got = read(relay->master, bytes, sizeof bytes);
  return got > 0 && write_whole(STDOUT_FILENO, bytes, (size_t)got);
}

static void take_input(struct relay *relay) {
  ssize_t got = read(STDIN_FILENO, relay->input, sizeof relay->input);
  if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) relay->input_ended = true;
  relay->input_from = 0;
  relay->input_to = got > 0 ? (size_t)got : 0;
}

static void pass_input(struct relay *relay) {
  ssize_t put = write(relay->master, relay->input + relay->input_from, relay->input_to - relay->input_from);
  if (put > 0) relay->input_from += (size_t)put;
  else if (errno != EAGAIN && errno != EINTR) relay->input_from = relay->input_to;
}

/* A caller that is stuck must not keep the terminal from the person in front of it. */
static void wait_until_shown(void) {
  struct pollfd source = {.fd = SHOWN_FD, .events = POLLIN};
  close(STDOUT_FILENO);
  while (poll(&source, 1, LONGEST_WAIT_MS) < 0 && errno == EINTR) continue;
}

static _Noreturn void finish(struct relay *relay, int exit_code) {
  while (pass_output(relay)) continue;
  wait_until_shown();
  restore(relay);
  _exit(exit_code);
}

/* The launcher lives in another session: nothing that is meant for it reaches it by itself. */
static void pass_signals(struct relay *relay) {
  struct caught caught;
  while (watch_next(&relay->watch, &caught)) {
    if (is_terminal_stop(caught.signal)) {
      stop_alike(caught.signal);
      continue;
    }
    if (caught.signal == SIGWINCH) copy_window_size(relay->master);
    else if (caught.signal == SIGCONT) make_raw(relay);
    if (caught.signal != SIGCHLD && caught.signal != SIGWINCH) kill(relay->launcher, caught.signal);
  }
  if (getppid() == relay->parent) return;
  kill(relay->launcher, SIGKILL);
  finish(relay, EXIT_OWN_FAILURE);
}

static void end_with_launcher(struct relay *relay) {
  int status;
  if (waitpid(relay->launcher, &status, WNOHANG) == relay->launcher) finish(relay, exit_code_of(status));
}

static void wait_for_something(struct relay *relay) {
  bool has_input = relay->input_from < relay->input_to;
  struct pollfd sources[] = {
      {.fd = relay->watch.fd, .events = POLLIN},
      {.fd = relay->master, .events = (short)(POLLIN | (has_input ? POLLOUT : 0))},
      {.fd = has_input || relay->input_ended || !relay->is_raw ? -1 : STDIN_FILENO, .events = POLLIN},
  };
  if (poll(sources, 3, -1) < 0 && errno != EINTR) finish(relay, EXIT_OWN_FAILURE);
  if (sources[0].revents) pass_signals(relay);
  if (sources[1].revents & POLLIN) pass_output(relay);
  if (sources[1].revents & POLLOUT) pass_input(relay);
  if (sources[2].revents) take_input(relay);
}

/* With all ends of the command's terminal closed, only the launcher's end is left to wait for. */
static bool terminal_is_closed(struct relay *relay) {
  struct pollfd source = {.fd = relay->master, .events = POLLIN};
  return poll(&source, 1, 0) == 1 && (source.revents & POLLHUP) && !(source.revents & POLLIN);
}

static _Noreturn void relay_all(struct relay *relay) {
  make_raw(relay);
  for (;;) {
    end_with_launcher(relay);
    if (terminal_is_closed(relay)) {
      struct pollfd source = {.fd = relay->watch.fd, .events = POLLIN};
      poll(&source, 1, -1);
      pass_signals(relay);
    } else {
      wait_for_something(relay);
    }
  }
}

void enter_own_terminal(int plan_fd) {
  struct relay relay = {.parent = getppid()};
  if (tcgetattr(STDIN_FILENO, &relay.caller_mode) != 0) refuse("--pty: stdin is not a terminal", NULL);
  relay.master = open_master();
  int slave = open_slave(relay.master, &relay.caller_mode);
  copy_window_size(relay.master);
  /* Not SIGKILL: the caller's terminal must be put back first. */
  prctl(PR_SET_PDEATHSIG, SIGHUP);
  prctl(PR_SET_DUMPABLE, 0);
  watch_begin(&relay.watch);
  relay.launcher = fork();
  if (relay.launcher < 0) refuse("cannot fork: ", error_text(errno), NULL);
  if (relay.launcher == 0) {
    watch_undo(&relay.watch);
    close(relay.master);
    close(SHOWN_FD);
    live_in(slave);
    return;
  }
  close(slave);
  close(plan_fd);
  relay_all(&relay);
}
