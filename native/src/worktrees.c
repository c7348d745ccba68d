#include "git.h"
#include "mount.h"
#include "view.h"

#include "kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A git that tidies up takes a worktree whose `.git` it does not find for one that is gone, and removes what the repository
 * knows of it. So that file is there, and nothing else of the worktree. Whatever names it may be a command's: it is shown
 * only if it is a plain file, reached without links, that says itself that it belongs to this very repository.
 */

enum { MOST_WORKTREES = 64, LONGEST_POINTER = 8192 };

/* The folder of a worktree's own is named by both sides in full, or from where they are. */
static bool points_back(const char *text, const char *file, const char *own) {
  static const char key[] = "gitdir: ";
  if (strncmp(text, key, sizeof key - 1) != 0) return false;
  const char *slash = strrchr(file, '/');
  return strcmp(plain_path(allot_text(file, (size_t)(slash - file)), text + sizeof key - 1), own) == 0;
}

/* One line, and nothing else. */
static bool is_pointer_to(int file, const char *path, const char *own) {
  static char text[LONGEST_POINTER + 1];
  struct stat found;
  if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode) || found.st_size > LONGEST_POINTER) return false;
  ssize_t length = pread(file, text, LONGEST_POINTER, 0);
  if (length <= 0) return false;
  text[length] = '\0';
  size_t line = strcspn(text, "\r\n");
  if (strspn(text + line, "\r\n") != (size_t)length - line) return false;
  text[line] = '\0';
  return points_back(text, path, own);
}

static bool is_named_git(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash && slash > path && strcmp(slash, "/.git") == 0;
}

/* Where the command has the real one anyway, to write or to read, or has nothing at all, it stays as it is. */
static bool is_to_be_shown(const struct view *view, const char *path) {
  if (!is_named_git(path) || view_hides(view, path)) return false;
  const struct place *around = place_around(view, path);
  return around && around->kind != PLACE_READ && around->kind != PLACE_WRITE;
}

static void show_one(struct view *view, const char *own) {
  int folder = open_without_links(AT_FDCWD, own, O_PATH | O_DIRECTORY);
  struct slice named = folder < 0 ? (struct slice){0} : git_read(folder, "gitdir");
  if (folder >= 0) close(folder);
  if (!named.text) return;
  named.text[strcspn(named.text, "\r\n")] = '\0';
  char *path = plain_path(own, named.text);
  int file = is_to_be_shown(view, path) ? open_without_links(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY) : -1;
  if (file < 0) return;
  int tree = is_pointer_to(file, path, own) ? tree_of(file, false) : -1;
  close(file);
  if (tree < 0) return;
  tree_restrict(tree, false, MOUNT_ATTR_RDONLY_ | MOUNT_ATTR_NOSUID_);
  add_place_at(view, PLACE_READ, path, tree);
}

void show_other_worktrees(struct view *view) {
  const struct places *places = &view->plan->places;
  if (!view->workspace || places->workspace != WORKSPACE_REAL || places->workspace_target) return;
  const char *folder = joined(view->shared_git ? view->shared_git : joined(view->workspace, ".git"), "worktrees");
  int opened = open_without_links(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY);
  DIR *listing = opened < 0 ? NULL : fdopendir(opened);
  size_t looked_at = 0;
  if (!listing) return;
  for (struct dirent *entry; looked_at < MOST_WORKTREES && (entry = readdir(listing));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && ++looked_at)
      show_one(view, joined(folder, entry->d_name));
  closedir(listing);
}
