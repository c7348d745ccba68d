#include "ending.h"
#include "git.h"
#include "input.h"
#include "launch.h"
#include "look.h"
#include "masks.h"
#include "protocol.h"
#include "said.h"
#include "terminal.h"
#include "trace.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MAX_SETUP = sizeof(struct setup) + MAX_NAME + MAX_PWD + MAX_WORKSPACE + MAX_BPF_INSTRUCTIONS * sizeof(struct bpf_instruction) };
enum { LONGEST_EXEC_MS = 20, SAME_EVENT_MS = 200, MAX_SIGNAL = 64 };

static struct {
  struct setup head;
  char *pwd, *workspace;
  const struct bpf_instruction *filter;
} setup;

static struct {
  int signals, listener;
  pid_t command;
  uint32_t continued;
  /* The signal that the command is stopped by, or 0. */
  int stop;
  /* It has gone on since it last stopped: with its group, or because we sent it the continue. */
  bool went_on, continue_sent;
  /* When this process itself last got a signal from outside, sent to the whole group by a process or a terminal. */
  int64_t group_signal_ms[2][MAX_SIGNAL + 1];
  /* The terminal, where the command has a group of its own, and the group that had it when the command last stopped. */
  int terminal;
  pid_t in_front;
} state = {.listener = -1, .terminal = -1};

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + 1;
}

static void read_setup(void) {
  static _Alignas(16) char packet[MAX_SETUP + 1];
  ssize_t got = recv(CONTROL_FD, packet, sizeof packet, 0);
  if (got < (ssize_t)sizeof setup.head) refuse("this mode is for the launcher itself", NULL);
  memcpy(&setup.head, packet, sizeof setup.head);
  const struct setup *head = &setup.head;
  size_t filter_bytes = (size_t)head->instruction_count * sizeof *setup.filter;
  size_t pwd_bytes = head->pwd_length == NO_PWD ? 0 : (size_t)head->pwd_length;
  size_t filter_at = sizeof *head, pwd_at = filter_at + filter_bytes, workspace_at = pwd_at + pwd_bytes;
  size_t name_at = workspace_at + (size_t)head->workspace_length;
  if ((size_t)got != name_at + (size_t)head->name_length || head->limit_count > MAX_LIMITS)
    refuse("the set-up is damaged", NULL);
  setup.filter = (const struct bpf_instruction *)(const void *)(packet + filter_at);
  packet[got] = '\0';
  set_subject(packet + name_at);
  if (head->workspace_length) setup.workspace = allot_text(packet + workspace_at, (size_t)head->workspace_length);
  if (head->pwd_length != NO_PWD) setup.pwd = allot_text(packet + pwd_at, pwd_bytes);
}

/* Bubblewrap sets PWD on its own; the command gets what was decided. */
static void restore_pwd(void) {
  char **out = environ;
  for (char **in = environ; *in; in++) {
    if (strncmp(*in, "PWD=", 4) != 0) *out++ = *in;
    else if (setup.pwd) *out++ = setup.pwd;
  }
  *out = NULL;
}

static void take_real_stdio(void) {
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    if (dup2(REAL_STDIN_FD + fd, fd) < 0) refuse("standard descriptors are missing", NULL);
  close_descriptors_from(PROGRAM_FD);
}

static bool send_report(enum report_kind kind, int status, const char *line) {
  struct report message = {.kind = kind, .status = status, .continued = state.continued, .has_terminal = state.in_front > 0};
  memcpy(message.line, line, strnlen(line, sizeof message.line - 1));
  return send(CONTROL_FD, &message, sizeof message, MSG_NOSIGNAL) == (ssize_t)sizeof message;
}

static void report(enum report_kind kind, int status) {
  if (!send_report(kind, status, "")) _exit(EXIT_OWN_FAILURE);
}

enum { CHANNEL_FD = STDERR_FILENO + 1 };

/* `channel` is where the tracer waits, or -1. */
static _Noreturn void become_command(int channel, const char *path, char **argv, char **env) {
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  if (setup.head.child_signal_ignored) sigaction(SIGCHLD, &ignore, NULL);
  if (channel >= 0 && dup2(channel, CHANNEL_FD) < 0) _exit(EXIT_OWN_FAILURE);
  close_descriptors_from(STDERR_FILENO + (channel < 0 ? 1 : 2));
  apply_limits(setup.head.limits, setup.head.limit_count);
  if (setup.head.landlock_scope) cut_off_abstract_sockets();
  if (setup.head.instruction_count) load_filter(setup.filter, (size_t)setup.head.instruction_count);
  sigprocmask(SIG_SETMASK, &setup.head.caller_mask, NULL);
  if (setup.head.look) look("barrier", argv + 1);
  if (channel >= 0) trace_begin(CHANNEL_FD);
  execute(path, argv, env);
}

