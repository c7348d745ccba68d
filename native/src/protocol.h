#ifndef CORDON_PROTOCOL_H
#define CORDON_PROTOCOL_H

#include "kernel.h"
#include "launch.h"

#include <signal.h>

/*
 * The supervisor outside and the inner process (PID 1 of the sandbox) are the same program and talk over a
 * SOCK_SEQPACKET pair: first one setup, then orders inwards and reports outwards. The command never holds either end.
 */

/* Where the inner process finds what it was handed; bubblewrap itself has only 0–2. */
enum { CONTROL_FD = 3, PROGRAM_FD = 4, REAL_STDIN_FD = 5, REAL_STDOUT_FD = 6, REAL_STDERR_FD = 7, FIRST_FREE_FD = 8 };
#define PROGRAM_PATH "/proc/self/fd/4"
#define INNER_FLAG "--inner"
#define INNER_NAME "cordon-inner"

enum { MAX_LINE = 512, MAX_NAME = 256, MAX_WORKSPACE = 4096, MAX_PWD = 64 << 10, NO_PWD = -1 };

/* Followed by the filter program, the PWD entry, the workspace and the name, as long as said here. */
struct setup {
  sigset_t caller_mask;
  int32_t child_signal_ignored, landlock_scope, look, leads_group;
  int32_t name_length, pwd_length, workspace_length, instruction_count;
  uint32_t limit_count;
  struct limit limits[MAX_LIMITS];
};

struct order {
  int32_t signal;
  /* Raised by a terminal rather than sent by a process. */
  int32_t by_terminal;
  /* SIGCONT: the terminal is the command's from now on. */
  int32_t with_terminal;
};

/* What the supervisor says before there are orders: how ids are mapped, and that the command may start. */
enum { MAPPED_OUTSIDE = 'm', MAP_YOURSELF = 's', GO_ON = 'g' };

/* Before the first of these come the messages of changes.c, which begin with smaller numbers and bring descriptors along. */
enum report_kind { REPORT_HELLO = 101, REPORT_STOPPED, REPORT_SAY, REPORT_ENDED, REPORT_LISTENERS, REPORT_COVERS, REPORT_READY };

struct report {
  int32_t kind;
  /* The stop signal, or the wait status. */
  int32_t status;
  /* How many SIGCONT orders had been carried out: tells an old stop from a new one. */
  uint32_t continued;
  /* REPORT_STOPPED: a group inside has the terminal. */
  int32_t has_terminal;
  /* REPORT_SAY: a line for the person, which the supervisor prints, since the command's own output must end with the command.
   * REPORT_ENDED: what it met, for the line in the end. */
  char line[MAX_LINE];
};

/* inner.c: as bubblewrap's first process, and as ours. */
_Noreturn void inner_main(int argc, char **argv);
_Noreturn void inner_begin(const struct launch *launch, const struct watch *watch, bool leads_group);

/* lockdown.c */
void cut_off_abstract_sockets(void);
void load_filter(const struct bpf_instruction *instructions, size_t count);

#endif
