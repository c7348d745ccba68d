#include "come_back.h"

#include "aside.h"
#include "masks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char version[] = "kept-1", no_workspace[] = "nowhere", size_file[] = "size", swept_file[] = "swept";
enum { DEEPEST = 256, A_DAY = 24 * 60 * 60 };

static int open_folder(int at, const char *name) {
  return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int step(int at, const char *name, bool make) {
  if (at < 0) return -1;
  int next = make && mkdirat(at, name, 0700) != 0 && errno != EEXIST ? -1 : open_folder(at, name);
  int error = errno;
  close(at);
  errno = error;
  return next;
}

/* Names longer than a folder's name may be have no place here, and nothing comes back. */
static int open_key(const struct come_back_place *place, bool make) {
  char name[NAME_MAX + 2];
  if (!place->folder || !place->policy) return -1;
  int at = step(step(open_own_folder(place->folder, make), version, make), place->policy, make);
  if (!place->workspace) return step(at, no_workspace, make);
  for (const char *rest = place->workspace + 1; at >= 0 && *rest;) {
    size_t length = strcspn(rest, "/");
    if (snprintf(name, sizeof name, "+%.*s", (int)length, rest) > NAME_MAX) {
      close(at);
      return -1;
    }
    at = step(at, name, make);
    rest += length + (rest[length] == '/');
  }
  return at;
}

static int newest_first(const void *one, const void *other) { return strcmp(*(char *const *)other, *(char *const *)one); }

/* The names of a key's layers; more than can be used are the oldest of them. */
static size_t layer_names(int key, char *names[], size_t most) {
  size_t count = 0;
  DIR *listing = fdopendir(openat(key, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing) return 0;
  for (struct dirent *entry; count < most && (entry = readdir(listing));)
    if (strncmp(entry->d_name, "d-", 2) == 0 && (names[count] = strdup(entry->d_name))) count++;
  closedir(listing);
  qsort(names, count, sizeof *names, newest_first);
  return count;
}

enum { MOST_NAMES = 64 };

void come_back_open(struct come_back_layers *layers, const struct come_back_place *place) {
  char *names[MOST_NAMES];
  *layers = (struct come_back_layers){.lock = open_key(place, false)};
  if (layers->lock < 0) return;
  /* Waits while another launch merges them, which is a matter of renames. */
  if (flock(layers->lock, LOCK_SH) != 0) {
    close(layers->lock);
    layers->lock = -1;
    return;
  }
  futimens(layers->lock, NULL);
  size_t count = layer_names(layers->lock, names, MOST_NAMES);
  for (size_t i = 0; i < count; i++) {
    int folder = layers->count < MOST_LAYERS_BACK ? open_folder(layers->lock, names[i]) : -1;
    if (folder >= 0) layers->folders[layers->count++] = folder;
    free(names[i]);
  }
}

/* ── adding one ── */

void come_back_begin(struct come_back *kept, const struct come_back_place *place, uint64_t room) {
  *kept = (struct come_back){.place = place, .key = -1, .folder = -1, .room = room};
}

int come_back_folder(struct come_back *kept) {
  char partial[64], *names[MOST_NAMES];
  struct timespec now;
  if (kept->folder >= 0 || kept->failed) return kept->folder;
  kept->failed = true;
  kept->key = open_key(kept->place, true);
  if (kept->key < 0) return -1;
  size_t count = layer_names(kept->key, names, MOST_NAMES);
  for (size_t i = 0; i < count; i++) free(names[i]);
  /* So many at once that nobody could merge them: this launch's are not kept. */
  if (count >= MOST_LAYERS_BACK) return -1;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(kept->name, sizeof kept->name, "d-%llu-%d", (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec, (int)getpid());
  snprintf(partial, sizeof partial, ".part-%s", kept->name);
  if (mkdirat(kept->key, partial, 0700) != 0) return -1;
  kept->folder = open_folder(kept->key, partial);
  kept->failed = kept->folder < 0;
  return kept->folder;
}

/* ── merging, newer over older ── */

static void merge_folder(int newer, int older, int real, int depth);

static bool is_whiteout(int at, const char *name) {
  struct stat found;
  return fstatat(at, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISCHR(found.st_mode);
}

/* At every moment newer over older shows the same, so that it can be cut short anywhere. */
static void merge_entry(int newer, int older, int real, const char *name, int depth) {
  struct stat below;
  if (is_whiteout(newer, name) && (real < 0 || fstatat(real, name, &below, AT_SYMLINK_NOFOLLOW) != 0)) {
    /* Nothing lies below that it would hide, and a folder that is not merged with another one would show it. */
    remove_tree(older, name);
    unlinkat(newer, name, 0);
    return;
  }
  int one = open_folder(newer, name), other = one < 0 ? -1 : open_folder(older, name);
  if (one >= 0 && other >= 0 && !is_opaque(one) && depth < DEEPEST) {
    struct stat found;
    int there = real < 0 || is_opaque(other) ? -1 : openat(real, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    merge_folder(one, other, there, depth + 1);
    if (there >= 0) close(there);
    if (fstat(one, &found) == 0) fchmod(other, found.st_mode & 07777);
    close(one);
    close(other);
    unlinkat(newer, name, AT_REMOVEDIR);
    return;
  }
  if (one >= 0) close(one);
  if (other >= 0) close(other);
  if (renameat(newer, name, older, name) == 0) return;
  remove_tree(older, name);
  renameat(newer, name, older, name);
}

static void merge_folder(int newer, int older, int real, int depth) {
  DIR *listing = fdopendir(openat(newer, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing) return;
  for (struct dirent *entry; (entry = readdir(listing));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) merge_entry(newer, older, real, entry->d_name, depth);
  closedir(listing);
}

/* ── size ── */

static uint64_t read_size(int key) {
  char text[24] = "";
  int file = openat(key, size_file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  return got > 0 ? strtoull(text, NULL, 10) : 0;
}

static void write_size(int key, uint64_t size) {
  const char *text = decimal(size);
  int file = openat(key, size_file, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return;
  write_whole(file, text, strlen(text));
  close(file);
}

static uint64_t measured(int at, const char *name, int depth) {
  struct stat found;
  uint64_t size = 0;
  if (fstatat(at, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  if (!S_ISDIR(found.st_mode)) return (uint64_t)found.st_blocks * 512 + ROOM_OF_A_NAME;
  int folder = depth < DEEPEST ? open_folder(at, name) : -1;
  DIR *listing = folder < 0 ? NULL : fdopendir(folder);
  if (!listing) return 0;
  for (struct dirent *entry; (entry = readdir(listing));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) size += measured(folder, entry->d_name, depth + 1);
  closedir(listing);
  return size;
}

/* Too much for one workspace: what was there before this launch goes, and nobody else's. */
static void stay_within(int key, char *names[], size_t *count, uint64_t added, uint64_t most) {
  uint64_t size = read_size(key) + added;
  if (size > most) {
    size = 0;
    for (size_t i = 0; i < *count; i++) size += measured(key, names[i], 0);
    while (size > most && *count > 1) {
      size -= measured(key, names[--*count], 0);
      remove_tree(key, names[*count]);
      free(names[*count]);
    }
  }
  write_size(key, size);
}

static void merge_all(int key, uint64_t added, uint64_t most) {
  char *names[MOST_NAMES];
  size_t count = layer_names(key, names, MOST_NAMES);
  stay_within(key, names, &count, added, most);
  for (size_t i = count - 1; count && i > 0; i--) {
    /* The oldest is last; the one above it moves down into it. */
    int older = open_folder(key, names[count - 1]), newer = open_folder(key, names[i - 1]);
    /* A layer's paths are those of the machine. */
    int root = openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (older >= 0 && newer >= 0) merge_folder(newer, older, root, 0);
    if (root >= 0) close(root);
    if (older >= 0) close(older);
    if (newer >= 0) close(newer);
    unlinkat(key, names[i - 1], AT_REMOVEDIR);
  }
  for (size_t i = 0; i < count; i++) free(names[i]);
}

void come_back_finish(struct come_back *kept) {
  char partial[64];
  snprintf(partial, sizeof partial, ".part-%s", kept->name);
  if (kept->folder >= 0) close(kept->folder);
  if (kept->key < 0) return;
  if (kept->folder >= 0 && (kept->failed || renameat(kept->key, partial, kept->key, kept->name) != 0)) remove_tree(kept->key, partial);
  futimens(kept->key, NULL);
  if (flock(kept->key, LOCK_EX | LOCK_NB) == 0) merge_all(kept->key, kept->bytes, kept->room);
  close(kept->key);
}

/* ── age ── */

static void sweep_folder(int at, const char *name, time_t before, int depth);

static void sweep_entries(int folder, time_t before, int depth) {
  struct stat found;
  bool is_old = fstat(folder, &found) == 0 && found.st_mtim.tv_sec < before && flock(folder, LOCK_EX | LOCK_NB) == 0;
  DIR *listing = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing) return;
  for (struct dirent *entry; (entry = readdir(listing));) {
    const char *name = entry->d_name;
    if (*name == '+' || depth == 0 || (depth == 1 && strcmp(name, no_workspace) == 0)) {
      if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) sweep_folder(folder, name, before, depth + 1);
    } else if (is_old && (strncmp(name, "d-", 2) == 0 || strncmp(name, ".part-", 6) == 0 || strcmp(name, size_file) == 0)) {
      remove_tree(folder, name);
    }
  }
  closedir(listing);
}

static void sweep_folder(int at, const char *name, time_t before, int depth) {
  int folder = depth < DEEPEST ? open_folder(at, name) : -1;
  if (folder < 0) return;
  sweep_entries(folder, before, depth);
  close(folder);
  /* Only where nothing is left. */
  unlinkat(at, name, AT_REMOVEDIR);
}

/* Once a day: it goes through everything that is kept. */
void come_back_sweep(const char *folder, uint64_t days) {
  struct stat found;
  time_t now = time(NULL);
  int parent = folder ? open_own_folder(folder, false) : -1, kept = parent < 0 ? -1 : open_folder(parent, version);
  bool is_due = kept >= 0 && (fstatat(parent, swept_file, &found, AT_SYMLINK_NOFOLLOW) != 0 || found.st_mtim.tv_sec < now - A_DAY);
  if (is_due) {
    int marker = openat(parent, swept_file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (marker >= 0) futimens(marker, NULL);
    if (marker >= 0) close(marker);
    sweep_entries(kept, now - (time_t)days * A_DAY, 0);
  }
  if (kept >= 0) close(kept);
  if (parent >= 0) close(parent);
}
