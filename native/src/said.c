#include "said.h"

#include "aside.h"
#include "mount.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEEPEST = 64, MOST_LINES = 20, MOST_ASIDE = 1000, LARGEST_LEDGER = 16 << 20, ABOVE_ALL = 64 };

/* A link, a pipe, a socket or a device. */
struct odd {
  char *path;
  dev_t device;
  ino_t inode;
  struct timespec changed;
};

struct notes {
  struct strings folders;
  struct odd *odd;
  size_t count, capacity;
};

static struct notes own;
static int ledger = -1;
/* The folders, opened inside, where a command could put another in place of one that lies around them. */
static int *held;
static size_t held_count;

/* ── looking through ── */

struct way {
  dev_t device;
  void (*each)(struct way *way, int folder, const char *path, const char *name);
  struct notes *notes;
  /* NULL before the command begins. */
  void (*tell)(const char *line);
  /* Who made what is found then. */
  const char *who;
  unsigned told;
};

__attribute__((sentinel)) static void tell(struct way *way, const char *part, ...) {
  struct text line = {0};
  va_list parts;
  if (way->told++ >= MOST_LINES) return;
  va_start(parts, part);
  for (; part; part = va_arg(parts, const char *)) text_add(&line, part);
  va_end(parts);
  text_add_bytes(&line, "", 1);
  way->tell(line.data);
  text_free(&line);
}

