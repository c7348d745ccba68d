#include "barrier.h"

#include "changes.h"
#include "ending.h"
#include "later.h"
#include "protocol.h"
#include "said.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void give_order(struct barrier *barrier, int signal, bool by_terminal) {
  struct order order = {.signal = signal, .by_terminal = by_terminal};
  if (signal == SIGCONT && barrier->terminal.is_lent) {
    order.with_terminal = terminal_is_ours(&barrier->terminal);
    barrier->terminal.in_background = !order.with_terminal;
  }
  if (send(barrier->control, &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;
  if (signal == SIGCONT) barrier->continued++;
}

/* Before the greeting a terminal's signal may have come too early for the command; the inner process knows. */
static void pass_signals(struct barrier *barrier) {
  struct caught caught;
  while (watch_next(&barrier->watch, &caught)) {
    if (caught.signal == SIGCHLD) {
      keeper_look(&barrier->keeper);
      continue;
    }
    bool has_it = !caught.by_process && barrier->greeted && !barrier->terminal.is_lent;
    if (has_it && caught.signal != SIGCONT) continue;
    give_order(barrier, caught.signal == END_SIGNAL ? SIGKILL : caught.signal, !caught.by_process);
  }
}

/* The command is about to start: what this process knows goes first. Then there is time to clean up after others. */
static void be_greeted(struct barrier *barrier, struct launch *launch) {
  barrier->greeted = true;
  status_started("barrier");
  close(barrier->errors);
  outside_keep(&barrier->outside, &launch->plan.places, launch->id);
  launch_forget(launch);
  let_go_of_input_and_output();
  keeper_start(&barrier->keeper);
  aside_sweep(&barrier->aside);
}

static bool is_wait_status(int status) {
  return (WIFEXITED(status) || WIFSIGNALED(status)) && (status & ~0xffff) == 0;
}

/* The other end is our own program, yet it lives inside: whatever does not fit ends the sandbox. */
static _Noreturn void refuse_message(const struct barrier *barrier) {
  kill(barrier->child, SIGKILL);
  refuse("the sandbox sent something that is no report", NULL);
}

/* Where nobody could continue us, as in a terminal's first group, the kernel does not stop us either: then the command goes on. */
static void stop_with_command(struct barrier *barrier, const struct report *report) {
  struct terminal *terminal = &barrier->terminal;
  sigset_t waiting;
  if (!terminal->is_lent) {
    stop_alike(report->status);
    return;
  }
  /* A shell puts a job in front that runs without a word to it: it is told when it wants the terminal. */
  bool is_called = terminal->in_background && is_terminal_stop(report->status) && report->status != SIGTSTP && terminal_is_ours(terminal);
  if (report->has_terminal) terminal_take_back(terminal);
  if (!is_called) stop_alike(report->status);
  sigpending(&waiting);
  if ((is_called || report->status == SIGTSTP) && !sigismember(&waiting, SIGCONT)) give_order(barrier, SIGCONT, false);
}

static void take_report(struct barrier *barrier, struct launch *launch, const struct report *report) {
  if ((report->kind == REPORT_HELLO) == barrier->greeted || barrier->ended) refuse_message(barrier);
  if (report->kind == REPORT_HELLO) {
    if (!outside_is_ready(&barrier->outside)) refuse_message(barrier);
    be_greeted(barrier, launch);
  } else if (report->kind == REPORT_STOPPED) {
    if (report->continued == barrier->continued) stop_with_command(barrier, report);
  } else if (report->kind == REPORT_SAY) {
    if (report->line[sizeof report->line - 1]) refuse_message(barrier);
    say(report->line, NULL);
  } else if (report->kind == REPORT_ENDED && is_wait_status(report->status)) {
    if (report->line[sizeof report->line - 1]) refuse_message(barrier);
    memcpy(barrier->met_inside, report->line, sizeof report->line);
    barrier->ended = true;
    barrier->status = report->status;
  } else {
    refuse_message(barrier);
  }
}

enum { LARGEST_MESSAGE = 8192, MOST_DESCRIPTORS = 2 };

static size_t descriptors_in(struct msghdr *header, int *descriptors) {
  struct cmsghdr *rights = CMSG_FIRSTHDR(header);
  if (!rights || rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS) return 0;
  size_t count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  if (count > MOST_DESCRIPTORS) return count;
  memcpy(descriptors, CMSG_DATA(rights), count * sizeof(int));
  return count;
}

/* False at the end of the conversation. Only before the command starts does a message bring descriptors along. */
static bool take_message(struct barrier *barrier, struct launch *launch) {
  static _Alignas(struct report) char bytes[LARGEST_MESSAGE];
  _Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof barrier->outside.listeners)];
  int descriptors[MOST_DESCRIPTORS], kind;
  struct iovec space = {bytes, sizeof bytes};
  struct msghdr header = {.msg_iov = &space, .msg_iovlen = 1, .msg_control = room, .msg_controllen = barrier->greeted ? 0 : sizeof room};
  ssize_t got = recvmsg(barrier->control, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  /* Reset: the other end went without having read every order. What it said before is still to be read. */
  if (got < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNRESET)) return true;
  if (got <= 0) return false;
  if (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || (size_t)got < sizeof kind) refuse_message(barrier);
  memcpy(&kind, bytes, sizeof kind);
  if (!barrier->greeted && kind < REPORT_HELLO) {
    size_t count = descriptors_in(&header, descriptors);
    if (!changes_hear(bytes, (size_t)got, descriptors, count)) refuse_message(barrier);
    return true;
  }
  struct report report;
  bool brings = kind == REPORT_LISTENERS || kind == REPORT_COVERS;
  if (got != (ssize_t)sizeof report || brings != (header.msg_controllen > 0)) refuse_message(barrier);
  if (kind == REPORT_LISTENERS) {
    if (!outside_take(&barrier->outside, &header)) refuse_message(barrier);
    return true;
  }
  if (kind == REPORT_COVERS) {
    if (!keeper_take(&barrier->keeper, &header)) refuse_message(barrier);
    return true;
  }
  if (kind == REPORT_READY && !barrier->greeted) {
    status_ready();
    return true;
  }
  memcpy(&report, bytes, sizeof report);
  take_report(barrier, launch, &report);
  return true;
}

