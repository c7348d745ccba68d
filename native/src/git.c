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

/* A walk goes to so many git directories that all of what can be noted of them has room: what has none would count as old. */
enum { MOST_NOTED = 64 << 10, FIRST_NOTED = 256, MOST_NAMED = 256, MOST_ASIDE = 1000, MOST_LINES = 20 };

/* What stood at a path before the command began; a path that is not here had nothing. */
struct noted {
  uint32_t hash;
  char *path, *text;
  /* Where git goes from there, if it does. */
  char *leads_to;
  size_t length;
  mode_t mode;
  struct timespec changed;
  unsigned long mount;
  ino_t inode;
};

static struct {
  struct noted *files;
  size_t count, capacity;
  /* Paths that settings name to run programs from or to take settings from, and whether something was there. */
  struct named {
    char *path;
    bool was_there;
  } named[MOST_NAMED];
  size_t named_count;
  char *workspace, *shared, *outside;
  /* There were more git directories than are looked at already. */
  bool is_partial;
  void (*tell)(const char *line);
  unsigned told;
} state;

static int workspace_fd = -1;

const char *const git_configurations[2] = {"config", "config.worktree"};

/* ── reading ── */

struct slice git_read_sized(int folder, const char *name, int more, off_t largest) {
  struct slice text = {0};
  struct stat found;
  int fd = openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | more);
  if (fd < 0) return text;
  if (fstat(fd, &found) == 0 && S_ISREG(found.st_mode) && found.st_size <= largest) {
    text.text = allot((size_t)found.st_size + 1, 1);
    ssize_t got = read(fd, text.text, (size_t)found.st_size);
    text.length = got > 0 ? (size_t)got : 0;
    text.text[text.length] = '\0';
  }
  close(fd);
  return text;
}

struct slice git_read(int folder, const char *name) { return git_read_sized(folder, name, O_NOFOLLOW, LARGEST_GIT_FILE); }
struct slice git_read_through(int folder, const char *name) { return git_read_sized(folder, name, 0, LARGEST_GIT_FILE); }

/* A command must not be able to keep its settings by closing the folder that they lie in. */
void git_open_up(int folder) {
  char path[32];
  struct stat found;
  snprintf(path, sizeof path, "/proc/self/fd/%d", folder);
  if (state.tell && fstat(folder, &found) == 0 && (found.st_mode & 0700) != 0700) chmod(path, (found.st_mode & 07777) | 0700);
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

char *git_end_of_link(int folder, const char *name) {
  int fd = openat(folder, name, O_PATH | O_CLOEXEC);
  char *real = fd < 0 ? NULL : path_of(fd);
  if (fd >= 0) close(fd);
  return real;
}

static uint32_t hash_of(const char *path) {
  uint32_t hash = 2166136261u;
  for (; *path; path++) hash = (hash ^ (unsigned char)*path) * 16777619u;
  return hash;
}

static const struct noted *noted_at(const char *path) {
  uint32_t hash = hash_of(path);
  for (size_t i = 0; i < state.count; i++)
    if (state.files[i].hash == hash && strcmp(state.files[i].path, path) == 0) return &state.files[i];
  return NULL;
}

static bool add_note(struct noted one) {
  if (state.count == MOST_NOTED) return false;
  if (state.count == state.capacity) {
    state.capacity = state.capacity ? 2 * state.capacity : FIRST_NOTED;
    state.files = realloc(state.files, state.capacity * sizeof *state.files);
    if (!state.files) refuse("out of memory", NULL);
  }
  one.hash = hash_of(one.path);
  state.files[state.count++] = one;
  return true;
}

void git_note_file(int folder, const char *path, const char *name) {
  struct stat found;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || noted_at(joined(path, name))) return;
  struct slice text = read_any(folder, name, found.st_mode);
  state.is_partial |= !add_note((struct noted){.path = text_keep(joined(path, name)),
                                               .leads_to = S_ISLNK(found.st_mode) ? text_keep(git_end_of_link(folder, name)) : NULL,
                                               .text = text.text ? kept_bytes(text.text, text.length) : NULL,
                                               .length = text.length,
                                               .mode = found.st_mode,
                                               .changed = found.st_ctim,
                                               .inode = found.st_ino,
                                               .mount = S_ISDIR(found.st_mode) ? mount_of(joined(path, name)) : 0});
}

/* Remotes as git wrote them before it had settings for them. */
static const char *const old_remotes[] = {"remotes", "branches"};

