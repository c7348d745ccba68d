#ifndef CORDON_WATCH_H
#define CORDON_WATCH_H

/* Sent to a launcher: its command is to be killed, and the rest to go as at any end, git's files put back. The last of all signals. */
enum { END_SIGNAL = 64 };

#include "incoming.h"

#include <signal.h>
#include <sys/types.h>

/* Signals as a supervisor sees them: they wait in a descriptor, and the command gets back what the caller had. */
struct watch {
  int fd;
  sigset_t caller_mask;
  /* Pending before there was a child that could have got them too. */
  sigset_t early;
  sigset_t from_terminal;
  struct sigaction caller_child_action;
};

struct caught {
  int signal;
  bool by_process;
};

void watch_begin(struct watch *watch);
/* In the child, before it becomes the command, and in the parent that will supervise no longer. */
void watch_undo(const struct watch *watch);
bool watch_next(struct watch *watch, struct caught *caught);

/* With SIGCHLD ignored, as some callers leave it, nothing could be waited for. */
void take_child_signal(struct sigaction *before);

/* Ends with the parent; `parent` is who it must be. */
void die_with_parent(pid_t parent);

/* Stops as the child did, so that the shell sees a stopped job. */
bool is_terminal_stop(int signal);
void stop_alike(int signal);

/* Where the command has the terminal, its signals do not come here: one that ended the command is taken for one of them. */
void watch_take_for_terminals(struct watch *watch);

/* Ends by the same signal when a terminal sent it to both: only so does a shell give up its loop at Ctrl-C. */
void die_alike(const struct watch *watch, int wait_status);

/*
 * child.c: waits for a direct child, passing signals on. Through `pipe` (or -1) a plan may come; a child that has written a
 * whole one is the planner, which nobody waits for here.
 */
int watch_child(struct watch *watch, pid_t pid, int pipe, struct incoming *incoming);

/* Ends all that a child left to this process, which is their reaper. */
void end_descendants(void);

/* What comes behind its plan, once all of it has come; `rest` is what came along with the plan. */
void planner_hear(struct incoming *rest, void (*heard)(struct slice rest));

/* The planner holds the caller's environment, so it is gone before a command runs. */
void await_planner(void);

int exit_code_of(int wait_status);

#endif
