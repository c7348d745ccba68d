#include "listing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Nearly all names that are asked for are absent in any one home: a folder is read once, and then asking costs nothing. */

static struct listing *listings;

static int by_name(const void *one, const void *other) {
  return strcmp(((const struct listed *)one)->name, ((const struct listed *)other)->name);
}

/* Read into one place, since the libraries' way sets up a heap for each folder. */
enum { ENOUGH_FOR_THREE = 1024 };
static _Alignas(8) char entries[16 << 10];

static long read_entries(int folder, size_t most) { return syscall(SYS_getdents64, folder, entries, most); }

static bool is_own_or_above(const char *name) { return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2])); }

/* One that cannot be read may hold anything. */
bool is_empty_folder(int folder) {
  struct stat found;
  /* Each folder in it is a link to it, on most file systems. */
  if (fstat(folder, &found) == 0 && found.st_nlink > 2) return false;
  int opened = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  long got = opened < 0 ? -1 : read_entries(opened, ENOUGH_FOR_THREE);
  bool empty = got >= 0;
  for (long at = 0; at < got && empty;) {
    const struct dirent64 *entry = (const struct dirent64 *)(const void *)(entries + at);
    at += entry->d_reclen;
    empty = is_own_or_above(entry->d_name);
  }
  if (opened >= 0) close(opened);
  return empty;
}

static struct listing *read_listing(const char *folder) {
  struct listing *listing = allot(1, sizeof *listing);
  *listing = (struct listing){.next = listings, .folder = allot_text(folder, strlen(folder))};
  listings = listing;
  int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  listing->is_absent = opened < 0 && (errno == ENOENT || errno == ENOTDIR);
  if (opened < 0) return listing;
  long got;
  while ((got = read_entries(opened, sizeof entries)) > 0)
    for (long at = 0; at < got;) {
      const struct dirent64 *entry = (const struct dirent64 *)(const void *)(entries + at);
      at += entry->d_reclen;
      if (is_own_or_above(entry->d_name)) continue;
      listing->entries = allot_more(listing->entries, listing->count, &listing->capacity, sizeof *listing->entries);
      listing->entries[listing->count++] = (struct listed){allot_text(entry->d_name, strlen(entry->d_name)), entry->d_type};
    }
  listing->is_read = got == 0;
  close(opened);
  if (listing->count) qsort(listing->entries, listing->count, sizeof *listing->entries, by_name);
  return listing;
}

const struct listing *listing_of(const char *folder) {
  for (struct listing *known = listings; known; known = known->next)
    if (strcmp(known->folder, folder) == 0) return known;
  return read_listing(folder);
}

bool is_listed(const struct listing *listing, const char *name, size_t length) {
  size_t low = 0, high = listing->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const char *known = listing->entries[middle].name;
    int order = strncmp(known, name, length);
    if (order == 0 && known[length]) order = 1;
    if (order == 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

/* Most of the names lie in these, the inner ones first. */
static const char *const crowded[] = {".local/share", ".local/state", ".config", ".cache", ".local", ""};
enum { CROWDED = sizeof crowded / sizeof *crowded };
static const struct listing *crowded_listings[MAX_HOMES][CROWDED];

static bool is_absent_in(const struct listing *listing, const char *name) {
  return listing->is_absent || (listing->is_read && !is_listed(listing, name, strcspn(name, "/")));
}

static bool is_absent_below(size_t home_index, const char *home, const char *rest) {
  for (size_t i = 0; i < CROWDED; i++) {
    const char *name = *crowded[i] ? below(crowded[i], rest) : rest;
    if (!name || !*name) continue;
    const struct listing **listing = &crowded_listings[home_index][i];
    if (!*listing) *listing = listing_of(joined(home, crowded[i]));
    return is_absent_in(*listing, name);
  }
  return false;
}

bool is_known_absent(const struct view *view, const char *path) {
  for (size_t i = 0; i < view->home_count; i++) {
    const char *rest = below(view->homes[i], path);
    if (!rest) rest = below(view->home_names[i], path);
    if (rest && *rest) return is_absent_below(i, view->homes[i], rest);
  }
  const char *setting = below("/etc", path);
  return setting && *setting && is_absent_in(listing_of("/etc"), setting);
}
