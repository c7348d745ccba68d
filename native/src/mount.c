#include "mount.h"

#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

int reason_pipe = -1;

void lack(const char *part, ...) {
  struct text reason = {0};
  va_list parts;
  va_start(parts, part);
  for (; part; part = va_arg(parts, const char *)) text_add(&reason, part);
  va_end(parts);
  write_whole(reason_pipe, reason.data, reason.length);
  _exit(EXIT_OWN_FAILURE);
}

/* A limit that is used up must never look like something this machine cannot do. */
static bool is_lacking(int error) { return error == EPERM || error == EACCES || error == ENOSYS || error == ENODEV; }

static void need(long result, const char *what) {
  if (result >= 0) return;
  int error = errno;
  if (is_lacking(error)) lack(what, ": ", error_text(error), NULL);
  refuse("the barrier could not be set up: ", what, ": ", error_text(error), NULL);
}

int tree_of(int folder, bool all) {
  unsigned flags = OPEN_TREE_CLONE_ | OPEN_TREE_CLOEXEC_ | AT_EMPTY_PATH | (all ? AT_RECURSIVE_ : 0);
  int tree = (int)syscall(SYS_open_tree_, folder, "", flags);
  if (tree < 0 && (errno == ENOSYS || errno == EPERM)) lack("open_tree: ", error_text(errno), NULL);
  return tree;
}

void tree_restrict(int tree, bool all, uint64_t attributes) {
  struct mount_attributes wanted = {.set = attributes};
  unsigned flags = AT_EMPTY_PATH | (all ? AT_RECURSIVE_ : 0);
  need(syscall(SYS_mount_setattr_, tree, "", flags, &wanted, sizeof wanted), "mount_setattr");
}

void tree_unlock(int tree) {
  struct mount_attributes wanted = {.clear = MOUNT_ATTR_RDONLY_};
  need(syscall(SYS_mount_setattr_, tree, "", AT_EMPTY_PATH, &wanted, sizeof wanted), "mount_setattr");
}

bool tree_place_if_there(int tree, int onto) {
  long placed = syscall(SYS_move_mount_, tree, "", onto, "", MOVE_MOUNT_BY_DESCRIPTORS);
  if (placed < 0 && errno != ENOENT) need(placed, "move_mount");
  close(tree);
  close(onto);
  return placed == 0;
}

void tree_place(int tree, int onto) {
  if (!tree_place_if_there(tree, onto)) refuse("the barrier could not be set up: move_mount: ", error_text(ENOENT), NULL);
}

static long configure(int context, unsigned command, const char *key, const char *value) {
  return syscall(SYS_fsconfig_, context, command, key, value, 0);
}

int memory_folder(unsigned mode, uint64_t bytes) {
  char text[32];
  int context = (int)syscall(SYS_fsopen_, "tmpfs", FSOPEN_CLOEXEC_);
  need(context, "fsopen tmpfs");
  snprintf(text, sizeof text, "%o", mode);
  need(configure(context, FSCONFIG_SET_STRING_, "mode", text), "tmpfs");
  if (bytes) {
    snprintf(text, sizeof text, "%llu", (unsigned long long)bytes);
    need(configure(context, FSCONFIG_SET_STRING_, "size", text), "tmpfs");
  }
  need(configure(context, FSCONFIG_CMD_CREATE_, NULL, NULL), "tmpfs");
  int tree = (int)syscall(SYS_fsmount_, context, FSMOUNT_CLOEXEC_, MOUNT_ATTR_NOSUID_ | MOUNT_ATTR_NODEV_);
  need(tree, "fsmount tmpfs");
  close(context);
  return tree;
}

/* Nobody's umask is in the way while the view is built, and two bits mkdir(2) leaves out. */
int made_folder(int at, const char *name, mode_t mode) {
  if (mkdirat(at, name, mode) != 0) return -1;
  int folder = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0 || !(mode & (S_ISUID | S_ISGID)) || fchmod(folder, mode) == 0) return folder;
  close(folder);
  return -1;
}

/* By way of /proc/self/fd a path needs no escaping and is never too long. */
static bool configure_folders(int context, const int *lower, size_t count, int upper, int work) {
  char lowers[256], one[32];
  size_t length = 0;
  for (size_t i = 0; i < count && length < sizeof lowers - 32; i++)
    length += (size_t)snprintf(lowers + length, sizeof lowers - length, "%s/proc/self/fd/%d", i ? ":" : "", lower[i]);
  if (configure(context, FSCONFIG_SET_STRING_, "lowerdir", lowers) != 0) return false;
  if (upper < 0) return true;
  snprintf(one, sizeof one, "/proc/self/fd/%d", upper);
  if (configure(context, FSCONFIG_SET_STRING_, "upperdir", one) != 0) return false;
  snprintf(one, sizeof one, "/proc/self/fd/%d", work);
  /* What is put aside need not survive a power cut half-written: without this every end of a launch would wait for the disk. */
  return configure(context, FSCONFIG_SET_STRING_, "workdir", one) == 0 &&
         configure(context, FSCONFIG_SET_FLAG_, "volatile", NULL) == 0;
}

int overlay(const int *lower, size_t count, int upper, int work, uint64_t attributes) {
  int context = (int)syscall(SYS_fsopen_, "overlay", FSOPEN_CLOEXEC_);
  if (context < 0) return -1;
  bool made = configure(context, FSCONFIG_SET_FLAG_, "userxattr", NULL) == 0 &&
              configure(context, FSCONFIG_SET_STRING_, "source", "cordon") == 0 &&
              configure_folders(context, lower, count, upper, work) &&
              configure(context, FSCONFIG_CMD_CREATE_, NULL, NULL) == 0;
  int tree = made ? (int)syscall(SYS_fsmount_, context, FSMOUNT_CLOEXEC_, attributes) : -1, error = errno;
  close(context);
  errno = error;
  return tree;
}

uint64_t attributes_of(int folder) {
  struct statvfs found;
  uint64_t attributes = MOUNT_ATTR_NOSUID_ | MOUNT_ATTR_NODEV_;
  if (fstatvfs(folder, &found) != 0 || (found.f_flag & ST_NOEXEC)) attributes |= MOUNT_ATTR_NOEXEC_;
  return attributes;
}

int open_without_links(int folder, const char *path, int flags) {
  struct open_how_ how = {.flags = (uint64_t)(flags | O_CLOEXEC), .resolve = RESOLVE_NO_SYMLINKS_ | RESOLVE_NO_MAGICLINKS_};
  return (int)syscall(SYS_openat2_, folder, path, &how, sizeof how);
}

static struct file_facts facts_of(int opened) {
  struct file_facts facts = {0};
  if (syscall(SYS_statx, opened, "", AT_EMPTY_PATH, STATX_MNT_ID_, &facts) != 0) return (struct file_facts){0};
  return facts;
}

uint64_t mount_number(int opened) {
  struct file_facts facts = facts_of(opened);
  return facts.known & STATX_MNT_ID_ ? facts.mount : 0;
}

bool is_mount_root(int opened) { return facts_of(opened).attributes & STATX_ATTR_MOUNT_ROOT_; }

char *path_of(int fd) {
  char link[32], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path);
  if (length <= 0 || (size_t)length >= sizeof path || path[0] != '/') return NULL;
  return allot_text(path, (size_t)length);
}
