#include "mounts.h"

#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct mount {
  const char *number, *above, *device, *root, *point;
  bool shows_processes;
};

static struct {
  struct mount *items;
  size_t count, capacity;
  bool is_read, has_doubles;
} mounts;

/* ── the list ── */

static bool is_octal(char digit) { return digit >= '0' && digit <= '7'; }

/* One field of a line; white space and backslashes in it are written as \\ooo. */
static char *next_field(char **line) {
  size_t length = strcspn(*line, " \n"), used = 0;
  char *field = allot_text(*line, length);
  for (const char *at = field; *at; at++) {
    bool escaped = at[0] == '\\' && is_octal(at[1]) && is_octal(at[2]) && is_octal(at[3]);
    field[used++] = escaped ? (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0')) : *at;
    at += escaped ? 3 : 0;
  }
  field[used] = '\0';
  *line += length + ((*line)[length] == ' ');
  return field;
}

static bool overlap(const struct mount *one, const struct mount *other) {
  return strcmp(one->device, other->device) == 0 && (below(one->root, other->root) || below(other->root, one->root));
}

static void read_line(char *line) {
  mounts.items = allot_more(mounts.items, mounts.count, &mounts.capacity, sizeof *mounts.items);
  struct mount *mount = &mounts.items[mounts.count++];
  mount->shows_processes = strstr(line, " - proc ") != NULL;
  mount->number = next_field(&line);
  mount->above = next_field(&line);
  mount->device = next_field(&line);
  mount->root = next_field(&line);
  mount->point = next_field(&line);
  for (size_t i = 0; i + 1 < mounts.count && !mounts.has_doubles; i++) mounts.has_doubles = overlap(&mounts.items[i], mount);
}

static void read_mounts(void) {
  char *line = NULL;
  size_t room = 0;
  if (mounts.is_read) return;
  mounts.is_read = true;
  FILE *file = fopen("/proc/self/mountinfo", "re");
  while (file && getline(&line, &room, file) > 0) read_line(line);
  if (file) fclose(file);
  free(line);
}

/* ── what is asked of it ── */

bool has_mounts_below(const char *path) {
  read_mounts();
  for (size_t i = 0; i < mounts.count; i++) {
    const char *rest = below(path, mounts.items[i].point);
    if (rest && *rest) return true;
  }
  return false;
}

void each_view_of_processes(void (*take)(void *context, char *path), void *context) {
  read_mounts();
  for (size_t i = 0; i < mounts.count; i++)
    if (mounts.items[i].shows_processes) take(context, (char *)mounts.items[i].point);
}

/* Of those that lie on this one, the first that a path comes to; of all of them, where there is none yet: the lowest. */
static const struct mount *next_on_the_way(const struct mount *from, const char *path) {
  const struct mount *next = NULL;
  for (size_t i = 0; i < mounts.count; i++) {
    const struct mount *mount = &mounts.items[i];
    if (mount == from || (from && strcmp(mount->above, from->number) != 0) || !below(mount->point, path)) continue;
    if (!next || strlen(mount->point) < strlen(next->point)) next = mount;
  }
  return next;
}

/* From the root down, as the kernel goes: what a later one covers is not seen. */
static const struct mount *mount_around(const char *path) {
  const struct mount *around = NULL;
  for (const struct mount *next; (next = next_on_the_way(around, path));) around = next;
  return around;
}

static char *name_in(const char *folder, const char *rest) { return *rest ? joined(folder, rest) : allot_text(folder, strlen(folder)); }

/* Another mount may lie over it there. What is absent is taken by its name alone. */
static bool is_another(const char *path, bool is_absent, const char *name, const struct mount *mount) {
  struct stat one, other;
  if (strcmp(path, name) == 0 || mount_around(name) != mount) return false;
  if (is_absent || lstat(path, &one) != 0) return true;
  return lstat(name, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

void each_other_name(const char *path, enum other_names which, void (*take)(void *context, char *path), void *context) {
  read_mounts();
  const struct mount *own = mounts.has_doubles ? mount_around(path) : NULL;
  if (!own) return;
  const char *inner = name_in(own->root, below(own->point, path));
  for (size_t i = 0; i < mounts.count; i++) {
    const struct mount *mount = &mounts.items[i];
    if (mount == own || strcmp(mount->device, own->device) != 0) continue;
    const char *rest = below(mount->root, inner);
    char *name = rest ? name_in(mount->point, rest) : NULL;
    if (name && is_another(path, which == NAMES_OF_ABSENT, name, mount)) take(context, name);
    if (!rest && which == NAMES_AND_PARTS && below(inner, mount->root) && !below(path, mount->point)) take(context, (char *)mount->point);
  }
}
