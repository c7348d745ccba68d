#include "launch.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Processor time has its own signal only while the hard limit is not reached yet. */
static rlim_t hard_limit(const struct limit *limit) {
  return limit->resource == RLIMIT_CPU && limit->value < RLIM_INFINITY - 1 ? limit->value + 1 : limit->value;
}

static rlim_t lesser(rlim_t one, rlim_t other) { return one < other ? one : other; }

/* What is held tighter already stays so: a container's limits are often below ours, and only root could widen them. */
void apply_limits(const struct limit *limits, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct rlimit here = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    if (getrlimit(limits[i].resource, &here) != 0) refuse("cannot read a resource limit: ", error_text(errno), NULL);
    rlim_t hard = lesser(hard_limit(&limits[i]), here.rlim_max);
    struct rlimit both = {.rlim_cur = lesser(limits[i].value, hard), .rlim_max = hard};
    if (setrlimit(limits[i].resource, &both) != 0) refuse("cannot set a resource limit: ", error_text(errno), NULL);
  }
}

/* A script without `#!` is the shell's, as execvp has it. */
static void execute_as_script(const char *path, char **argv, char **env) {
  size_t count = 0;
  while (argv[count]) count++;
  char **shell = allot(count + 2, sizeof *shell);
  shell[0] = (char *)"/bin/sh";
  shell[1] = (char *)path;
  size_t tail = count ? count - 1 : 0;
  memcpy(shell + 2, argv + 1, tail * sizeof *shell);
  shell[2 + tail] = NULL;
  execve(shell[0], shell, env);
}

_Noreturn void execute(const char *path, char **argv, char **env) {
  execve(path, argv, env);
  if (errno == ENOEXEC) execute_as_script(path, argv, env);
  int error = errno;
  if (error != ENOENT && error != ENOTDIR) leave(EXIT_NOT_RUNNABLE, path, ": cannot be run: ", error_text(error), NULL);
  if (access(path, F_OK) == 0) leave(EXIT_NOT_RUNNABLE, path, ": the interpreter it asks for was not found", NULL);
  leave(EXIT_NOT_FOUND, path, ": not found", NULL);
}
