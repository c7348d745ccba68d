#ifndef CORDON_LAUNCH_H
#define CORDON_LAUNCH_H

#include "env.h"
#include "watch.h"

#include <signal.h>
#include <sys/types.h>
#include <time.h>

/* Prepared while names are still known, written when the exit is. */
struct audit {
  char *path, *warn_dir;
  struct text record;
};

/* What a launch works with, whichever way the plan came. */
struct launch {
  struct plan plan;
  /* What everything that is recorded about this launch is called by. */
  char id[LONGEST_LAUNCH + 1];
  struct sealed_env env;
  char **argv;
  /* The parent's block: read by the rules, then wiped. */
  char **parent_env;
  /* A shim reads its control variables from the environment and says things once per terminal session. */
  bool is_shim;
  /* The plan was made by an earlier run: its record says nothing yet of this start. */
  bool is_kept;
  struct timespec started;
  struct audit audit;
};

/* launch.c */
void launch_begin(struct launch *launch, char **parent_env);
_Noreturn void launch_run(struct launch *launch, char **more_args, size_t more_count);
/* The arguments and the environment, and what is recorded. */
void launch_equip(struct launch *launch, char **more_args, size_t more_count);
void launch_note(struct launch *launch);
void launch_forget(struct launch *launch);
_Noreturn void launch_end(struct launch *launch, const char *isolation, const struct watch *watch, int wait_status);

/* filter.c */
_Noreturn void run_filtered(struct launch *launch);

/* barrier.c: both return only when nothing ran because the machine lacks the means, with the reason. */
void run_behind_barrier(struct launch *launch, struct text *reason);
void run_in_bubblewrap(struct launch *launch, struct text *reason);

/* execute.c */
_Noreturn void execute(const char *path, char **argv, char **env);
void apply_limits(const struct limit *limits, size_t count);

/* stale.c: NULL, or the path that is no longer as the plan expects. */
const char *stale_path(const struct plan *plan);

/* shim.c */
void load_shim(struct launch *launch, const char *path);
void load_pipe(struct launch *launch, int fd);
void load_text(struct launch *launch, struct slice text);

/* status.c: the descriptor the plan came on, and the word on it that the command was started. */
void status_keep(int fd, bool lifeline);
/* The sandbox is there, and waits for what is to run in it. */
void status_ready(void);
int status_descriptor(void);
void status_started(const char *isolation);
void status_ended(int code);
/* -1, or a descriptor on which signals for the command come, and an end when whoever wanted it is gone. */
int status_lifeline(void);
/* 0 where there is none yet, -1 at the end. */
int status_next_signal(void);

/* ask.c: in a container, where the plan can only be made once somebody has said what is there. */
/* The word, where there is one, says that this is the launcher that was started for this plan. */
int connect_to_planner(const char *path, const char *word);
void load_asked(struct launch *launch, int fd);
/* A copy of this program that nobody can write to, as descriptor 3 of the program that takes this process over. */
_Noreturn void become_with_copy(char **argv);

/* notices.c */
bool control_is_on(char **env, const char *name);
void print_debug(const struct launch *launch);
void warn_degraded(const struct launch *launch, const char *why);
void warn_second_way(const struct launch *launch, const char *why);
bool first_in_session(const char *folder, const char *prefix);
bool is_behind_barrier(void);

/* audit.c: a negative code is unknown, since the command takes this process over. */
void audit_prepare(struct launch *launch);
void audit_write(struct launch *launch, const char *isolation, int exit_code);

#endif
