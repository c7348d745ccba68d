#include "launch.h"

#include "node.h"
#include "probe.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void launch_begin(struct launch *launch, char **parent_env) {
  *launch = (struct launch){.parent_env = parent_env};
  clock_gettime(CLOCK_MONOTONIC, &launch->started);
}

static void follow_parent(const struct plan *plan) {
  if (!plan->parent) return;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != plan->parent)
    refuse("process ", decimal((uint64_t)plan->parent), " started this and is gone", NULL);
}

static char **whole_argv(const struct plan *plan, char **more, size_t more_count) {
  struct strings argv = plan->args;
  for (size_t i = 0; plan->append_args && i < more_count; i++) strings_add(&argv, more[i]);
  strings_add(&argv, NULL);
  return argv.items;
}

/* A shim is written once and started often: then it is made here. */
static void name_launch(struct launch *launch) {
  struct timespec now;
  if (launch->plan.launch) {
    memcpy(launch->id, launch->plan.launch, strlen(launch->plan.launch) + 1);
    return;
  }
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(launch->id, sizeof launch->id, "%llu-%d",
           (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec, (int)getpid());
}

/* From here on this process knows no value any more, and nobody of the same user can look into it. */
void launch_forget(struct launch *launch) {
  prctl(PR_SET_DUMPABLE, 0);
  wipe_strings(launch->parent_env);
  wipe_allotted();
}

_Noreturn void launch_end(struct launch *launch, const char *isolation, const struct watch *watch, int wait_status) {
  int code = exit_code_of(wait_status);
  audit_write(launch, isolation, code);
  status_ended(code);
  die_alike(watch, wait_status);
  _exit(code);
}

static const char *what_was_asked(const struct plan *plan) {
  return plan->explicit_reason ? plan->explicit_reason : "isolation `barrier` was asked for";
}

static _Noreturn void go_without_barrier(struct launch *launch, const char *why) {
  const struct plan *plan = &launch->plan;
  if (plan->explicit_reason || plan->isolation == ISOLATION_BARRIER)
    refuse(what_was_asked(plan), ", which needs the barrier: ", why, "; `cordon doctor` tells how to get it", NULL);
  warn_degraded(launch, why);
  run_filtered(launch);
}

/* Returns only when nothing ran, with why. Tried bare first: what is said of this barrier must not be said of none. */
static void try_second_way(struct launch *launch, struct text *reason) {
  struct text other = {0};
  if (launch->plan.trace) refuse("tracing needs the launcher's own barrier: ", reason->data, NULL);
  if (bubblewrap_works(launch->plan.bwrap, &other)) {
    warn_second_way(launch, reason->data);
    text_free(&other);
    run_in_bubblewrap(launch, &other);
  }
  reason->length--;
  text_add(reason, "; bubblewrap: ");
  text_add_bytes(reason, other.data, other.length);
  text_add_bytes(reason, "", 1);
}

static _Noreturn void run_isolated(struct launch *launch) {
  const struct plan *plan = &launch->plan;
  if (plan->isolation == ISOLATION_FILTER && plan->explicit_reason)
    refuse(plan->explicit_reason, ", which isolation `filter` cannot hold", NULL);
  if (plan->isolation == ISOLATION_FILTER && plan->trace) refuse("isolation `filter` keeps nothing away that could be traced", NULL);
  if (plan->isolation == ISOLATION_FILTER) run_filtered(launch);
  if (launch->is_shim && control_is_on(launch->parent_env, "CORDON_DISABLE_BWRAP"))
    go_without_barrier(launch, "CORDON_DISABLE_BWRAP is set");
  struct text reason = {0};
  run_behind_barrier(launch, &reason);
  text_add_bytes(&reason, "", 1);
  /* Whoever wants something to run says so to another then, which knows what. */
  if (plan->later) refuse("the barrier could not be set up ahead: ", reason.data, NULL);
  /* If a barrier can be made here, what failed is this very one, perhaps by the hand of a command in another: never a reason to do without. */
  if (barrier_works(NULL)) refuse("the barrier could not be set up this time: ", reason.data, "; if it stays so, `cordon doctor` says more", NULL);
  if (plan->bwrap) try_second_way(launch, &reason);
  go_without_barrier(launch, reason.data);
}

/* Said here, where the tool's name is known: whoever typed it wants to know how to get it back. */
static void check_tool(const struct plan *plan) {
  if (access(plan->command, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)) return;
  leave(EXIT_NOT_FOUND, plan->command, ": not found; `cordon tool add ", subject(), "` looks for it again", NULL);
}

/* A folder that holds the name as something that cannot be run is remembered, as a shell does. */
static void find_command(struct plan *plan) {
  char *unusable = NULL;
  if (strchr(plan->command, '/')) return;
  for (size_t i = 0; i < plan->search.count; i++) {
    char *path = join_path(plan->search.items[i], plan->command);
    struct stat found;
    if (stat(path, &found) != 0 || !S_ISREG(found.st_mode)) continue;
    if (access(path, X_OK) == 0) {
      plan->command = path;
      return;
    }
    if (!unusable) unusable = path;
  }
  if (unusable) leave(EXIT_NOT_RUNNABLE, unusable, ": cannot be run: ", error_text(EACCES), NULL);
  leave(EXIT_NOT_FOUND, plan->command, ": not found in the folders of PATH", NULL);
}

void launch_equip(struct launch *launch, char **more_args, size_t more_count) {
  launch->argv = whole_argv(&launch->plan, more_args, more_count);
  seal_env(&launch->env, &launch->plan, launch->parent_env);
}

void launch_note(struct launch *launch) {
  name_launch(launch);
  audit_prepare(launch);
}

_Noreturn void launch_run(struct launch *launch, char **more_args, size_t more_count) {
  if (launch->plan.append_args && !launch->is_shim) refuse("`append-args` belongs to shims only", NULL);
  follow_parent(&launch->plan);
  if (launch->plan.later && status_descriptor() < 0) refuse("`later` belongs to plans that come through a socket", NULL);
  if (launch->plan.later) run_isolated(launch);
  find_command(&launch->plan);
  if (launch->is_shim) check_tool(&launch->plan);
  if (launch->is_shim && control_is_on(launch->parent_env, "CORDON_QUIET")) launch->plan.quiet = true;
  launch_equip(launch, more_args, more_count);
  if (launch->is_shim) print_debug(launch);
  launch_note(launch);
  run_isolated(launch);
}
