#include "git.h"

#include "frozen.h"
#include "mount.h"
#include "view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FOLDERS = 512, DEEPEST = 10, MOST_NOTED = 4 * MOST_FOLDERS, MOST_ASIDE = 1000, MOST_LINES = 20 };

/* What stood at a path before the command began; a path that is not here had nothing. */
struct noted {
  char *path, *text;
  size_t length;
  mode_t mode;
  struct timespec changed;
  unsigned long mount;
};

static struct {
  struct noted files[MOST_NOTED];
  size_t count;
  char *workspace, *shared;
  int workspace_fd, shared_fd;
  struct strings awaited;
  /* There were more git directories than are looked at already. */
  bool is_partial;
  /* The index was one that is not understood already. */
  bool is_index_odd;
  unsigned links;
  void (*tell)(const char *line);
  unsigned told;
} state = {.workspace_fd = -1, .shared_fd = -1};

/* ── reading ── */

struct slice git_read(int folder, const char *name) {
  struct slice text = {0};
  struct stat found;
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return text;
  if (fstat(fd, &found) == 0 && S_ISREG(found.st_mode) && found.st_size <= LARGEST_GIT_FILE) {
    text.text = allot((size_t)found.st_size + 1, 1);
    ssize_t got = read(fd, text.text, (size_t)found.st_size);
    text.length = got > 0 ? (size_t)got : 0;
    text.text[text.length] = '\0';
  }
  close(fd);
  return text;
}

