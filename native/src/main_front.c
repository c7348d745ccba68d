#include "begun.h"
#include "kept.h"
#include "launch.h"
#include "front.h"
#include "node.h"
#include "protocol.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PLAN_FD = 3, LOOKED_FD = 4, BEGUN_FD = 4 };
#define FRONT_MARK "CORDON_FRONT=3"
/* The planner is to say what the plan came from, so that it can be kept; and may take what came of looking through files. */
#define KEEP_MARK "CORDON_KEEP=4"
/* In a container: under which name to keep how its client is begun, and that one was. */
#define BEGIN_MARK "CORDON_BEGIN="
#define BEGUN_MARK "CORDON_BEGUN=4"

static struct kept kept;
static struct begun begun = {.listener = -1, .line = -1, .input = -1};

static const char *value_of(const char *name) {
  size_t length = strlen(name);
  for (char **entry = environ; *entry; entry++)
    if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
  return NULL;
}

static char *begin_mark(void) {
  struct text mark = {0};
  text_add(&mark, BEGIN_MARK);
  text_add(&mark, kept.name);
  return allot_text(mark.data, mark.length);
}

/*
 * The planner reads the real environment as data, from /proc; in its own it gets only how to talk to a person, so that
 * NODE_OPTIONS and its like cannot run code in it. No locale: Node crashes on some values of LC_ALL.
 */
static char **planner_env(void) {
  static const char *const shown[] = {"TERM=", "COLORTERM=", "NO_COLOR=", "FORCE_COLOR=", "COLUMNS=", "LINES="};
  struct strings env = {0};
  strings_add(&env, (char *)FRONT_MARK);
  if (kept.state) strings_add(&env, kept.is_in ? begin_mark() : (char *)KEEP_MARK);
  if (begun.starter) strings_add(&env, (char *)BEGUN_MARK);
  for (char **entry = environ; *entry; entry++)
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
      if (strncmp(*entry, shown[i], strlen(shown[i])) == 0) strings_add(&env, *entry);
  strings_add(&env, NULL);
  return env.items;
}

/* Node takes `--env-file` and its like for its own wherever they stand, unless `--` comes before: a file would steer the planner. */
static char **planner_argv(const char *node, const char *package, char **args) {
  struct strings argv = {0};
  strings_add(&argv, (char *)node);
  strings_add(&argv, (char *)"--");
  strings_add(&argv, join_path(package, "dist/start.cjs"));
  for (; *args; args++) strings_add(&argv, *args);
  strings_add(&argv, NULL);
  return argv.items;
}

/* It handles secrets, for many users where it serves sessions: a crash must not write them to a file. */
static void leave_no_core(void) {
  struct rlimit none = {0};
  setrlimit(RLIMIT_CORE, &none);
}

static _Noreturn void become_planner(const struct watch *watch, int plan_pipe, int looked_pipe, char **argv, char **env, pid_t parent) {
  die_with_parent(parent);
  leave_no_core();
  watch_undo(watch);
  /* Out of the way of each other first. */
  int plan = fcntl(plan_pipe, F_DUPFD, LOOKED_FD + 1), looked = fcntl(looked_pipe, F_DUPFD, LOOKED_FD + 1);
  if (dup2(plan, PLAN_FD) != PLAN_FD || (!kept.is_in && dup2(looked, LOOKED_FD) != LOOKED_FD))
    refuse("cannot hand over the plan's pipe: ", error_text(errno), NULL);
  int next = kept.state && !kept.is_in ? LOOKED_FD + 1 : LOOKED_FD;
  close_descriptors_from((unsigned)(begun.starter ? begun_hand_over(&begun, BEGUN_FD) : next));
  execute(argv[0], argv, env);
}

/* Returns the planner's wait status; what it wrote is in `plan`. */
static int run_planner(char **args, struct incoming *plan) {
  const char *package = package_folder();
  char **argv = planner_argv(find_node(package, value_of("PATH")), package, args), **env = planner_env();
  struct watch watch;
  int pipe_ends[2], looked[2];
  require_room_for_descriptors(); /* Node crashes without. */
  if (pipe2(pipe_ends, O_CLOEXEC) != 0 || pipe2(looked, O_CLOEXEC) != 0 || fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK) != 0)
    refuse("cannot make a pipe: ", error_text(errno), NULL);
  watch_begin(&watch);
  pid_t self = getpid(), pid = fork();
  if (pid < 0) refuse("cannot fork: ", error_text(errno), NULL);
  if (pid == 0) become_planner(&watch, pipe_ends[1], looked[0], argv, env, self);
  close(pipe_ends[1]);
  /* While Node makes itself ready. */
  if (!kept.is_in) kept_hand_looked(&kept, looked[1]);
  begun_let_go(&begun);
  close(looked[0]);
  close(looked[1]);
  int status = watch_child(&watch, pid, pipe_ends[0], plan);
  watch_undo(&watch);
  begun_await(&begun);
  return status;
}

/* Behind the plan's `end` comes what is to be kept, if anything is: made while the sandbox is being set up. */
static struct incoming cut_off_rest(struct slice *plan) {
  static const char last[] = "\nend\n";
  char *end = memmem(plan->text, plan->length, last, sizeof last - 1);
  size_t length = end ? (size_t)(end - plan->text) + sizeof last - 1 : plan->length;
  struct incoming rest = {0};
  incoming_add(&rest, (struct slice){plan->text + length, plan->length - length});
  plan->length = length;
  plan->text[length] = '\0';
  return rest;
}

static void keep(struct slice text) { kept_store(&kept, text, environ); }

/* Named `cordon`, what people start: it is the launcher that asks the planner first. */
bool is_front(void) {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  const char *name = strrchr(path, '/');
  return name && strcmp(name, "/cordon") == 0;
}

int front_main(int argc, char **argv) {
  struct launch launch;
  struct incoming plan = {0};
  static struct incoming rest;
  set_subject("");
  require_standard_descriptors();
  keep_arguments(argv);
  launch_begin(&launch, environ);
  kept_find(&kept, argv + (argc > 0), environ);
  if (!kept_load(&kept, &launch)) {
    if (kept.is_in) begun_start(&begun, &kept, environ);
    int status = run_planner(argv + (argc > 0), &plan);
    if (status != 0 || !plan.text.length) return exit_code_of(status);
    prctl(PR_SET_DUMPABLE, 0);
    rest = cut_off_rest(&plan.text);
    if (kept.state && !kept.is_in) planner_hear(&rest, keep);
    load_text(&launch, plan.text);
  }
  prctl(PR_SET_DUMPABLE, 0);
  launch_run(&launch, NULL, 0);
}
