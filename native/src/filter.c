#include "launch.h"
#include "look.h"
#include "watch.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

static _Noreturn void become_command(const struct launch *launch) {
  apply_limits(launch->plan.limits, launch->plan.limit_count);
  close_descriptors_from(STDERR_FILENO + 1);
  if (launch->plan.look) look("filter", launch->argv + 1);
  execute(launch->plan.command, launch->argv, launch->env.entries);
}

static _Noreturn void supervise(struct launch *launch) {
  struct watch watch;
  watch_begin(&watch);
  /* What the command leaves behind has to be found when it is to end. */
  if (status_lifeline() >= 0) prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t self = getpid(), pid = fork();
  if (pid < 0) refuse("cannot fork: ", error_text(errno), NULL);
  if (pid == 0) {
    die_with_parent(self);
    watch_undo(&watch);
    become_command(launch);
  }
  status_started("filter");
  launch_forget(launch);
  let_go_of_input_and_output();
  int status = watch_child(&watch, pid, -1, NULL);
  if (status_lifeline() >= 0) end_descendants();
  launch_end(launch, "filter", &watch, status);
}

_Noreturn void run_filtered(struct launch *launch) {
  await_planner();
  if (launch->plan.supervise) supervise(launch);
  audit_write(launch, "filter", -1);
  status_started("filter");
  become_command(launch);
}
