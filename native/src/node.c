#include "node.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *join_path(const char *folder, const char *name) {
  size_t folder_length = strlen(folder), name_length = strlen(name);
  char *path = allot(folder_length + name_length + 2, 1);
  memcpy(path, folder, folder_length);
  path[folder_length] = '/';
  memcpy(path + folder_length + 1, name, name_length + 1);
  return path;
}

static void go_up(char *path) {
  char *slash = strrchr(path, '/');
  if (!slash) refuse("cannot tell where Cordon is installed", NULL);
  *slash = '\0';
}

/* The program lies in `bin` of the package, in a checkout in `dist/bin`. */
const char *package_folder(void) {
  static char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) refuse("cannot tell where Cordon is installed: ", error_text(errno), NULL);
  path[length] = '\0';
  go_up(path);
  go_up(path);
  if (access(join_path(path, "dist/start.cjs"), F_OK) != 0) go_up(path);
  return path;
}

/* Through its own shim Node would run sandboxed, and the shim would ask us again. */
static bool is_own_shim(int fd) {
  char start[256];
  ssize_t got = read(fd, start, sizeof start - 1);
  if (got < 2 || start[0] != '#' || start[1] != '!') return false;
  start[got] = '\0';
  start[strcspn(start, "\n")] = '\0';
  return strstr(start, "cordon-launch") != NULL;
}

static bool is_runnable(const char *path) {
  struct stat found;
  if (stat(path, &found) != 0 || !S_ISREG(found.st_mode) || access(path, X_OK) != 0) return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  bool own = fd >= 0 && is_own_shim(fd);
  if (fd >= 0) close(fd);
  return !own;
}

static void note_refused(struct text *refused, const char *candidate, const char *why) {
  text_add(refused, refused->length ? ", " : "; not taken: ");
  text_add(refused, candidate);
  text_add(refused, ", ");
  text_add(refused, why);
}

/* Relative entries would let the working folder decide what the planner is, and so would any other place of a command. */
static const char *find_on_path(const char *path, struct text *refused) {
  while (path && *path) {
    size_t length = strcspn(path, ":");
    if (*path == '/') {
      const char *folder = allot_text(path, length), *candidate = join_path(folder, "node");
      const char *why = is_runnable(candidate) ? why_untrusted(folder, candidate) : "";
      if (!why) return candidate;
      if (*why) note_refused(refused, candidate, why);
    }
    path += length + (path[length] == ':');
  }
  return NULL;
}

static const char *noted_node(const char *package) {
  static char path[PATH_MAX];
  int fd = open(join_path(package, "dist/node-path"), O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? -1 : read(fd, path, sizeof path - 1);
  if (fd >= 0) close(fd);
  if (got <= 0) return NULL;
  path[got] = '\0';
  path[strcspn(path, "\n")] = '\0';
  return path[0] == '/' && is_runnable(path) ? path : NULL;
}

const char *find_node(const char *package, const char *path) {
  struct text refused = {0};
  const char *found = noted_node(package);
  if (!found) found = find_on_path(path, &refused);
  text_add_bytes(&refused, "", 1);
  if (!found) refuse("node was not found on PATH; install Node.js 20 or later", refused.data, NULL);
  text_free(&refused);
  return found;
}