static int wait_for_child(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) refuse("the sandbox could not be waited for: ", error_text(errno), NULL);
  return status;
}

/* Whoever wanted the command is gone: it ends with all that it started, and git's files are put back before that. */
static _Noreturn void end_with_caller(struct barrier *barrier) {
  close(barrier->control);
  wait_for_child(barrier->child);
  keeper_end(&barrier->keeper);
  aside_remove(&barrier->aside);
  _exit(EXIT_OWN_FAILURE);
}

static void hear_caller(struct barrier *barrier) {
  int signal;
  while ((signal = status_next_signal()) > 0) give_order(barrier, signal, false);
  if (signal < 0) end_with_caller(barrier);
}

/* Signals first: a continue that came with a report about an earlier stop decides what the report means. */
static void converse(struct barrier *barrier, struct launch *launch) {
  enum { OWN = 3 };
  struct pollfd sources[OWN + MAX_LISTENERS] = {{.fd = barrier->watch.fd, .events = POLLIN},
                                                {.fd = barrier->control, .events = POLLIN},
                                                {.fd = status_lifeline(), .events = POLLIN}};
  do {
    size_t others = barrier->greeted ? outside_sources(&barrier->outside, sources + OWN) : 0;
    if (poll(sources, OWN + others, -1) < 0) {
      if (errno != EINTR) refuse("cannot wait: ", error_text(errno), NULL);
      continue;
    }
    pass_signals(barrier);
    outside_act(&barrier->outside, &barrier->watch, sources + OWN, others);
    if (sources[2].revents) hear_caller(barrier);
    if (sources[1].revents && !take_message(barrier, launch)) return;
  } while (!barrier->ended);
}

