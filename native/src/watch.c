#include "watch.h"

#include "kernel.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Faults are this process's own. A terminal's stop is not: who waits for us may only take us for stopped when the command is, which could
   read what is typed next otherwise, and one that catches the signal goes on. */
static sigset_t watched_signals(void) {
  static const int own[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
  sigset_t set;
  sigfillset(&set);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&set, own[i]);
  return set;
}

void take_child_signal(struct sigaction *before) {
  struct sigaction plain = {.sa_handler = SIG_DFL};
  sigaction(SIGCHLD, &plain, before);
}

void watch_begin(struct watch *watch) {
  sigset_t set = watched_signals();
  sigprocmask(SIG_BLOCK, &set, &watch->caller_mask);
  take_child_signal(&watch->caller_child_action);
  sigpending(&watch->early);
  sigemptyset(&watch->from_terminal);
  watch->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (watch->fd < 0) refuse("cannot watch signals: ", error_text(errno), NULL);
}

void watch_undo(const struct watch *watch) {
  close(watch->fd);
  sigaction(SIGCHLD, &watch->caller_child_action, NULL);
  sigprocmask(SIG_SETMASK, &watch->caller_mask, NULL);
}

/* What a terminal raised has reached the child through the group, unless it came before there was a child. */
bool watch_next(struct watch *watch, struct caught *caught) {
  struct signalfd_siginfo info;
  if (read(watch->fd, &info, sizeof info) != (ssize_t)sizeof info) return false;
  caught->signal = (int)info.ssi_signo;
  if (info.ssi_code == SI_KERNEL) sigaddset(&watch->from_terminal, caught->signal);
  caught->by_process = info.ssi_code != SI_KERNEL || sigismember(&watch->early, caught->signal) == 1;
  sigdelset(&watch->early, caught->signal);
  return true;
}

void die_with_parent(pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(EXIT_OWN_FAILURE);
}

bool is_terminal_stop(int signal) { return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU; }

/* A continue that has come since undoes it: one that waits to be read, or one that takes the waiting stop away. */
void stop_alike(int signal) {
  sigset_t only, waiting;
  if (signal != SIGSTOP && !is_terminal_stop(signal)) return;
  sigemptyset(&only);
  sigaddset(&only, signal);
  if (signal != SIGSTOP) kill(getpid(), signal);
  sigpending(&waiting);
  if (sigismember(&waiting, SIGCONT)) {
    sigtimedwait(&only, NULL, &(struct timespec){0});
  } else if (signal == SIGSTOP) {
    kill(getpid(), signal);
  } else {
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    sigprocmask(SIG_BLOCK, &only, NULL);
  }
}

void watch_take_for_terminals(struct watch *watch) {
  sigaddset(&watch->from_terminal, SIGINT);
  sigaddset(&watch->from_terminal, SIGQUIT);
}

void die_alike(const struct watch *watch, int wait_status) {
  int signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  if ((signal != SIGINT && signal != SIGQUIT) || sigismember(&watch->from_terminal, signal) != 1) return;
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  kill(getpid(), signal);
  sigprocmask(SIG_UNBLOCK, &only, NULL);
}
