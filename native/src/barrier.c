#include "barrier.h"

#include "protocol.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Before the greeting a terminal's signal may have come too early for the command; the inner process knows. */
static void pass_signals(struct barrier *barrier) {
  struct caught caught;
  while (watch_next(&barrier->watch, &caught)) {
    if (caught.signal == SIGCHLD) continue;
    if (!caught.by_process && barrier->greeted && caught.signal != SIGCONT) continue;
    struct order order = {.signal = caught.signal, .by_terminal = !caught.by_process};
    if (send(barrier->control, &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) continue;
    if (caught.signal == SIGCONT) barrier->continued++;
  }
}

static void be_greeted(struct barrier *barrier, struct launch *launch) {
  barrier->greeted = true;
  status_started();
  close(barrier->errors);
  launch_forget(launch);
  let_go_of_input_and_output();
}

static bool is_wait_status(int status) {
  return (WIFEXITED(status) || WIFSIGNALED(status)) && (status & ~0xffff) == 0;
}

/* The other end is our own program, yet it lives inside: whatever does not fit ends the sandbox. */
static _Noreturn void refuse_message(const struct barrier *barrier) {
  kill(barrier->bwrap, SIGKILL);
  refuse("the sandbox sent something that is no report", NULL);
}

static void take_report(struct barrier *barrier, struct launch *launch, const struct report *report) {
  if ((report->kind == REPORT_HELLO) == barrier->greeted || barrier->ended) refuse_message(barrier);
  if (report->kind == REPORT_HELLO) {
    be_greeted(barrier, launch);
  } else if (report->kind == REPORT_STOPPED) {
    if (report->continued == barrier->continued) stop_alike(report->status);
  } else if (report->kind == REPORT_ENDED && is_wait_status(report->status)) {
    barrier->ended = true;
    barrier->status = report->status;
  } else {
    refuse_message(barrier);
  }
}

/* False at the end of the conversation. */
static bool take_message(struct barrier *barrier, struct launch *launch) {
  struct report report;
  ssize_t got = recv(barrier->control, &report, sizeof report, MSG_DONTWAIT | MSG_TRUNC);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0) return false;
  if (got != (ssize_t)sizeof report) refuse_message(barrier);
  take_report(barrier, launch, &report);
  return true;
}

/* Signals first: a continue that came with a report about an earlier stop decides what the report means. */
static void converse(struct barrier *barrier, struct launch *launch) {
  struct pollfd sources[] = {{.fd = barrier->watch.fd, .events = POLLIN}, {.fd = barrier->control, .events = POLLIN}};
  do {
    if (poll(sources, 2, -1) < 0 && errno != EINTR) refuse("cannot wait: ", error_text(errno), NULL);
    pass_signals(barrier);
    if (sources[1].revents && !take_message(barrier, launch)) return;
  } while (!barrier->ended);
}

static int wait_for_bubblewrap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) refuse("the sandbox could not be waited for: ", error_text(errno), NULL);
  return status;
}

static void read_reason(int errors, struct text *reason) {
  char said[1024];
  ssize_t got = read(errors, said, sizeof said);
  size_t length = got > 0 ? (size_t)got : 0;
  while (length && said[length - 1] == '\n') length--;
  text_add(reason, length ? "" : "bubblewrap ended without a word");
  text_add_bytes(reason, said, length);
}

static void give_up(struct barrier *barrier, struct text *reason) {
  read_reason(barrier->errors, reason);
  close(barrier->errors);
  close(barrier->control);
  if (barrier->terminal >= 0) close(barrier->terminal);
  placeholders_release(barrier->lock);
  watch_undo(&barrier->watch);
}

void run_behind_barrier(struct launch *launch, struct text *reason) {
  struct barrier barrier = {.lock = placeholders_make(&launch->plan), .terminal = own_terminal()};
  watch_begin(&barrier.watch);
  start_bubblewrap(&barrier, launch);
  await_dismissed();
  converse(&barrier, launch);
  wait_for_bubblewrap(barrier.bwrap);
  if (!barrier.greeted) {
    give_up(&barrier, reason);
    return;
  }
  reclaim_terminal(barrier.terminal);
  placeholders_release(barrier.lock);
  if (!barrier.ended) say("the sandbox was ended from outside", NULL);
  launch_end(launch, "barrier", &barrier.watch, barrier.ended ? barrier.status : SIGKILL);
}