/* A sandbox that ends meanwhile is noticed by whoever goes on. */
static void await_rest(struct barrier *barrier, struct launch *launch) {
  struct pollfd sources[] = {{.fd = status_descriptor(), .events = POLLIN}, {.fd = barrier->control, .events = POLLIN}};
  while (!sources[0].revents) {
    if (poll(sources, 2, -1) < 0 && errno != EINTR) refuse("cannot wait: ", error_text(errno), NULL);
    if (sources[1].revents && !take_message(barrier, launch)) return;
  }
  if (!later_take(launch, barrier->control)) end_with_caller(barrier);
}

static void read_reason(int errors, struct text *reason) {
  char said[1024];
  ssize_t got = read(errors, said, sizeof said);
  size_t length = got > 0 ? (size_t)got : 0;
  while (length && said[length - 1] == '\n') length--;
  text_add_bytes(reason, said, length);
}

static void give_up(struct barrier *barrier) {
  close(barrier->control);
  if (barrier->terminal.fd >= 0) close(barrier->terminal.fd);
  aside_remove(&barrier->aside);
  watch_undo(&barrier->watch);
}

static void tell_ending(const struct barrier *barrier, const struct plan *plan) {
  struct put_aside_files put_aside = changes_tell();
  ending_tell(&(struct met){
      .inside = barrier->met_inside,
      .refused = outside_refused(&barrier->outside),
      .files = put_aside.kept,
      .credentials = put_aside.credentials,
      .failed = !barrier->ended || barrier->status != 0,
      .network_off = plan->places.network == NETWORK_OFF,
      .is_quiet = plan->quiet,
      .is_summary = plan->summary,
      .is_traced = plan->trace != NULL,
      .on_terminal = plan->on_terminal || isatty(STDERR_FILENO) == 1,
  });
}

static void say_line(const char *line) { say(line, NULL); }

/* Returns only when nothing ran because the machine lacks the means. A child that refused has said why. */
static void supervise(struct barrier *barrier, struct launch *launch, struct text *reason) {
  await_planner();
  if (launch->plan.later) await_rest(barrier, launch);
  if (!barrier->is_bubblewrap) send(barrier->control, &(char){GO_ON}, 1, MSG_NOSIGNAL);
  converse(barrier, launch);
  int status = wait_for_child(barrier->child);
  if (!barrier->greeted) {
    read_reason(barrier->errors, reason);
    close(barrier->errors);
    give_up(barrier);
    if (!reason->length && barrier->is_bubblewrap) text_add(reason, "bubblewrap ended without a word");
    if (!reason->length) _exit(WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : EXIT_OWN_FAILURE);
    return;
  }
  if (barrier->is_bubblewrap) said_settle(say_line);
  keeper_end(&barrier->keeper);
  terminal_end(&barrier->terminal);
  outside_end(&barrier->outside);
  changes_take(launch);
  aside_remove(&barrier->aside);
  if (!barrier->ended) say("the sandbox was ended from outside: nobody looked at git's settings in the workspace", NULL);
  tell_ending(barrier, &launch->plan);
  if (barrier->terminal.is_lent) watch_take_for_terminals(&barrier->watch);
  launch_end(launch, "barrier", &barrier->watch, barrier->ended ? barrier->status : SIGKILL);
}

void run_behind_barrier(struct launch *launch, struct text *reason) {
  struct barrier barrier = {0};
  terminal_begin(&barrier.terminal);
  require_room_for_descriptors();
  changes_begin(launch);
  outside_begin(&barrier.outside, &launch->plan.places);
  aside_open(&barrier.aside, launch->plan.places.aside);
  watch_begin(&barrier.watch);
  if (start_in_namespaces(&barrier, launch, reason)) supervise(&barrier, launch, reason);
  else give_up(&barrier);
}

void run_in_bubblewrap(struct launch *launch, struct text *reason) {
  struct barrier barrier = {.is_bubblewrap = true, .aside = {.parent = -1, .folder = -1}};
  terminal_begin(&barrier.terminal);
  outside_begin(&barrier.outside, &launch->plan.places);
  watch_begin(&barrier.watch);
  start_bubblewrap(&barrier, launch);
  supervise(&barrier, launch, reason);
}