static void note_own_signals(void) {
  struct signalfd_siginfo info;
  while (read(state.signals, &info, sizeof info) == (ssize_t)sizeof info) {
    bool by_terminal = info.ssi_code == SI_KERNEL;
    bool from_outside = by_terminal || (info.ssi_code <= SI_USER && info.ssi_pid == 0);
    if (from_outside && info.ssi_signo <= MAX_SIGNAL) state.group_signal_ms[by_terminal][info.ssi_signo] = now_ms();
  }
}

/* A signal sent to the whole group has reached the command already, if it still is in that group. */
static bool command_has_it(const struct order *order) {
  int64_t *noted = &state.group_signal_ms[order->by_terminal != 0][order->signal];
  bool fresh = *noted && now_ms() - *noted < SAME_EVENT_MS;
  *noted = 0;
  return fresh && getpgid(state.command) == getpgrp();
}

static _Noreturn void end_alone(void);
static void reap(void);

/* Its children in the group too, as a shell would. */
static void signal_group(int signal) {
  kill(0, signal);
  if (getpgid(state.command) != getpgrp()) kill(state.command, signal);
}

static void take_terminal(void) {
  if (!state.in_front || !put_in_front(state.terminal, state.in_front)) put_in_front(state.terminal, getpgrp());
  state.in_front = 0;
}

/* One that went on with its group needs no second continue, which would undo a stop that came in between; that stop is told again, as
   the supervisor took it for the one before. */
static void pass_continue(const struct order *order) {
  reap();
  state.continued++;
  if (setup.head.leads_group) {
    if (order->with_terminal) take_terminal();
    signal_group(SIGCONT);
  } else if (state.went_on) {
    state.went_on = false;
    if (state.stop) report(REPORT_STOPPED, state.stop);
  } else if (!command_has_it(order)) {
    state.continue_sent = state.stop != 0;
    kill(state.command, SIGCONT);
  }
}

static void carry_out_order(void) {
  struct order order;
  ssize_t got = recv(CONTROL_FD, &order, sizeof order, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) end_alone();
  if (got != (ssize_t)sizeof order || order.signal < 1 || order.signal > MAX_SIGNAL) _exit(EXIT_OWN_FAILURE);
  note_own_signals();
  if (order.signal == SIGCONT) pass_continue(&order);
  else if (command_has_it(&order)) return;
  else if (order.by_terminal && setup.head.leads_group) signal_group(order.signal);
  else kill(state.command, order.signal);
}

static void say_outside(const char *line) { send_report(REPORT_SAY, 0, line); }

/* Nobody is left to write behind our back, and no signal to all can reach a process that is yet to be forked. */
static void end_all_others(void) {
  /* Anywhere but in a PID namespace of our own this would be everything the user runs. */
  if (getpid() != 1) _exit(EXIT_OWN_FAILURE);
  do kill(-1, SIGKILL);
  while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR);
}

static void say_nothing(const char *line) { (void)line; }

/* The supervisor was killed, which a command can bring about by not ending: that must not save what it planted. */
static _Noreturn void end_alone(void) {
  end_all_others();
  trace_end();
  said_settle(say_nothing);
  git_settle(say_nothing);
  _exit(EXIT_OWN_FAILURE);
}

static _Noreturn void end_with(int status) {
  end_all_others();
  input_hand_back();
  said_settle(say_outside);
  git_settle(say_outside);
  trace_end();
  /* With the end, since each report wakes the supervisor. */
  _exit(send_report(REPORT_ENDED, status, ending_met(status != 0)) ? 0 : EXIT_OWN_FAILURE);
}

static void note_going_on(void) {
  state.went_on = !state.continue_sent;
  state.continue_sent = false;
  state.stop = 0;
}

static void reap(void) {
  int status;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0;) {
    if (pid != state.command) continue;
    if (WIFEXITED(status) || WIFSIGNALED(status)) end_with(status);
    if (WIFCONTINUED(status) || state.stop) note_going_on();
    if (!WIFSTOPPED(status)) continue;
    state.stop = WSTOPSIG(status);
    if (state.terminal >= 0) state.in_front = group_in_front(state.terminal);
    report(REPORT_STOPPED, state.stop);
  }
}

static void open_signals(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  state.signals = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
  if (state.signals < 0) refuse("cannot watch signals: ", error_text(errno), NULL);
}

/* What the group got before the command was in it is handed on; noting it keeps the supervisor's copy from being a second one. */
static void pass_on_early(const sigset_t *early) {
  for (int signal = 1; signal <= MAX_SIGNAL; signal++) {
    if (signal == SIGCHLD || sigismember(early, signal) != 1) continue;
    kill(state.command, signal);
    state.group_signal_ms[0][signal] = state.group_signal_ms[1][signal] = now_ms();
  }
}