/* A command must not be able to keep what it made by closing the folder that it lies in. */
static int open_up(const struct way *way, int above, const char *name, struct stat *found) {
  char path[32];
  /* One that is open already cannot be entered by "." where nobody may search it. */
  bool is_open = strcmp(name, ".") == 0;
  int opened = is_open ? fcntl(above, F_DUPFD_CLOEXEC, 0) : openat(above, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return -1;
  bool is_there = fstat(opened, found) == 0;
  snprintf(path, sizeof path, "/proc/self/fd/%d", opened);
  if (is_there && way->tell && (found->st_mode & 0700) != 0700) chmod(path, (found->st_mode & 07777) | 0700);
  int readable = is_there ? openat(opened, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  close(opened);
  return readable;
}

static unsigned char type_of(int folder, const struct dirent *entry) {
  struct stat found;
  if (entry->d_type != DT_UNKNOWN) return entry->d_type;
  return fstatat(folder, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) == 0 ? IFTODT(found.st_mode) : DT_REG;
}

/* What is mounted in there is a layer, in which nothing is real. */
static void look_through(struct way *way, int above, const char *name, const char *path, unsigned depth) {
  struct stat found = {0};
  int folder = open_up(way, above, name, &found);
  DIR *listing = folder < 0 ? NULL : fdopendir(folder);
  if (folder >= 0 && !listing) close(folder);
  if (depth == 0) way->device = found.st_dev;
  bool is_looked_at = listing && depth < DEEPEST;
  /* When all of it is listed: what has another name by then must not be come upon once more. */
  struct text odd = {0};
  if (!is_looked_at && way->tell) tell(way, path, " could not be looked through; links and pipes that ", way->who, " made in it may still be there", NULL);
  for (struct dirent *entry; is_looked_at && found.st_dev == way->device && (entry = readdir(listing));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    unsigned char type = type_of(folder, entry);
    if (type == DT_DIR) look_through(way, folder, entry->d_name, joined(path, entry->d_name), depth + 1);
    else if (type != DT_REG) text_add_bytes(&odd, entry->d_name, strlen(entry->d_name) + 1);
  }
  for (size_t at = 0; at < odd.length; at += strlen(odd.data + at) + 1) way->each(way, folder, path, odd.data + at);
  text_free(&odd);
  if (listing) closedir(listing);
}

/* A file that is written by itself is a mount, which nothing can take the place of. */
static void look_through_all(struct way *way) {
  struct stat found;
  for (size_t i = 0; i < way->notes->folders.count; i++) {
    const char *path = way->notes->folders.items[i];
    if (way->notes == &own && i < held_count && held[i] >= 0) look_through(way, held[i], ".", path, 0);
    else if (lstat(path, &found) == 0 && S_ISDIR(found.st_mode)) look_through(way, AT_FDCWD, path, path, 0);
  }
}

/* ── before ── */

static void add_odd(struct notes *notes, const struct odd *odd) {
  if (notes->count == notes->capacity) {
    size_t capacity = notes->capacity ? 2 * notes->capacity : 16;
    struct odd *more = realloc(notes->odd, capacity * sizeof *more);
    if (!more) refuse("out of memory", NULL);
    notes->odd = more;
    notes->capacity = capacity;
  }
  notes->odd[notes->count++] = *odd;
}

static void note_odd(struct way *way, int folder, const char *path, const char *name) {
  struct stat found;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  add_odd(way->notes, &(struct odd){text_keep(joined(path, name)), found.st_dev, found.st_ino, found.st_ctim});
}

/* What was allotted is wiped before the command begins. */
static void add_folder(struct notes *notes, const char *path) {
  char **more = realloc(notes->folders.items, (notes->folders.count + 1) * sizeof *more);
  if (!more) refuse("out of memory", NULL);
  notes->folders.items = more;
  more[notes->folders.count++] = text_keep(path);
}

/* ── after ── */

/*
 * By its own name, wherever a folder above it was moved to. Under another one it could stand where the agent writes, as what was put aside
 * would if the next command gave it back the name that it had.
 */
static bool is_as_it_was(const struct notes *notes, const char *name, const struct stat *found) {
  for (size_t i = 0; i < notes->count; i++) {
    const struct odd *one = &notes->odd[i];
    const char *last = strrchr(one->path, '/');
    if (last && one->device == found->st_dev && one->inode == found->st_ino && one->changed.tv_sec == found->st_ctim.tv_sec &&
        one->changed.tv_nsec == found->st_ctim.tv_nsec && strcmp(last + 1, name) == 0)
      return true;
  }
  return false;
}

/*
 * Nobody can tell what the user made there meanwhile from what the command made, so that it is not lost. No agent reads or writes what is
 * called so. Where it cannot be renamed, rather none than one that is written through.
 */
static const char *put_aside(int folder, const char *name, char *aside, size_t size) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  for (unsigned i = 0; i < MOST_ASIDE; i++) {
    snprintf(aside, size, "%.*s.put-aside-%llx", NAME_MAX - 32, name, (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec + i);
    if (faccessat(folder, aside, F_OK, AT_SYMLINK_NOFOLLOW) == 0) continue;
    if (renameat(folder, name, folder, aside) == 0) return ", and is now ";
    break;
  }
  *aside = '\0';
  return unlinkat(folder, name, 0) == 0 ? ", and was removed" : ", and could not be put aside";
}

static void settle_odd(struct way *way, int folder, const char *path, const char *name) {
  struct stat found;
  char aside[NAME_MAX + 1];
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || is_as_it_was(way->notes, name, &found)) return;
  bool is_link = S_ISLNK(found.st_mode);
  const char *end = put_aside(folder, name, aside, sizeof aside);
  tell(way, joined(path, name), is_link ? " was made a link by " : " was made by ", way->who, is_link ? "" : " and is not a plain file", end, aside, NULL);
}

static void settle(struct notes *notes, const char *who, void (*to)(const char *line)) {
  struct way way = {.each = settle_odd, .notes = notes, .tell = to, .who = who};
  look_through_all(&way);
  if (way.told <= MOST_LINES) return;
  unsigned more = way.told - MOST_LINES;
  way.told = 0;
  tell(&way, "and ", decimal(more), " more in the agent's transcripts and logs", NULL);
}

void said_settle(void (*to)(const char *line)) {
  settle(&own, "the command", to);
  if (ledger >= 0 && ftruncate(ledger, 0) == 0) ledger = -1;
}

/* ── on the disk: `f`, a folder; `o`, what was odd in it; `e`, all of it is there ── */

static void say_line(const char *line) { say(line, NULL); }

static bool read_notes(struct notes *notes, char *text, size_t length) {
  for (size_t at = 0, size; at < length; at += size) {
    unsigned long long device, inode;
    long long seconds;
    long nanoseconds;
    int used = 0;
    size = strnlen(text + at, length - at) + 1;
    if (at + size > length) return false;
    if (text[at] == 'e') return true;
    if (text[at] == 'f') add_folder(notes, text + at + 1);
    else if (sscanf(text + at, "o%llu %llu %lld %ld %n", &device, &inode, &seconds, &nanoseconds, &used) == 4 && used)
      add_odd(notes, &(struct odd){text_keep(text + at + used), (dev_t)device, (ino_t)inode, {seconds, nanoseconds}});
  }
  return false;
}

/* Of a launch that lives it is locked. */
static void settle_left_behind(int folder, const char *name) {
  struct stat found;
  struct notes notes = {0};
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &found) == 0 && S_ISREG(found.st_mode) && found.st_size <= LARGEST_LEDGER) {
    char *text = allot((size_t)found.st_size + 1, 1);
    ssize_t got = pread(fd, text, (size_t)found.st_size, 0);
    if (got > 0 && read_notes(&notes, text, (size_t)got)) settle(&notes, "an earlier command", say_line);
    unlinkat(folder, name, 0);
  }
  close(fd);
}

