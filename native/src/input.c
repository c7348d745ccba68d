#include "input.h"

#include "kernel.h"
#include "mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/*
 * What is open belongs to the machine's own tree of mounts. Through /proc/self/fd the command could open it once more, for writing, however
 * it was given; and chmod works on whatever is open. So a file that was opened to be read is opened anew, through a mount that can only be read.
 */

enum { STANDARD = STDERR_FILENO + 1, ABOVE_ALL = 64 };

static struct {
  int given, own;
} inputs[STANDARD];
static size_t count;

static const char *const names[STANDARD] = {"standard input", "standard output", "standard error"};

/*
 * One without a name is nobody's any more, and in a sandbox in another one it comes through such a mount already. A named pipe is left as it
 * is: it can be written through any mount.
 */
static bool is_given_to_read(int fd, struct stat *found) {
  struct statvfs around;
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fstat(fd, found) != 0 || !found->st_nlink) return false;
  if (fstatvfs(fd, &around) == 0 && (around.f_flag & ST_RDONLY) && S_ISREG(found->st_mode)) return false;
  return (flags & O_ACCMODE) == O_RDONLY && (S_ISREG(found->st_mode) || S_ISBLK(found->st_mode));
}

/* By its name, since a mount of another tree cannot be copied; -1 where another stands there, or nothing. */
static int tree_of_file(int fd, const struct stat *given) {
  struct stat found;
  const char *path = path_of(fd);
  int named = path ? openat(AT_FDCWD, path, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
  bool is_same = named >= 0 && fstat(named, &found) == 0 && found.st_dev == given->st_dev && found.st_ino == given->st_ino;
  int tree = is_same ? tree_of(named, false) : -1;
  if (named >= 0) close(named);
  return tree;
}

/* Nobody who runs as this user could write it, or change what it is. */
static bool is_out_of_hand(int fd, const struct stat *found) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return found->st_uid != geteuid() && geteuid() != 0 && faccessat(AT_FDCWD, path, W_OK, 0) != 0;
}

static int opened_through(int tree, int flags, bool is_device) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", tree);
  tree_restrict(tree, false, MOUNT_ATTR_RDONLY_);
  int own = openat(AT_FDCWD, path, O_RDONLY | O_NOCTTY | O_CLOEXEC | (flags & (O_NONBLOCK | O_PATH)));
  /* A device is written through any mount, unless it has none. */
  if (own >= 0 && is_device) tree_restrict(tree, false, MOUNT_ATTR_RDONLY_ | MOUNT_ATTR_NODEV_);
  return own;
}

static void take_one(int fd) {
  struct stat found;
  if (!is_given_to_read(fd, &found)) return;
  int tree = tree_of_file(fd, &found), own = tree < 0 ? -1 : opened_through(tree, fcntl(fd, F_GETFL), S_ISBLK(found.st_mode));
  if (tree >= 0) close(tree);
  if (own < 0 && is_out_of_hand(fd, &found)) return;
  if (own < 0) refuse(names[fd], " is a file that is not found under its name any more, and could be written past the barrier; give it through a pipe: cat FILE | cordon …", NULL);
  lseek(own, lseek(fd, 0, SEEK_CUR), SEEK_SET);
  int given = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE_ALL), kept = fcntl(own, F_DUPFD_CLOEXEC, ABOVE_ALL);
  if (given < 0 || kept < 0 || dup2(own, fd) < 0) refuse(names[fd], ": ", error_text(errno), NULL);
  close(own);
  inputs[count].given = given;
  inputs[count++].own = kept;
}

void input_take(void) {
  for (int fd = 0; fd < STANDARD; fd++) take_one(fd);
}

int input_keep_open(int first) {
  for (size_t i = 0; i < count; i++) {
    inputs[i].given = keep_open_at(inputs[i].given, first++, "what was given to be read");
    inputs[i].own = keep_open_at(inputs[i].own, first++, "what was given to be read");
  }
  return first;
}

void input_hand_back(void) {
  for (size_t i = 0; i < count; i++) {
    off_t at = lseek(inputs[i].own, 0, SEEK_CUR);
    if (at >= 0) lseek(inputs[i].given, at, SEEK_SET);
  }
}
