#include "incoming.h"
#include "later.h"
#include "launch.h"
#include "sha256.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGEST_SHIM = 8 << 20 };

/* Whoever can write a plan decides what runs: only its owner, who is this user or root, may have been able to. */
static void check_owner_and_mode(const char *path, const struct stat *found) {
  if (!S_ISREG(found->st_mode)) refuse(path, ": not a regular file", NULL);
  if (found->st_uid != geteuid() && found->st_uid != 0)
    refuse(path, ": belongs to user ", decimal(found->st_uid), ", not to user ", decimal(geteuid()), " or root", NULL);
  if (found->st_mode & (S_IWGRP | S_IWOTH))
    refuse(path, ": others can write to it; repair with chmod go-w", NULL);
  if (found->st_size > LARGEST_SHIM) refuse(path, ": too large for a plan", NULL);
}

static struct slice read_file(int fd, size_t size, const char *path) {
  struct slice text = {.text = allot(size + 1, 1)};
  while (text.length < size) {
    ssize_t got = read(fd, text.text + text.length, size - text.length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(path, ": ", error_text(errno), NULL);
    if (got == 0) break;
    text.length += (size_t)got;
  }
  return text;
}

static struct slice read_shim(const char *path) {
  struct stat found;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0 || fstat(fd, &found) != 0) refuse(path, ": ", error_text(errno), NULL);
  check_owner_and_mode(path, &found);
  struct slice text = read_file(fd, (size_t)found.st_size, path);
  close(fd);
  return text;
}

static void parse(struct launch *launch, struct slice text) {
  plan_parse(&launch->plan, text);
  if (launch->plan.name) set_subject(launch->plan.name);
}

static char **kept_env(const struct plan *plan, char **parent) {
  struct strings kept = {0};
  for (; *parent; parent++)
    for (size_t i = 0; i < plan->rebuild_keep.count; i++) {
      size_t length = strlen(plan->rebuild_keep.items[i]);
      if (strncmp(*parent, plan->rebuild_keep.items[i], length) == 0 && (*parent)[length] == '=')
        strings_add(&kept, *parent);
    }
  strings_add(&kept, NULL);
  return kept.items;
}

/* Where the variables that say where things are say something else now, what the shim hides and shows is not what it should. */
static bool variables_are_same(const struct plan *plan, char **parent) {
  if (!plan->variables.count) return true;
  struct sha256 hash;
  sha256_begin(&hash);
  for (size_t i = 1; i < plan->variables.count; i++) {
    size_t length = strlen(plan->variables.items[i]);
    for (char **entry = parent; *entry; entry++)
      if (strncmp(*entry, plan->variables.items[i], length) == 0 && (*entry)[length] == '=') {
        sha256_add_text(&hash, *entry);
        break;
      }
  }
  char hex[SHA256_HEX + 1];
  sha256_end(&hash, hex);
  return strcmp(hex, plan->variables.items[0]) == 0;
}

/* The tool's input is not the rebuild's to read, nor the tool's output its to write. */
static _Noreturn void become_rebuild(const struct plan *plan, char **env, int output) {
  int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0) _exit(EXIT_OWN_FAILURE);
  close_descriptors_from(STDERR_FILENO + 1);
  struct strings argv = plan->rebuild;
  if (output != STDERR_FILENO) strings_add(&argv, "-");
  strings_add(&argv, NULL);
  execute(argv.items[0], argv.items, env);
}

/* Of the command that writes a shim anew the first is Node, the second a file of the package. */
static void refuse_without_package(const struct plan *plan) {
  for (size_t i = 0; i < 2 && i < plan->rebuild.count; i++) {
    const char *path = plan->rebuild.items[i];
    if (path[0] != '/' || access(path, F_OK) == 0 || errno != ENOENT) continue;
    refuse(path, " is gone: install Cordon again and run `cordon tool apply`, or take the folder of this shim out of PATH", NULL);
  }
}

/* With `incoming` the plan is only for this start, and comes through a pipe. */
static void rebuild(const struct plan *plan, char **parent, const char *changed, struct incoming *incoming) {
  if (!plan->rebuild.count) refuse(changed, ": changed since this was prepared; start it again", NULL);
  refuse_without_package(plan);
  char **env = kept_env(plan, parent);
  struct sigaction before;
  take_child_signal(&before);
  int ends[2] = {-1, STDERR_FILENO};
  if (incoming && pipe2(ends, O_CLOEXEC) != 0) refuse("cannot make a pipe: ", error_text(errno), NULL);
  pid_t pid = fork();
  if (pid < 0) refuse("cannot fork: ", error_text(errno), NULL);
  if (pid == 0) become_rebuild(plan, env, ends[1]);
  if (incoming) {
    close(ends[1]);
    while (incoming_take(incoming, ends[0]) != INCOMING_END) continue;
    close(ends[0]);
  }
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) refuse("the rebuild could not be waited for: ", error_text(errno), NULL);
  sigaction(SIGCHLD, &before, NULL);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    refuse(changed, ": changed, and the policy could not be applied anew (", plan->rebuild.items[0], " failed)", NULL);
}

/* NULL when the shim is as it should be, else what made it old. */
static const char *load_if_fresh(struct launch *launch, const char *path) {
  struct slice text = read_shim(path);
  if (plan_of_other_version(&launch->plan, text)) {
    if (!launch->plan.rebuild.count) refuse(path, ": was written by another version of Cordon, and does not say how to write it anew", NULL);
    return path;
  }
  parse(launch, text);
  return stale_path(&launch->plan);
}

/* Written anew it would be wrong for whoever has the other variables, so it stays as it is. */
static void load_for_these_variables(struct launch *launch) {
  struct incoming plan = {0};
  rebuild(&launch->plan, launch->parent_env, "variables that say where files lie", &plan);
  launch->plan = (struct plan){0};
  load_text(launch, plan.text);
}

/* Rebuilt at most once: a plan that is stale again at once would go round for ever. */
void load_shim(struct launch *launch, const char *path) {
  const char *name = strrchr(path, '/');
  set_subject(name ? name + 1 : path);
  const char *changed = load_if_fresh(launch, path);
  if (changed) {
    rebuild(&launch->plan, launch->parent_env, changed, NULL);
    changed = load_if_fresh(launch, path);
  }
  if (!changed && !variables_are_same(&launch->plan, launch->parent_env)) load_for_these_variables(launch);
  if (changed) refuse(changed, ": changed, and ", path, " still does not fit it after a rebuild", NULL);
}

void load_pipe(struct launch *launch, int fd) {
  struct stat found;
  if (fd <= STDERR_FILENO || fstat(fd, &found) != 0) refuse("the plan's descriptor is not open", NULL);
  if (!S_ISFIFO(found.st_mode) && !S_ISSOCK(found.st_mode)) refuse("the plan's descriptor is not a pipe", NULL);
  struct incoming plan = {0};
  while (!later_has_first(&plan) && incoming_take(&plan, fd) != INCOMING_END) continue;
  later_split(&plan);
  status_keep(fd, false);
  load_text(launch, plan.text);
}

void load_text(struct launch *launch, struct slice text) {
  parse(launch, text);
  const char *changed = stale_path(&launch->plan);
  if (changed) refuse(changed, ": changed since this was prepared; start it again", NULL);
}
