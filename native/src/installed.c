#include "installed.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Where programs are installed: places that no command writes, in whatever project it runs. The same rule, with the same
 * three lists, is in src/host/own-program.ts.
 */
static const char *const on_the_machine[] = {"/usr", "/bin", "/sbin", "/opt", "/nix", "/gnu", "/snap", "/var/lib", "/home/linuxbrew", NULL};
/* Visible folders of a home; of the others each may have been a workspace once. */
static const char *const in_a_home[] = {"bin", "go", "miniconda3", "anaconda3", "miniforge3", "mambaforge", NULL};
/* Hidden folders of a home that are repositories because their installer clones itself; any other repository may be somebody's work. */
static const char *const cloned_in_a_home[] = {".nvm",    ".pyenv",    ".rbenv", ".nodenv", ".goenv", ".jenv",      ".phpenv",
                                               ".plenv",  ".swiftenv", ".tfenv", ".asdf",   ".fzf",   ".linuxbrew", NULL};

bool is_within(const char *path, const char *folder) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool is_within_any(const char *path, const char *const *folders) {
  for (; *folders; folders++)
    if (is_within(path, *folders)) return true;
  return false;
}

static bool is_repository(const char *folder, size_t length) {
  char git[PATH_MAX + sizeof "/.git"];
  struct stat found;
  snprintf(git, sizeof git, "%.*s/.git", (int)length, folder);
  return lstat(git, &found) == 0;
}

static const char *home_around(const char *path, char *const *homes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (homes[i][0] == '/' && homes[i][1] && is_within(path, homes[i])) return homes[i];
  return NULL;
}

const char *why_not_installed(const char *path, char *const *homes, size_t count) {
  const char *home = home_around(path, homes, count);
  size_t length = strlen(path), end = home ? strlen(home) : 0, clone = 0;
  if (length >= PATH_MAX) return "too long a path";
  const char *first = path + end + (path[end] == '/');
  if (home ? *first != '.' && !is_within_any(first, in_a_home) : !is_within_any(path, on_the_machine))
    return "in no place where programs are installed";
  if (home && is_within_any(first, cloned_in_a_home)) clone = (size_t)(first - path) + strcspn(first, "/");
  for (; length > end; length--)
    if ((path[length] == '/' || path[length] == '\0') && length != clone && is_repository(path, length)) return "in a repository";
  return NULL;
}
