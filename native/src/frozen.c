#include "frozen.h"

#include "git.h"
#include "kernel.h"
#include "mount.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum purpose { OF_GIT, AS_IT_IS, COVERED };

static struct {
  struct frozen {
    char *path;
    unsigned long mount;
    /* What is mounted there: the number of a mount that is gone is given to another. */
    dev_t device;
    ino_t inode;
    enum purpose purpose;
    bool is_folder;
  } * items;
  size_t count;
  /* Somebody reads what is said at the end. */
  bool on_terminal;
} all;

static unsigned long mount_of_open(int fd) {
  char path[64], text[256] = "";
  unsigned long number = (unsigned long)mount_number(fd);
  if (number) return number;
  snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
  int info = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (info < 0) return 0;
  if (read(info, text, sizeof text - 1) < 0) text[0] = '\0';
  close(info);
  const char *line = strstr(text, "mnt_id:");
  return line ? strtoul(line + strlen("mnt_id:"), NULL, 10) : 0;
}

unsigned long mount_of(const char *path) {
  int fd = open_without_links(AT_FDCWD, path, O_PATH);
  unsigned long mount = fd < 0 ? 0 : mount_of_open(fd);
  if (fd >= 0) close(fd);
  return mount;
}

/* ── the way there ── */

/* Folders that the command closed are opened up. */
static int enter(int folder, const char *name) {
  int found = openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (found >= 0 || errno != EACCES) return found;
  git_open_up(folder);
  return openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* The folder that is to hold the last name of a path, or the one where the way ends; `rest` is what is left of the path there. */
static int go_towards(const char *path, const char **rest) {
  int folder = openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (*rest = path + 1; folder >= 0 && strchr(*rest, '/');) {
    int next = enter(folder, allot_text(*rest, strcspn(*rest, "/")));
    if (next < 0) return folder;
    close(folder);
    folder = next;
    *rest = strchr(*rest, '/') + 1;
  }
  if (folder >= 0 && faccessat(folder, ".", X_OK, 0) != 0) git_open_up(folder);
  return folder;
}

static int open_above(const char *path, const char **name) {
  int folder = go_towards(path, name);
  if (folder < 0 || !strchr(*name, '/')) return folder;
  close(folder);
  return -1;
}

static char *above(const char *path, const char *rest) { return allot_text(path, rest - path > 1 ? (size_t)(rest - path - 1) : 1); }

/* ── before ── */

static bool is_noted(const char *path) {
  for (size_t i = 0; i < all.count; i++)
    if (strcmp(all.items[i].path, path) == 0) return true;
  return false;
}

/* 0 for what is no mount point itself, and so holds nothing in place. */
static unsigned long mount_point_at(const char *path) {
  int fd = open_without_links(AT_FDCWD, path, O_PATH);
  unsigned long mount = fd >= 0 && is_mount_root(fd) ? mount_of_open(fd) : 0;
  if (fd >= 0) close(fd);
  return mount;
}

static void note(const char *path, enum purpose purpose) {
  struct stat found;
  unsigned long mount = is_noted(path) ? 0 : mount_point_at(path);
  if (!mount || lstat(path, &found) != 0) return;
  struct frozen *items = realloc(all.items, (all.count + 1) * sizeof *items);
  if (!items) refuse("out of memory", NULL);
  all.items = items;
  items[all.count++] = (struct frozen){text_keep(path), mount, found.st_dev, found.st_ino, purpose, S_ISDIR(found.st_mode)};
  const char *name;
  int folder = purpose == OF_GIT && S_ISREG(found.st_mode) ? open_above(path, &name) : -1;
  if (folder < 0) return;
  git_note_file(folder, above(path, name), name);
  close(folder);
}

/* What holds another comes first. */
void frozen_note(const struct view *view) {
  all.on_terminal = view->plan->on_terminal || isatty(STDERR_FILENO) == 1;
  for (size_t i = 0; i < view->frozen.count; i++) note(view->frozen.items[i], OF_GIT);
  for (size_t i = 0; i < view->kept_as_is.count; i++) note(view->kept_as_is.items[i], AS_IT_IS);
  for (size_t i = 0; i < view->covered.count; i++) note(view->covered.items[i], COVERED);
}

/* ── after ── */

/* Whatever is there, or is no folder on the way there. */
static void put_replaced_aside(const char *path) {
  const char *rest;
  int folder = go_towards(path, &rest);
  if (folder < 0) return;
  char *name = allot_text(rest, strcspn(rest, "/"));
  if (faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) git_put_aside(folder, above(path, rest), name, "stood in place of what was not to be moved");
  close(folder);
}

/* A file that somebody outside saved is another one too: of git's settings only what starts programs is taken out. */
static void clear(const struct frozen *one) {
  const char *name;
  if (one->is_folder && one->purpose != COVERED) {
    put_replaced_aside(one->path);
    return;
  }
  int folder = one->purpose == OF_GIT ? open_above(one->path, &name) : -1;
  if (folder >= 0) git_settle_file(folder, above(one->path, name), name);
  else if (one->purpose == OF_GIT) put_replaced_aside(one->path);
  if (folder >= 0) close(folder);
}

static void unescape(char *text) {
  char *out = text;
  for (; *text; text++) {
    unsigned code;
    if (text[0] == '\\' && sscanf(text + 1, "%3o", &code) == 1) {
      *out++ = (char)code;
      text += 3;
    } else {
      *out++ = *text;
    }
  }
  *out = '\0';
}

/* Where each mount is, as the kernel tells it: it goes with what it lies over. Read once, since a reading goes through all of them. */
static struct {
  struct mounted {
    unsigned long mount;
    char *place;
  } * items;
  size_t count, capacity;
} mounts;

static void read_mounts(void) {
  FILE *told = fopen("/proc/self/mountinfo", "re");
  char *line = NULL;
  size_t room = 0;
  mounts.count = 0;
  while (told && getline(&line, &room, told) > 0) {
    char *rest = line;
    unsigned long mount = strtoul(strsep(&rest, " "), NULL, 10);
    for (int i = 0; i < 3 && rest; i++) strsep(&rest, " ");
    char *place = rest ? strsep(&rest, " ") : NULL;
    if (!place) continue;
    unescape(place);
    mounts.items = allot_more(mounts.items, mounts.count, &mounts.capacity, sizeof *mounts.items);
    mounts.items[mounts.count++] = (struct mounted){mount, allot_text(place, strlen(place))};
  }
  if (told) fclose(told);
  free(line);
}

/* NULL: it went with what was removed. */
static char *place_of(unsigned long mount) {
  for (size_t i = 0; i < mounts.count; i++)
    if (mounts.items[i].mount == mount) return mounts.items[i].place;
  return NULL;
}

enum { NO_REPLACING = 1 };

/* With no mounts around it but an empty one, as it was moved away. */
static _Noreturn void move_from_elsewhere(int from, const char *old, int to, const char *new) {
  bool gone = unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
              mount("none", "/proc", "tmpfs", 0, NULL) == 0 && chdir("/proc") == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
              umount2(".", MNT_DETACH) == 0;
  _exit(gone && syscall(SYS_renameat2, from, old, to, new, NO_REPLACING) == 0 ? 0 : 1);
}

bool move_mount_point(int from, const char *old, int to, const char *new) {
  int status = 1;
  pid_t pid = fork();
  if (pid == 0) move_from_elsewhere(from, old, to, new);
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return pid > 0 && status == 0;
}

static bool move_back(const char *from, const char *to) {
  const char *old, *new;
  int here = open_above(from, &old), there = open_above(to, &new);
  bool moved = here >= 0 && there >= 0 && move_mount_point(here, old, there, new);
  if (here >= 0) close(here);
  if (there >= 0) close(there);
  return moved;
}

/* Where it is, itself and not another that has its number; NULL where it is gone. */
static const char *found_at(const struct frozen *one) {
  struct stat found;
  const char *now = place_of(one->mount);
  if (!now || strcmp(now, one->path) == 0) return now;
  int fd = is_noted(now) ? -1 : open_without_links(AT_FDCWD, now, O_PATH);
  bool is_it = fd >= 0 && fstat(fd, &found) == 0 && found.st_dev == one->device && found.st_ino == one->inode;
  if (fd >= 0) close(fd);
  return is_it ? now : NULL;
}

/* What is gone was removed, which from inside only an empty folder can be: of git's alone something else may stand there to be run. */
static void settle(const struct frozen *one) {
  const char *now = found_at(one);
  if (now && strcmp(now, one->path) == 0) return;
  if (now || one->purpose == OF_GIT) clear(one);
  if (now && move_back(now, one->path)) git_tell(one->path, " was moved by the command, and moved back", NULL);
  else if (now)
    git_tell("warning: ", one->path, " is ", now, " now, where the next command can ", one->purpose == COVERED ? "read" : "change", " it", NULL);
  /* Cordon itself, at work outside, replaces its policies in the same way: a hint for a person, and nothing that a script is to trip over. */
  else if (one->purpose == AS_IT_IS && !one->is_folder && all.on_terminal)
    git_tell("warning: ", one->path, " could only be read by the command, and was replaced while it ran: look at it first", NULL);
  read_mounts();
}

/* The list of mounts takes longer to read than all of them to be looked at, and nearly always each is where it was. */
static bool are_in_place(void) {
  for (size_t i = 0; i < all.count; i++)
    if (mount_point_at(all.items[i].path) != all.items[i].mount) return false;
  return true;
}

void frozen_settle(void) {
  if (are_in_place()) return;
  read_mounts();
  for (size_t i = 0; i < all.count; i++) settle(&all.items[i]);
}