static const char ledger_start[] = "said-";

static void settle_all_left_behind(int folder) {
  int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *listing = again < 0 ? NULL : fdopendir(again);
  for (struct dirent *entry; listing && (entry = readdir(listing));)
    if (strncmp(entry->d_name, ledger_start, sizeof ledger_start - 1) == 0) settle_left_behind(folder, entry->d_name);
  if (listing) closedir(listing);
}

/* Locked before it has its name: nobody takes it for one that was left. */
static void open_ledger(int folder) {
  char name[64], path[32];
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) return;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  snprintf(name, sizeof name, "%s%d-%llx", ledger_start, (int)getpid(), (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec);
  bool is_named = flock(fd, LOCK_EX | LOCK_NB) == 0 && linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW) == 0;
  if (is_named) ledger = move_above(fd, ABOVE_ALL);
  else close(fd);
}

/* By a mount of its own, as git's notes are, where this process makes the mounts. */
static void begin(const struct view *view) {
  static bool has_begun;
  const char *parent = view->plan->places.git_notes;
  int real = has_begun || !parent ? -1 : open_own_folder(parent, true);
  has_begun = true;
  if (real < 0) return;
  int tree = reason_pipe < 0 ? -1 : tree_of(real, false), folder = tree < 0 ? real : tree;
  settle_all_left_behind(folder);
  open_ledger(folder);
  close(folder);
  if (tree >= 0) close(real);
}

void said_note(const struct view *view, const char *path) {
  struct notes added = {0};
  begin(view);
  add_folder(&added, path);
  struct way way = {.each = note_odd, .notes = &added};
  look_through_all(&way);
  add_folder(&own, path);
  for (size_t i = 0; i < added.count; i++) add_odd(&own, &added.odd[i]);
}

void said_write_down(void) {
  struct text text = {0};
  if (ledger < 0) return;
  for (size_t i = 0; i < own.folders.count; i++) {
    text_add(&text, "f");
    text_add_bytes(&text, own.folders.items[i], strlen(own.folders.items[i]) + 1);
  }
  for (size_t i = 0; i < own.count; i++) {
    const struct odd *one = &own.odd[i];
    char numbers[128];
    snprintf(numbers, sizeof numbers, "o%llu %llu %lld %ld ", (unsigned long long)one->device, (unsigned long long)one->inode,
             (long long)one->changed.tv_sec, (long)one->changed.tv_nsec);
    text_add(&text, numbers);
    text_add_bytes(&text, one->path, strlen(one->path) + 1);
  }
  text_add_bytes(&text, "e", 2);
  if (!write_whole(ledger, text.data, text.length)) {
    say("warning: what stands in the agent's transcripts and logs could not be noted: ", error_text(errno),
        "; links that the command makes there would stay if all of this launch were killed", NULL);
  }
  text_free(&text);
}

static const char what[] = "the folders of the agent's transcripts and logs";

/* -1: it is a file, or gone. Where too few files may be open nobody can tell. */
static int opened_above(const char *path, int number) {
  int opened = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  return opened < 0 && errno != EMFILE ? -1 : move_above(opened, number);
}

int said_keep_open(int first) {
  held = calloc(own.folders.count + 1, sizeof *held);
  if (!held) refuse("out of memory", NULL);
  int above = first + (int)own.folders.count + 1;
  for (; held_count < own.folders.count; held_count++) held[held_count] = opened_above(own.folders.items[held_count], above);
  if (ledger >= 0) ledger = keep_open_at(move_above(ledger, above), first++, what);
  for (size_t i = 0; i < held_count; i++)
    if (held[i] >= 0) held[i] = keep_open_at(held[i], first++, what);
  return first;
}