typedef void on_file(int folder, const char *path, const char *name);

/* A link is followed: it is one of git's settings as well as what it leads to. */
static void with_configuration(const struct git_walk *walk, int folder, const char *path, const char *name, on_file *each) {
  struct stat found;
  each(folder, path, name);
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(found.st_mode)) return;
  int fd = openat(folder, name, O_PATH | O_CLOEXEC);
  char *real = fd < 0 ? NULL : path_of(fd), *slash = real ? strrchr(real, '/') : NULL;
  if (fd >= 0) close(fd);
  if (!real || !git_is_within(walk, real) || slash == real) return;
  *slash = '\0';
  int above = openat(AT_FDCWD, real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (above >= 0) each(above, real, slash + 1);
  if (above >= 0) close(above);
}

static void with_old_remotes(int git, const char *path, on_file *each) {
  for (size_t i = 0; i < 2; i++) {
    int folder = openat(git, old_remotes[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *listing = folder < 0 ? NULL : fdopendir(folder);
    if (!listing) {
      if (git_is_there(git, old_remotes[i])) each(git, path, old_remotes[i]);
      continue;
    }
    for (struct dirent *entry; (entry = readdir(listing));)
      if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) each(folder, joined(path, old_remotes[i]), entry->d_name);
    closedir(listing);
  }
}

/* What was there was read-only, but whoever makes mounts of its own inside gets around that. So it is known what it was. */
static void with_programs(int above, const char *path, const char *name, on_file *each) {
  int folder = openat(above, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0) git_open_up(folder);
  int readable = folder < 0 ? -1 : openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) close(folder);
  DIR *listing = readable < 0 ? NULL : fdopendir(readable);
  if (!listing) return;
  for (struct dirent *entry; (entry = readdir(listing));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || (dot && strcmp(dot, ".sample") == 0)) continue;
    each(readable, joined(path, name), entry->d_name);
  }
  closedir(listing);
}

