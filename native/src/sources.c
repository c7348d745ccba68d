#include "mount.h"
#include "view.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folders in which commands of this user write, so that every link in them may be one of theirs. */
static const char *const shared_folders[] = {"/tmp", "/var/tmp", "/dev/shm", "/run/user"};

/* Elsewhere too: the first folder on the way that this user can write. To root that says nothing, since it is every folder. */
static const char *first_own_folder(const char *path) {
  for (const char *at = strchr(path + 1, '/'); at && geteuid() != 0; at = strchr(at + 1, '/')) {
    char *folder = allot_text(path, (size_t)(at - path));
    if (faccessat(AT_FDCWD, folder, W_OK, 0) == 0) return folder;
  }
  return path;
}

/* How far links may be followed: a home's own name is the user's, what lies in it is not. A folder that commands write to is looked at
   itself when it is opened. */
static const char *trusted_part(const struct view *view, const char *path) {
  for (size_t i = 0; i < view->home_count; i++) {
    if (below(view->home_names[i], path)) return view->home_names[i];
    if (below(view->homes[i], path)) return view->homes[i];
  }
  for (size_t i = 0; i < sizeof shared_folders / sizeof *shared_folders; i++)
    if (below(shared_folders[i], path)) return shared_folders[i];
  if (view->workspace && below(view->workspace, path)) return view->workspace;
  const struct places *places = &view->plan->places;
  for (size_t i = 0; i < places->count; i++) {
    const struct operation *operation = &places->operations[i];
    bool writes = operation->kind == OP_WRITE || operation->kind == OP_TRY_WRITE || operation->kind == OP_EXPOSE_WRITE ||
                  operation->kind == OP_WRITE_PLAIN || operation->kind == OP_WRITE_PROJECT;
    const char *rest = writes && strcmp(operation->path, "/") != 0 ? below(operation->path, path) : NULL;
    if (rest && *rest) return operation->path;
  }
  return first_own_folder(path);
}

static _Noreturn void refuse_link(int folder, const char *trusted, const char *rest, const char *path) {
  char target[PATH_MAX];
  for (const char *at = rest; *at;) {
    at += strcspn(at, "/");
    char *part = allot_text(rest, (size_t)(at - rest));
    ssize_t length = readlinkat(folder, part, target, sizeof target - 1);
    if (length >= 0) {
      target[length] = '\0';
      refuse(joined(trusted, part), " is a link to ", target, ": it is not followed, since a command could have made it; ",
             "remove it, or name what it leads to instead of ", path, NULL);
    }
    at += *at == '/';
  }
  refuse(path, ": a link stands in this path, and is not followed", NULL);
}

int open_named(const struct view *view, const char *path) {
  const char *trusted = trusted_part(view, path), *rest = below(trusted, path);
  int folder = openat(AT_FDCWD, trusted, O_PATH | O_CLOEXEC);
  if (folder < 0 || !*rest) return folder;
  int found = open_without_links(folder, rest, O_PATH | O_NOFOLLOW);
  if (found < 0 && errno == ELOOP) refuse_link(folder, trusted, rest, path);
  struct stat kind;
  if (found >= 0 && fstat(found, &kind) == 0 && S_ISLNK(kind.st_mode)) refuse_link(folder, trusted, rest, path);
  close(folder);
  return found;
}

char *without_links(const struct view *view, const char *path) {
  for (size_t i = 0; i < view->home_count; i++) {
    const char *rest = below(view->home_names[i], path);
    if (rest && strcmp(view->home_names[i], view->homes[i]) != 0) return joined(view->homes[i], rest);
    if (rest) break;
  }
  return (char *)path;
}
