#include "launch.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool is_within(const char *path, const char *folder) {
  size_t length = strlen(folder);
  if (strcmp(folder, "/") == 0) return true;
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static _Noreturn void refuse_folder(const char *folder, const char *how, const char *path) {
  refuse("it cannot be started in ", folder, ", ", how, " ", path, "; go to another folder", NULL);
}

/* The working folder is shown inside, so it must not bring in what the plan keeps out. */
static void check_folder(const struct plan *plan) {
  if (!plan->not_above.count && !plan->not_within.count) return;
  char *folder = getcwd(NULL, 0);
  if (!folder) refuse("the working folder is gone or unreachable", NULL);
  for (size_t i = 0; i < plan->not_above.count; i++)
    if (is_within(plan->not_above.items[i], folder)) refuse_folder(folder, "which holds", plan->not_above.items[i]);
  for (size_t i = 0; i < plan->not_within.count; i++)
    if (is_within(folder, plan->not_within.items[i])) refuse_folder(folder, "which lies in", plan->not_within.items[i]);
}

/* Said here, where the tool's name is known: whoever typed it wants to know how to get it back. */
static void check_tool(const struct plan *plan) {
  if (access(plan->command, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)) return;
  leave(EXIT_NOT_FOUND, plan->command, ": not found; `cordon tool add ", subject(), "` looks for it again", NULL);
}

void check_place(const struct launch *launch) {
  if (launch->is_shim) check_tool(&launch->plan);
  check_folder(&launch->plan);
}