static bool is_there(int folder, const char *name) {
  struct stat found;
  return fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A command must not be able to keep its settings by closing the folder that they lie in. */
void git_open_up(int folder) {
  char path[32];
  struct stat found;
  snprintf(path, sizeof path, "/proc/self/fd/%d", folder);
  if (state.tell && fstat(folder, &found) == 0 && (found.st_mode & 0700) != 0700) chmod(path, (found.st_mode & 07777) | 0700);
}

static int reopened(int found) {
  if (found < 0) return -1;
  git_open_up(found);
  int opened = openat(found, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  close(found);
  return opened;
}

static int open_folder(int folder, const char *name) {
  return reopened(openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/* ── git directories below another one ── */

struct walk {
  git_visit *visit;
  void *context;
  void (*link)(int folder, const char *path, const char *name);
  unsigned folders;
};

static bool walk_folder(struct walk *walk, int folder, const char *path, unsigned depth);

/* No link is followed, but git would. */
static int enter(const struct walk *walk, int parent, const char *path, const char *name) {
  struct stat found;
  int folder = open_folder(parent, name);
  if (folder < 0 && walk->link && fstatat(parent, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(found.st_mode))
    walk->link(parent, path, name);
  return folder;
}

static bool walk_all(struct walk *walk, int parent, const char *above, const char *name, unsigned depth) {
  int folder = enter(walk, parent, above, name);
  DIR *listing = folder < 0 ? NULL : fdopendir(folder);
  const char *path = strcmp(name, ".") == 0 ? above : joined(above, name);
  bool whole = true;
  if (!listing) return true;
  for (struct dirent *entry; whole && (entry = readdir(listing));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    int child = enter(walk, folder, path, entry->d_name);
    if (child < 0) continue;
    whole = walk_folder(walk, child, joined(path, entry->d_name), depth + 1);
    close(child);
  }
  closedir(listing);
  return whole;
}

/* `modules` holds git directories, or folders of them where a submodule's name has a slash. */
static bool walk_folder(struct walk *walk, int folder, const char *path, unsigned depth) {
  if (depth > DEEPEST || walk->folders++ >= MOST_FOLDERS) return false;
  walk->visit(walk->context, folder, path);
  if (depth && !is_there(folder, "HEAD") && !is_there(folder, "objects")) return walk_all(walk, folder, path, ".", depth);
  return walk_all(walk, folder, path, "modules", depth) && walk_all(walk, folder, path, "worktrees", depth);
}

bool git_walk(int folder, const char *path, git_visit *visit, void *context) {
  struct walk walk = {.visit = visit, .context = context};
  return walk_folder(&walk, folder, path, 0);
}

/* ── before ── */

static char *kept_bytes(const char *bytes, size_t length) {
  char *copy = malloc(length + 1);
  if (!copy) refuse("out of memory", NULL);
  memcpy(copy, bytes, length);
  copy[length] = '\0';
  return copy;
}

/* A link's text is where it leads to. */
static struct slice read_any(int folder, const char *name, mode_t mode) {
  char target[PATH_MAX];
  if (!S_ISLNK(mode)) return git_read(folder, name);
  ssize_t length = readlinkat(folder, name, target, sizeof target);
  return length < 0 ? (struct slice){0} : (struct slice){allot_text(target, (size_t)length), (size_t)length};
}

void git_note_file(int folder, const char *path, const char *name) {
  struct stat found;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (state.count == MOST_NOTED) {
    state.is_partial = true;
    return;
  }
  struct slice text = read_any(folder, name, found.st_mode);
  state.files[state.count++] = (struct noted){.path = text_keep(joined(path, name)),
                                              .text = text.text ? kept_bytes(text.text, text.length) : NULL,
                                              .length = text.length,
                                              .mode = found.st_mode,
                                              .changed = found.st_ctim,
                                              .mount = S_ISDIR(found.st_mode) ? mount_of(joined(path, name)) : 0};
}

static const char *const configurations[] = {"config", "config.worktree"};
/* It names another directory that the configuration and the hooks are taken from. */
static const char elsewhere[] = "commondir";

static void note_folder(void *context, int folder, const char *path) {
  (void)context;
  for (size_t i = 0; i < 2; i++) git_note_file(folder, path, configurations[i]);
  git_note_file(folder, path, elsewhere);
  git_note_file(folder, path, "hooks");
}

static void note_all(int folder, const char *path) {
  struct walk walk = {.visit = note_folder, .link = git_note_file};
  state.is_partial |= !walk_folder(&walk, folder, path, 0);
}

/* ── after ── */

static const struct noted *noted_at(const char *path) {
  for (size_t i = 0; i < state.count; i++)
    if (strcmp(state.files[i].path, path) == 0) return &state.files[i];
  return NULL;
}

static const char *shown(const char *path) {
  const char *rest = state.workspace ? below(state.workspace, path) : NULL;
  return rest && *rest ? rest : path;
}

void git_tell(const char *part, ...) {
  struct text line = {0};
  va_list parts;
  if (state.told++ >= MOST_LINES) return;
  va_start(parts, part);
  for (; part; part = va_arg(parts, const char *)) text_add(&line, part);
  va_end(parts);
  text_add_bytes(&line, "", 1);
  state.tell(line.data);
  text_free(&line);
}

bool git_put_aside(int folder, const char *path, const char *name, const char *why) {
  char aside[NAME_MAX + 1];
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  git_open_up(folder);
  /* A name that the command could not have taken before. */
  for (unsigned i = 0; i < MOST_ASIDE; i++) {
    snprintf(aside, sizeof aside, "%.*s.put-aside-%llx", NAME_MAX - 32, name,
             (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec + i);
    if (is_there(folder, aside)) continue;
    /* What the command put in place of something covered may have been covered in turn. */
    if (renameat(folder, name, folder, aside) != 0 && (errno != EBUSY || !move_mount_point(folder, name, folder, aside))) break;
    git_tell(shown(joined(path, name)), " ", why, " and is now ", aside, NULL);
    return true;
  }
  /* Rather none than one that starts programs. */
  int error = errno;
  if (unlinkat(folder, name, 0) == 0) {
    git_tell(shown(joined(path, name)), " ", why, " and was removed", NULL);
    return true;
  }
  git_tell("warning: ", shown(joined(path, name)), " ", why, " and could not be put aside: ", error_text(error), NULL);
  return false;
}

/* By git's own lock, so that a git outside that is about to write does not lose what it writes. */
static int open_lock(int folder, const char *path, const char *lock, mode_t mode) {
  struct stat found;
  git_open_up(folder);
  if (fstatat(folder, lock, &found, AT_SYMLINK_NOFOLLOW) == 0) {
    if (S_ISREG(found.st_mode)) unlinkat(folder, lock, 0);
    else git_put_aside(folder, path, lock, "is no file");
  }
  int fd = openat(folder, lock, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0 && fchmod(fd, mode & 0777) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

/* On a full disk there is none rather than one that starts programs. */
static void replace(int folder, const char *path, const char *name, struct slice text, mode_t mode) {
  char *lock = allot(strlen(name) + 6, 1);
  memcpy(lock, name, strlen(name));
  memcpy(lock + strlen(name), ".lock", 6);
  int fd = open_lock(folder, path, lock, mode);
  bool written = fd >= 0 && write_whole(fd, text.text, text.length);
  written = fd >= 0 && close(fd) == 0 && written && renameat(folder, lock, folder, name) == 0;
  if (written) return;
  git_tell("warning: ", shown(joined(path, name)), " could not be put back: ", error_text(errno), NULL);
  unlinkat(folder, lock, 0);
  if (is_there(folder, name)) git_put_aside(folder, path, name, "was changed by the command");
}

/* Whatever stands there now. */
static void put_back(int folder, const char *path, const char *name, const struct noted *before) {
  if (is_there(folder, name) && !git_put_aside(folder, path, name, "was changed by the command")) return;
  if (!before || !before->text) return;
  if (S_ISLNK(before->mode)) {
    if (symlinkat(before->text, folder, name) != 0)
      git_tell("warning: ", shown(joined(path, name)), " could not be put back: ", error_text(errno), NULL);
    return;
  }
  replace(folder, path, name, (struct slice){before->text, before->length}, before->mode);
}

static bool is_unchanged(const struct noted *before, const struct stat *found, struct slice now) {
  if (!before || ((before->mode ^ found->st_mode) & S_IFMT)) return false;
  if (!before->text || !now.text)
    return !before->text && !now.text && before->changed.tv_sec == found->st_ctim.tv_sec && before->changed.tv_nsec == found->st_ctim.tv_nsec;
  return before->length == now.length && memcmp(before->text, now.text, now.length) == 0;
}

static bool is_plain_folder(const char *path) {
  int fd = open_without_links(state.workspace_fd, path, O_PATH | O_DIRECTORY);
  if (fd >= 0) close(fd);
  return fd >= 0 || errno == ENOENT;
}

static void tell_removed(const struct git_judge *judge, const struct git_entry *entry) {
  git_tell(judge->file, ": ", entry->stem, entry->key, " was set by the command and put back", NULL);
}

void git_settle_file(int folder, const char *path, const char *name) {
  struct stat found;
  struct text left = {0};
  const char *file = joined(path, name);
  const struct noted *before = noted_at(file);
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  struct slice now = read_any(folder, name, found.st_mode);
  if (is_unchanged(before, &found, now)) return;
  struct slice old = before && before->text && S_ISREG(before->mode) ? (struct slice){before->text, before->length} : (struct slice){(char *)"", 0};
  const char *inside = below(state.workspace, path);
  struct git_judge judge = {.folder = inside && *inside ? inside : NULL, .is_plain_folder = is_plain_folder, .removed = tell_removed, .file = shown(file)};
  if (!S_ISREG(found.st_mode) || !now.text || !git_clean(&judge, old, now, &left)) put_back(folder, path, name, before);
  else if (left.length != now.length) replace(folder, path, name, (struct slice){left.data, left.length}, found.st_mode);
  text_free(&left);
}

/* A file that git follows to another directory is as it was, or what `git worktree add` writes, or put aside. */
static void settle_pointer(int folder, const char *path, const char *name, const char *usual) {
  struct stat found;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  const struct noted *before = noted_at(joined(path, name));
  struct slice now = read_any(folder, name, found.st_mode);
  if (is_unchanged(before, &found, now)) return;
  if (!before && usual && now.text && S_ISREG(found.st_mode) && strcmp(now.text, usual) == 0) return;
  put_back(folder, path, name, before);
}

static bool holds_programs(int folder, const char *name) {
  int hooks = open_folder(folder, name);
  DIR *listing = hooks < 0 ? NULL : fdopendir(hooks);
  bool found_one = !listing;
  struct stat found;
  for (struct dirent *entry; !found_one && (entry = readdir(listing));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (dot && strcmp(dot, ".sample") == 0) continue;
    if (fstatat(hooks, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
    found_one = S_ISLNK(found.st_mode) || (S_ISREG(found.st_mode) && (found.st_mode & 0111));
  }
  if (listing) closedir(listing);
  return found_one;
}

/* A folder that was there is a mount of its own and as it was, unless another stands there. */
static void settle_hooks(int folder, const char *path) {
  struct stat found;
  const struct noted *before = noted_at(joined(path, "hooks"));
  if (fstatat(folder, "hooks", &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (before && S_ISDIR(before->mode) && S_ISDIR(found.st_mode) && before->mount == mount_of(joined(path, "hooks"))) return;
  if (before && S_ISLNK(before->mode) && is_unchanged(before, &found, read_any(folder, "hooks", found.st_mode))) return;
  if (!S_ISDIR(found.st_mode) || holds_programs(folder, "hooks")) put_back(folder, path, "hooks", before);
}

static void settle_folder(void *context, int folder, const char *path) {
  (void)context;
  for (size_t i = 0; i < 2; i++) git_settle_file(folder, path, configurations[i]);
  settle_pointer(folder, path, elsewhere, strstr(path, "/worktrees/") ? "../..\n" : NULL);
  settle_hooks(folder, path);
}

static void settle_link(int folder, const char *path, const char *name) { settle_pointer(folder, path, name, NULL); }

static void settle_all(int folder, const char *path) {
  struct walk walk = {.visit = settle_folder, .link = settle_link};
  if (walk_folder(&walk, folder, path, 0)) return;
  if (state.is_partial) git_tell("warning: ", shown(path), " has more git directories than are looked at", NULL);
  else
    for (size_t i = 0; i < 2; i++)
      if (is_there(folder, i ? "worktrees" : "modules")) git_put_aside(folder, path, i ? "worktrees" : "modules", "has more folders than are looked at");
}

/* Programs or settings that the configuration named before they were there. */
static void settle_awaited(const char *path) {
  const char *rest = below(state.workspace, path), *at = state.workspace;
  int folder = fcntl(state.workspace_fd, F_DUPFD_CLOEXEC, 3);
  while (rest && folder >= 0) {
    char *name = allot_text(rest, strcspn(rest, "/"));
    rest = strchr(rest, '/') ? strchr(rest, '/') + 1 : NULL;
    int child = rest ? open_folder(folder, name) : -1;
    if (child < 0 && is_there(folder, name)) git_put_aside(folder, at, name, "was made by the command where git looks for programs or settings");
    close(folder);
    folder = child;
    at = joined(at, name);
  }
}

/* ── repositories in the workspace that belong to another one ── */

struct tree {
  int folder;
  const char *path;
  unsigned depth;
};

static int open_pointed(int folder, char *text) {
  static const char key[] = "gitdir: ";
  if (strncmp(text, key, sizeof key - 1) != 0) return -1;
  text[strcspn(text, "\r\n")] = '\0';
  return open_without_links(folder, text + sizeof key - 1, O_RDONLY | O_DIRECTORY);
}

/* As `git submodule` writes it: to a git directory that is looked at. */
static bool leads_to_modules(const char *path, const char *text) {
  static const char key[] = "gitdir: ", modules[] = ".git/modules/";
  const char *at = below(state.workspace, path), *rest = text + sizeof key - 1;
  if (!at || strncmp(text, key, sizeof key - 1) != 0) return false;
  for (; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL, rest += 3)
    if (strncmp(rest, "../", 3) != 0) return false;
  return strncmp(rest, modules, sizeof modules - 1) == 0 && !strstr(rest, "/..");
}

static void settle_embedded(int folder, const char *path) {
  struct slice file = git_read(folder, ".git");
  const struct noted *before = noted_at(joined(path, ".git"));
  int git = before && !S_ISDIR(before->mode) ? -1 : open_folder(folder, ".git");
  if (git < 0) settle_pointer(folder, path, ".git", file.text && leads_to_modules(path, file.text) ? file.text : NULL);
  else settle_all(git, joined(path, ".git"));
  if (git >= 0) close(git);
}

static void take_links(const struct tree *tree, int git);

static void take_link(void *context, const char *name) {
  const struct tree *above = context;
  if (above->depth >= DEEPEST || state.links >= MOST_FOLDERS) return;
  int folder = reopened(open_without_links(above->folder, name, O_PATH | O_DIRECTORY));
  if (folder < 0) return;
  state.links++;
  struct tree tree = {.folder = folder, .path = joined(above->path, name), .depth = above->depth + 1};
  if (state.tell) settle_embedded(folder, tree.path);
  else git_note_file(folder, tree.path, ".git");
  struct slice file = git_read(folder, ".git");
  int git = file.text ? open_pointed(folder, file.text) : open_folder(folder, ".git");
  if (git >= 0 && !file.text && !state.tell) note_all(git, joined(tree.path, ".git"));
  if (git >= 0) take_links(&tree, git);
  if (git >= 0) close(git);
  close(folder);
}

/* An index that git understands and we do not would hide what it holds. */
static void take_links(const struct tree *tree, int git) {
  struct tree own = *tree;
  bool whole = git_links(git, take_link, &own) && state.links < MOST_FOLDERS;
  if (whole) return;
  if (!state.tell) state.is_index_odd = true;
  else if (!state.is_index_odd) git_put_aside(git, joined(tree->path, ".git"), "index", "cannot be understood");
}

/* ── all of it ── */

void git_note(const char *workspace, const char *shared, const struct strings *awaited) {
  state.workspace_fd = open_without_links(AT_FDCWD, workspace, O_PATH | O_DIRECTORY);
  if (state.workspace_fd < 0) return;
  state.workspace = text_keep(workspace);
  state.shared = text_keep(shared);
  for (size_t i = 0; awaited && i < awaited->count; i++) {
    char **items = realloc(state.awaited.items, (i + 1) * sizeof *items);
    if (!items) refuse("out of memory", NULL);
    state.awaited.items = items;
    items[state.awaited.count++] = text_keep(awaited->items[i]);
  }
  git_note_file(state.workspace_fd, workspace, ".git");
  int git = open_folder(state.workspace_fd, ".git");
  if (git >= 0) note_all(git, joined(workspace, ".git"));
  if (git >= 0) take_links(&(struct tree){.folder = state.workspace_fd, .path = workspace}, git);
  if (git >= 0) close(git);
  if (shared) state.shared_fd = open_without_links(AT_FDCWD, shared, O_RDONLY | O_DIRECTORY);
  if (state.shared_fd >= 0) note_all(state.shared_fd, shared);
}

void git_settle(void (*to)(const char *line)) {
  struct stat found;
  state.tell = to;
  frozen_settle();
  if (state.workspace_fd < 0) return;
  git_open_up(state.workspace_fd);
  if (state.shared_fd >= 0) git_open_up(state.shared_fd);
  const struct noted *before = noted_at(joined(state.workspace, ".git"));
  bool is_folder = fstatat(state.workspace_fd, ".git", &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(found.st_mode);
  if (!is_folder || (before && !S_ISDIR(before->mode))) settle_pointer(state.workspace_fd, state.workspace, ".git", NULL);
  int git = open_folder(state.workspace_fd, ".git");
  if (git < 0 && is_folder) git_tell("git's settings could not be looked at (", error_text(errno), "): see to .git/config and .git/hooks first", NULL);
  state.links = 0;
  if (git >= 0) settle_all(git, joined(state.workspace, ".git"));
  if (git >= 0) take_links(&(struct tree){.folder = state.workspace_fd, .path = state.workspace}, git);
  if (git >= 0) close(git);
  if (state.shared_fd >= 0) settle_all(state.shared_fd, state.shared);
  for (size_t i = 0; i < state.awaited.count; i++) settle_awaited(state.awaited.items[i]);
  if (state.told > MOST_LINES) {
    unsigned more = state.told - MOST_LINES;
    state.told = 0;
    git_tell("and ", decimal(more), " more of git's settings", NULL);
  }
}