/* The folder that a path lies in, and its name there. */
static int open_above(const char *path, const char **above, const char **name) {
  const char *slash = strrchr(path, '/');
  *above = allot_text(path, (size_t)(slash - path));
  *name = slash + 1;
  return openat(AT_FDCWD, **above ? *above : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void note_named(void *context, const char *path) {
  struct stat found;
  const char *above, *name;
  (void)context;
  if (state.named_count == MOST_NAMED) return;
  state.named[state.named_count++] = (struct named){text_keep(path), lstat(path, &found) == 0};
  int folder = open_above(path, &above, &name);
  if (folder < 0) return;
  git_note_file(folder, above, name);
  with_programs(folder, above, name, git_note_file);
  close(folder);
}

static void note_folder(struct git_walk *walk, int folder, const char *path, const char *tree) {
  for (size_t i = 0; i < 2; i++) with_configuration(walk, folder, path, git_configurations[i], git_note_file);
  git_note_file(folder, path, "hooks");
  with_programs(folder, path, "hooks", git_note_file);
  with_old_remotes(folder, path, git_note_file);
  git_note_operations(folder, path);
  git_note_symlinks(folder, path);
  git_named(walk, folder, path, tree, note_named, NULL);
}

static void note_step(struct git_walk *walk, int folder, const char *path, const char *name) {
  struct stat found;
  char *to;
  size_t count = state.count;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(found.st_mode)) return;
  git_note_file(folder, path, name);
  int fd = git_follow(walk, folder, name, &to);
  if (state.count > count) state.files[count].leads_to = text_keep(to);
  if (fd >= 0) close(fd);
}

static void note_beyond(struct git_walk *walk, int folder, const char *path, const char *name) {
  (void)walk;
  if (strcmp(name, ".git") == 0) git_note_file(folder, path, name);
  else state.is_partial = true;
}

static void note_odd(struct git_walk *walk, int folder, const char *path, const char *name) {
  (void)walk;
  git_note_file(folder, path, name);
}

/* ── after ── */

const char *git_shown(const char *path) {
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
    if (git_is_there(folder, aside)) continue;
    /* What the command put in place of something covered may have been covered in turn. */
    if (renameat(folder, name, folder, aside) != 0 && (errno != EBUSY || !move_mount_point(folder, name, folder, aside))) break;
    git_tell(git_shown(joined(path, name)), " ", why, " and is now ", aside, NULL);
    return true;
  }
  /* Rather none than one that starts programs. */
  int error = errno;
  if (unlinkat(folder, name, 0) == 0) {
    git_tell(git_shown(joined(path, name)), " ", why, " and was removed", NULL);
    return true;
  }
  git_tell("warning: ", git_shown(joined(path, name)), " ", why, " and could not be put aside: ", error_text(error), NULL);
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
void git_replace(int folder, const char *path, const char *name, struct slice text, mode_t mode) {
  char *lock = allot(strlen(name) + 6, 1);
  memcpy(lock, name, strlen(name));
  memcpy(lock + strlen(name), ".lock", 6);
  int fd = open_lock(folder, path, lock, mode);
  bool written = fd >= 0 && write_whole(fd, text.text, text.length);
  written = fd >= 0 && close(fd) == 0 && written && renameat(folder, lock, folder, name) == 0;
  if (written) return;
  git_tell("warning: ", git_shown(joined(path, name)), " could not be put back: ", error_text(errno), NULL);
  unlinkat(folder, lock, 0);
  if (git_is_there(folder, name)) git_put_aside(folder, path, name, "was changed by the command");
}

/* Whatever stands there now. */
void git_put_back(int folder, const char *path, const char *name) {
  const struct noted *before = noted_at(joined(path, name));
  if (git_is_there(folder, name) && !git_put_aside(folder, path, name, "was changed by the command")) return;
  if (!before || !before->text) return;
  if (S_ISLNK(before->mode)) {
    if (symlinkat(before->text, folder, name) != 0)
      git_tell("warning: ", git_shown(joined(path, name)), " could not be put back: ", error_text(errno), NULL);
    return;
  }
  git_replace(folder, path, name, (struct slice){before->text, before->length}, before->mode);
}

static bool is_unchanged(const struct noted *before, const struct stat *found, struct slice now) {
  if (!before || ((before->mode ^ found->st_mode) & S_IFMT)) return false;
  if (!before->text || !now.text)
    return !before->text && !now.text && before->changed.tv_sec == found->st_ctim.tv_sec && before->changed.tv_nsec == found->st_ctim.tv_nsec;
  return before->length == now.length && memcmp(before->text, now.text, now.length) == 0;
}

static void tell_removed(const struct git_judge *judge, const struct git_entry *entry) {
  git_tell(judge->file, ": ", entry->stem, entry->key, " was set by the command and put back", NULL);
}

static void tell_restored(const struct git_judge *judge, const struct git_entry *entry) {
  git_tell(judge->file, ": ", entry->stem, entry->key, " was taken out by the command and put back", NULL);
}

static struct git_walk walk;
/* The git directory whose settings are looked at, where they may say where its files are. */
static const char *judged;

/* Files that lie there, and that lead back, or none yet. */
static bool is_own_tree(const char *path) {
  char *to;
  int fd = open_without_links(workspace_fd, path, O_PATH | O_DIRECTORY);
  if (fd < 0) return errno == ENOENT;
  int git = git_follow(&walk, fd, ".git", &to);
  bool is_own = git < 0 ? !git_is_there(fd, ".git") : strcmp(to, judged) == 0;
  if (git >= 0) close(git);
  close(fd);
  return is_own;
}

/* In whichever of them: one configuration may say where another one's remotes are. */
static bool had_remote(void) {
  struct git_config config;
  for (size_t i = 0; i < state.count; i++) {
    const struct noted *one = &state.files[i];
    const char *name = strrchr(one->path, '/') + 1;
    if (!one->text || (strcmp(name, git_configurations[0]) != 0 && strcmp(name, git_configurations[1]) != 0)) continue;
    if (git_parse((struct slice){one->text, one->length}, &config) && git_has_remote(&config)) return true;
  }
  return false;
}

/* Where hooks are looked for beside the files, these must not move. */
static bool names_hooks(struct slice text) {
  struct git_config config;
  if (!git_parse(text, &config)) return true;
  for (size_t i = 0; i < config.count; i++)
    if (strcmp(config.entries[i].stem, "core.") == 0 && strcmp(config.entries[i].key, "hookspath") == 0) return true;
  return false;
}

void git_settle_file(int folder, const char *path, const char *name) {
  struct stat found;
  struct text left = {0};
  const char *file = joined(path, name);
  const struct noted *before = noted_at(file);
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  struct slice now = read_any(folder, name, found.st_mode);
  if (is_unchanged(before, &found, now)) return;
  struct slice old = git_text_before(file);
  const char *inside = judged && strcmp(judged, path) == 0 && !names_hooks(old) ? below(state.workspace, path) : NULL;
  struct git_judge judge = {.folder = inside && *inside ? inside : NULL, .is_own_tree = is_own_tree, .removed = tell_removed, .restored = tell_restored, .had_remote = had_remote(), .file = git_shown(file)};
  if (!S_ISREG(found.st_mode) || !now.text || !git_clean(&judge, old, now, &left)) git_put_back(folder, path, name);
  else if (left.length != now.length || memcmp(left.data, now.text, now.length) != 0) git_replace(folder, path, name, (struct slice){left.data, left.length}, found.st_mode);
  text_free(&left);
}

bool git_was_there(const char *path) { return noted_at(path) != NULL; }

bool git_may_be_old(const char *path) {
  bool may_be = state.is_partial && !noted_at(path);
  if (may_be) git_tell("warning: ", git_shown(path), " may be the command's: there is more than is looked at; look at it first", NULL);
  return may_be;
}

struct slice git_text_before(const char *path) {
  const struct noted *before = noted_at(path);
  return before && before->text && S_ISREG(before->mode) ? (struct slice){before->text, before->length} : (struct slice){(char *)"", 0};
}

bool git_leads_as_it_did(int folder, const char *path, const char *name) {
  const struct noted *before = noted_at(joined(path, name));
  const char *now = git_end_of_link(folder, name);
  return before && git_is_as_it_was(folder, path, name) && strcmp(before->leads_to ? before->leads_to : "", now ? now : "") == 0;
}

bool git_is_as_it_was(int folder, const char *path, const char *name) {
  struct stat found;
  const struct noted *before = noted_at(joined(path, name));
  return fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || is_unchanged(before, &found, read_any(folder, name, found.st_mode));
}

static void settle_old_remote(int folder, const char *path, const char *name) {
  if (!git_is_as_it_was(folder, path, name)) git_put_back(folder, path, name);
}

/* What leads to a git directory that is looked at is settled there. Anything else is as it was, and leads where it led, or is put back. */
static void settle_step(struct git_walk *around, int folder, const char *path, const char *name) {
  struct stat found;
  char *to;
  const struct noted *before = noted_at(joined(path, name));
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  int fd = git_follow(around, folder, name, &to);
  if (fd >= 0) close(fd);
  if (S_ISDIR(found.st_mode) ? !before || S_ISDIR(before->mode) : to && git_is_within(around, to)) return;
  const char *led_to = before && before->leads_to ? before->leads_to : "";
  if (strcmp(led_to, to ? to : "") != 0 || !git_is_as_it_was(folder, path, name)) git_put_back(folder, path, name);
}

static bool holds_programs(int folder, const char *name) {
  int hooks = openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (hooks >= 0) git_open_up(hooks);
  if (hooks >= 0) close(hooks);
  hooks = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
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

static bool is_any_changed;

/* Another than it was, or more of a program. */
static void look_for_change(int folder, const char *path, const char *name) {
  struct stat found;
  const struct noted *before = noted_at(joined(path, name));
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(found.st_mode)) return;
  if (git_may_be_old(joined(path, name))) return;
  bool is_more = S_ISREG(found.st_mode) && (found.st_mode & ~(before ? before->mode : 0) & 0111);
  is_any_changed = is_any_changed || is_more || !git_is_as_it_was(folder, path, name);
}

/* As a whole, since it is a mount that can only be read. */
static void restore_programs(int above, const char *path, const char *name) {
  const char *folder_path = joined(path, name);
  if (!git_put_aside(above, path, name, "was changed by the command") || mkdirat(above, name, 0755) != 0) return;
  int folder = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  for (size_t i = 0; folder >= 0 && i < state.count; i++) {
    const struct noted *one = &state.files[i];
    const char *rest = below(folder_path, one->path);
    if (!rest || !*rest || strchr(rest, '/') || !one->text) continue;
    git_put_back(folder, folder_path, rest);
  }
  if (folder >= 0) close(folder);
}

static void settle_programs(int above, const char *path, const char *name) {
  is_any_changed = false;
  with_programs(above, path, name, look_for_change);
  if (is_any_changed) restore_programs(above, path, name);
}

/* A folder that was there is a mount of its own, unless another stands there. */
static void settle_hooks(int folder, const char *path) {
  struct stat found;
  const struct noted *before = noted_at(joined(path, "hooks"));
  if (fstatat(folder, "hooks", &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (before && S_ISDIR(before->mode) && S_ISDIR(found.st_mode) && before->mount == mount_of(joined(path, "hooks"))) {
    settle_programs(folder, path, "hooks");
    return;
  }
  if (before && S_ISLNK(before->mode) && git_is_as_it_was(folder, path, "hooks")) return;
  if (!S_ISDIR(found.st_mode) || holds_programs(folder, "hooks")) git_put_back(folder, path, "hooks");
}

/* Programs or settings that were not there, or not where the name led to, go; those that were there are what they were. */
static void settle_named(void *context, const char *path) {
  struct stat found;
  const char *above, *name;
  bool was_there = false;
  (void)context;
  for (size_t i = 0; i < state.named_count && !was_there; i++) was_there = state.named[i].was_there && strcmp(state.named[i].path, path) == 0;
  int folder = lstat(path, &found) == 0 ? open_above(path, &above, &name) : -1;
  if (folder < 0) return;
  if (!was_there) git_put_aside(folder, above, name, "was made by the command where git looks for programs or settings");
  else if (S_ISDIR(found.st_mode)) settle_programs(folder, above, name);
  else if (!git_is_as_it_was(folder, above, name)) git_put_back(folder, above, name);
  close(folder);
}

static void settle_folder(struct git_walk *around, int folder, const char *path, const char *tree) {
  git_settle_symlinks(folder, path);
  judged = tree && strcmp(tree, state.workspace) == 0 ? NULL : path;
  for (size_t i = 0; i < 2; i++) with_configuration(around, folder, path, git_configurations[i], git_settle_file);
  judged = NULL;
  settle_hooks(folder, path);
  with_old_remotes(folder, path, settle_old_remote);
  git_settle_operations(folder, path);
  git_named(around, folder, path, tree, settle_named, NULL);
}

static void settle_beyond(struct git_walk *around, int folder, const char *path, const char *name) {
  bool is_of_files = strcmp(name, ".git") == 0;
  (void)around;
  if (is_of_files && git_is_as_it_was(folder, path, name)) {
    git_tell("warning: ", git_shown(joined(path, name)), " lies deeper, or behind more others, than is looked at: see to its config first", NULL);
    return;
  }
  if (state.is_partial && !is_of_files) git_tell("warning: ", git_shown(joined(path, name)), " has more git directories than are looked at", NULL);
  else git_put_aside(folder, path, name, is_of_files ? "lies deeper, or behind more others, than is looked at" : "has more folders than are looked at");
}

/* An index that git understands and we do not would hide what it holds. */
static void settle_odd(struct git_walk *around, int folder, const char *path, const char *name) {
  (void)around;
  if (git_is_as_it_was(folder, path, name)) return;
  if (noted_at(joined(path, name))) git_tell("warning: ", git_shown(joined(path, name)), " cannot be understood, or names files outside of the tree: look at `git ls-files -s` first", NULL);
  else git_put_aside(folder, path, name, "cannot be understood, or names files outside of the tree,");
}

/* ── on the disk ── */

struct record {
  size_t path, leads_to, text;
  bool has_text, is_named;
  struct noted noted;
};

/* No log-in of an address is written a second time: what a remote is starts no program, so that it need not be known again. */
static void add_without_log_ins(struct text *out, const char *text, size_t length) {
  for (size_t i = 0; i < length;) {
    size_t start = i;
    while (i < length && !(i - start >= 3 && memcmp(text + i - 3, "://", 3) == 0)) i++;
    text_add_bytes(out, text + start, i - start);
    size_t end = i;
    while (end < length && !strchr("@/ \t\n\"", text[end])) end++;
    if (end == length || text[end] != '@') continue;
    for (; i < end; i++) text_add_bytes(out, "x", 1);
  }
}

static void write_record(struct text *out, struct record record, const char *path, const char *leads_to, const char *text) {
  record.path = strlen(path);
  record.leads_to = leads_to ? strlen(leads_to) : 0;
  record.noted.path = record.noted.text = record.noted.leads_to = NULL;
  text_add_bytes(out, (const char *)&record, sizeof record);
  text_add_bytes(out, path, record.path);
  if (record.leads_to) text_add_bytes(out, leads_to, record.leads_to);
  if (record.text) add_without_log_ins(out, text, record.text);
}

static void write_ledger(void) {
  struct text out = {0};
  for (size_t i = 0; i < state.count; i++) {
    const struct noted *one = &state.files[i];
    write_record(&out, (struct record){.text = one->text ? one->length : 0, .has_text = one->text, .noted = *one}, one->path, one->leads_to, one->text);
  }
  for (size_t i = 0; i < state.named_count; i++)
    write_record(&out, (struct record){.is_named = true, .has_text = state.named[i].was_there}, state.named[i].path, NULL, NULL);
  /* All of it is there: also a workspace without a repository has something to be put back. */
  write_record(&out, (struct record){.is_named = true}, "", NULL, NULL);
  git_ledger_write(out.data, out.length);
  text_free(&out);
}

/* A folder that is the same one is as it was: it could only be read. */
static void take_record(const struct record *record, const char *at) {
  struct stat found;
  struct noted one = record->noted;
  one.path = kept_bytes(at, record->path);
  if (record->is_named) {
    if (state.named_count < MOST_NAMED) state.named[state.named_count++] = (struct named){one.path, record->has_text};
    return;
  }
  if (record->leads_to) one.leads_to = kept_bytes(at + record->path, record->leads_to);
  if (record->has_text) one.text = kept_bytes(at + record->path + record->leads_to, record->text);
  one.mount = S_ISDIR(one.mode) && lstat(one.path, &found) == 0 && found.st_ino == one.inode ? mount_of(one.path) : 0;
  (void)add_note(one);
}

static bool read_ledger(struct slice text) {
  struct record record = {0};
  for (size_t at = 0; at < text.length;) {
    if (text.length - at < sizeof record) return false;
    memcpy(&record, text.text + at, sizeof record);
    at += sizeof record;
    size_t room = text.length - at;
    if (record.path > room || record.leads_to > room - record.path || record.text > room - record.path - record.leads_to) return false;
    take_record(&record, text.text + at);
    at += record.path + record.leads_to + record.text;
  }
  return record.is_named && !record.path;
}

/* ── all of it ── */

static void begin_walk(void) { walk = (struct git_walk){.workspace = state.workspace, .shared = state.shared, .named = state.outside}; }

static void settle_all(void) {
  struct stat found;
  git_open_up(workspace_fd);
  if (fstatat(workspace_fd, ".git", &found, AT_SYMLINK_NOFOLLOW) != 0 && errno != ENOENT)
    git_tell("git's settings could not be looked at (", error_text(errno), "): see to .git/config and .git/hooks first", NULL);
  begin_walk();
  walk.visit = settle_folder, walk.step = settle_step, walk.beyond = settle_beyond, walk.odd = settle_odd;
  git_walk(&walk);
  if (state.told <= MOST_LINES) return;
  unsigned more = state.told - MOST_LINES;
  state.told = 0;
  git_tell("and ", decimal(more), " more of git's settings", NULL);
}

static void say_line(const char *line) { say(line, NULL); }

/* What launches left that were killed, and the first processes of their sandboxes with them. */
static void settle_left_behind(void) {
  size_t count = state.count;
  for (struct slice text; (text = git_ledger_next()).length; git_ledger_done()) {
    state.tell = say_line;
    if (read_ledger(text)) settle_all();
    state.tell = NULL;
    state.count = count;
    state.named_count = state.told = 0;
  }
}

/*
 * What another command set that runs here already would count as old, and stay. So what the first of them found counts. It wrote that down
 * before its command began: where there is nothing yet, or not all, what this one found is older than anything a command did.
 */
static void take_notes_of_first(void) {
  struct slice text = git_ledger_of_first();
  size_t count = state.count, named_count = state.named_count;
  if (!text.length) return;
  bool is_whole = read_ledger(text);
  size_t first = is_whole ? count : 0, first_named = is_whole ? named_count : 0;
  state.count = is_whole ? state.count - first : count;
  state.named_count = is_whole ? state.named_count - first_named : named_count;
  if (state.count) memmove(state.files, state.files + first, state.count * sizeof *state.files);
  memmove(state.named, state.named + first_named, state.named_count * sizeof *state.named);
}

void git_note(const char *workspace, const char *shared, const char *outside) {
  workspace_fd = open_without_links(AT_FDCWD, workspace, O_PATH | O_DIRECTORY);
  if (workspace_fd < 0) return;
  state.workspace = text_keep(workspace);
  state.shared = text_keep(shared);
  state.outside = text_keep(outside);
  settle_left_behind();
  begin_walk();
  walk.visit = note_folder, walk.step = note_step, walk.beyond = note_beyond, walk.odd = note_odd;
  git_walk(&walk);
  take_notes_of_first();
  write_ledger();
}

void git_settle(void (*to)(const char *line)) {
  state.tell = to;
  frozen_settle();
  if (workspace_fd >= 0) settle_all();
  git_ledger_clear();
}