/* The command comes first: on a busy machine what is done beside it would be done before it. Its end of the gate goes with the exec. */
static void await_exec(int gate) {
  struct pollfd gone = {.fd = gate};
  poll(&gone, 1, LONGEST_EXEC_MS);
}

/* Forked, not executed: the command starts only when nothing of what it gets is left in this process, which lives on. */
static void start_command(const char *path, char **argv, char **env, void (*forget)(void), void (*go_on)(void)) {
  sigset_t early;
  int gate[2], channel[2] = {-1, -1};
  char go;
  if (setup.head.leads_group) state.terminal = lead_group();
  sigpending(&early);
  note_own_signals();
  report(REPORT_HELLO, 0);
  if (pipe2(gate, O_CLOEXEC) != 0) refuse("cannot make a pipe: ", error_text(errno), NULL);
  if (trace_is_on() && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) != 0)
    refuse("cannot trace: ", error_text(errno), NULL);
  state.command = fork();
  if (state.command < 0) refuse("cannot fork: ", error_text(errno), NULL);
  if (state.command == 0) {
    close(gate[1]);
    /* By a process that gets what the terminal raises from now on. */
    if (state.terminal >= 0) put_in_front(state.terminal, getpgrp());
    if (read(gate[0], &go, 1) != 1) _exit(EXIT_OWN_FAILURE);
    become_command(channel[1], path, argv, env);
  }
  close(gate[0]);
  if (forget) forget();
  for (int fd = 0; fd <= STDERR_FILENO; fd++) close(fd);
  if (write(gate[1], "", 1) != 1) _exit(EXIT_OWN_FAILURE);
  pass_on_early(&early);
  if (channel[1] >= 0) {
    close(channel[1]);
    state.listener = trace_take(channel[0]);
  }
  if (go_on) {
    /* A command that is traced waits for us even to be executed. */
    if (channel[1] < 0) await_exec(gate[1]);
    go_on();
  }
  close(gate[1]);
}

static _Noreturn void watch_over_command(void) {
  struct pollfd sources[] = {{.fd = state.signals, .events = POLLIN}, {.fd = CONTROL_FD, .events = POLLIN}, {.fd = state.listener, .events = POLLIN}};
  for (;;) {
    if (poll(sources, 3, -1) < 0 && errno != EINTR) _exit(EXIT_OWN_FAILURE);
    if (sources[1].revents) carry_out_order();
    if (sources[2].revents & POLLIN) {
      trace_answer(state.listener);
      if (!sources[0].revents) continue;
    } else if (sources[2].revents) {
      sources[2].fd = -1;
    }
    if (sources[0].revents) note_own_signals();
    reap();
  }
}

static bool command_is_over(void) {
  siginfo_t ended = {0};
  return waitid(P_PID, (id_t)state.command, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0;
}

static void mask_names(void) { mask_names_of_later(command_is_over); }

static char **parent_env;

static void forget_all(void) {
  wipe_strings(parent_env);
  drop_allotted();
  wipe_arguments();
}

_Noreturn void inner_begin(const struct launch *launch, const struct watch *watch, bool leads_group) {
  const struct plan *plan = &launch->plan;
  prctl(PR_SET_NAME, INNER_NAME);
  setup.head = (struct setup){.caller_mask = watch->caller_mask,
                              .child_signal_ignored = watch->caller_child_action.sa_handler == SIG_IGN,
                              .landlock_scope = plan->landlock_scope,
                              .look = plan->look,
                              .leads_group = leads_group,
                              .instruction_count = (int32_t)(plan->seccomp.length / sizeof(struct bpf_instruction)),
                              .limit_count = (uint32_t)plan->limit_count};
  memcpy(setup.head.limits, plan->limits, sizeof setup.head.limits);
  setup.filter = (const struct bpf_instruction *)(const void *)plan->seccomp.text;
  parent_env = launch->parent_env;
  open_signals();
  start_command(plan->command, launch->argv, launch->env.entries, forget_all, mask_names);
  watch_over_command();
}

_Noreturn void inner_main(int argc, char **argv) {
  if (getpid() != 1 || argc < 4) refuse("this mode is for the first process of a sandbox", NULL);
  prctl(PR_SET_DUMPABLE, 0);
  prctl(PR_SET_NAME, INNER_NAME);
  read_setup();
  take_real_stdio();
  if (setup.workspace) git_note(setup.workspace, NULL, NULL);
  open_signals();
  restore_pwd();
  start_command(argv[2], argv + 3, environ, NULL, NULL);
  watch_over_command();
}
