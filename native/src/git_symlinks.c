#include "git.h"

#include "view.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Git writes through a link that stands where a file of its own does, wherever it leads: a line of a reflog with a name that anybody may
 * set, a message, a list of refs. It makes none itself, but for a HEAD of old. So one that a command made goes.
 */

enum { MOST = 100000, DEEPEST = 64 };

struct way {
  void (*link)(int folder, const char *path, const char *name);
  /* More than is looked at. */
  void (*beyond)(int folder, const char *path, const char *name);
  unsigned count, depth;
};

static bool is_one_of(const char *name, const char *const *names, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return false;
}

/* These are settled by themselves, each in its own way; directories of submodules and worktrees are gone to from the walk. */
static bool is_settled_elsewhere(const char *name, unsigned char type) {
  static const char *const files[] = {"config", "config.worktree", "hooks"}, *const folders[] = {"modules", "worktrees"};
  return is_one_of(name, files, 3) || (type == DT_DIR && is_one_of(name, folders, 2));
}

/* There are many of them, and the names of what git writes there are numbers. A branch may be called so, too: its log lies deeper. */
static bool holds_objects(const struct way *way, const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  return way->depth == 1 && slash && strcmp(slash, "/objects") == 0 && isxdigit((unsigned char)name[0]) && isxdigit((unsigned char)name[1]) && !name[2];
}

static unsigned char type_of(int folder, const struct dirent *entry) {
  struct stat found;
  if (entry->d_type != DT_UNKNOWN) return entry->d_type;
  return fstatat(folder, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 ? IFTODT(found.st_mode) : DT_UNKNOWN;
}

static void go_into(struct way *way, int above, const char *path, const char *name);

/* False where it has more than is looked at. */
static bool go_through(struct way *way, DIR *listing, const char *path) {
  int folder = dirfd(listing);
  for (struct dirent *entry; (entry = readdir(listing));) {
    unsigned char type = type_of(folder, entry);
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (++way->count > MOST) return false;
    if (way->depth == 0 && is_settled_elsewhere(entry->d_name, type)) continue;
    if (type == DT_LNK) way->link(folder, path, entry->d_name);
    if (type == DT_DIR && !holds_objects(way, path, entry->d_name)) go_into(way, folder, path, entry->d_name);
  }
  return true;
}

static void go_into(struct way *way, int above, const char *path, const char *name) {
  int opened = openat(above, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return;
  git_open_up(opened);
  int readable = openat(opened, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  close(opened);
  DIR *listing = readable < 0 || way->depth == DEEPEST ? NULL : fdopendir(readable);
  way->depth++;
  bool whole = listing && go_through(way, listing, joined(path, name));
  way->depth--;
  if (listing) closedir(listing);
  else if (readable >= 0) close(readable);
  if (!whole) way->beyond(above, path, name);
}

static void go(struct way way, int folder, const char *path) {
  int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *listing = again < 0 ? NULL : fdopendir(again);
  if (!listing) return;
  go_through(&way, listing, path);
  closedir(listing);
}

/* Noted as it is, so that one that was too large before is left alone. */
void git_note_symlinks(int folder, const char *path) { go((struct way){.link = git_note_file, .beyond = git_note_file}, folder, path); }

/* Git reads the name of a branch in it, and replaces it as a whole. */
static bool is_old_head(const char *name, const char *target) {
  return strcmp(name, "HEAD") == 0 && strncmp(target, "refs/", 5) == 0 && !strstr(target, "..");
}

static void settle_link(int folder, const char *path, const char *name) {
  char target[PATH_MAX] = "";
  if (git_leads_as_it_did(folder, path, name)) return;
  if (readlinkat(folder, name, target, sizeof target - 1) > 0 && is_old_head(name, target)) return;
  git_open_up(folder);
  /* All that it holds is where it led. */
  if (unlinkat(folder, name, 0) == 0) git_tell(git_shown(joined(path, name)), " was made a link to ", target, " by the command and was removed", NULL);
  else git_put_aside(folder, path, name, "was made a link by the command");
}

static void settle_beyond(int folder, const char *path, const char *name) {
  if (git_was_there(joined(path, name))) git_tell("warning: ", git_shown(joined(path, name)), " has more files than are looked at", NULL);
  else git_put_aside(folder, path, name, "has more files than are looked at");
}

void git_settle_symlinks(int folder, const char *path) { go((struct way){.link = settle_link, .beyond = settle_beyond}, folder, path); }
