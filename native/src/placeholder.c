#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Every sandbox of a user holds the lock shared while it runs. What one of them made stands in the lock file itself, so
 * that whichever ends last can remove it, also after others were killed. A record: kind dev inode size mtime path NUL.
 */

enum { LARGEST_LIST = 1 << 20, RECORD_FIELDS = 5 };

static uint64_t modified_ns(const struct stat *found) {
  return (uint64_t)found->st_mtim.tv_sec * 1000000000u + (uint64_t)found->st_mtim.tv_nsec;
}

/* The folder may lie where a reboot empties it. */
static void make_folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  if (slash && slash != path) mkdir(allot_text(path, (size_t)(slash - path)), 0700);
}

static int open_lock(const char *path) {
  struct stat found;
  const int flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  int fd = open(path, flags, 0600);
  if (fd < 0 && errno == ENOENT) {
    make_folder_of(path);
    fd = open(path, flags, 0600);
  }
  if (fd < 0) return -1;
  if (fstat(fd, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid() && flock(fd, LOCK_SH) == 0) return fd;
  close(fd);
  errno = EPERM;
  return -1;
}

static void record(int lock, const struct placeholder *made) {
  struct stat found;
  struct text line = {0};
  if (lstat(made->path, &found) != 0) refuse(made->path, ": ", error_text(errno), NULL);
  const uint64_t numbers[] = {found.st_dev, found.st_ino, (uint64_t)found.st_size, modified_ns(&found)};
  text_add(&line, made->kind == ENTRY_DIR ? "dir" : "file");
  for (size_t i = 0; i < 4; i++) {
    text_add(&line, " ");
    text_add_number(&line, numbers[i]);
  }
  text_add(&line, " ");
  text_add_bytes(&line, made->path, strlen(made->path) + 1);
  if (!write_whole(lock, line.data, line.length)) refuse("the list of placeholders: ", error_text(errno), NULL);
  text_free(&line);
}

/* False when something stands there already, which is as good. */
static bool make(const struct placeholder *wanted) {
  if (wanted->kind == ENTRY_DIR) {
    if (mkdir(wanted->path, 0700) == 0) return true;
  } else {
    int fd = open(wanted->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0) {
      if (!write_whole(fd, wanted->content.text, wanted->content.length))
        refuse(wanted->path, ": ", error_text(errno), NULL);
      close(fd);
      return true;
    }
  }
  if (errno == EEXIST) return false;
  refuse(wanted->path, ": cannot be covered, since it is not there and cannot be made: ", error_text(errno), NULL);
}

int placeholders_make(const struct plan *plan) {
  if (!plan->lock) return -1;
  int lock = open_lock(plan->lock);
  if (lock < 0 && plan->placeholder_count) refuse(plan->lock, ": ", error_text(errno), NULL);
  for (size_t i = 0; i < plan->placeholder_count; i++)
    if (make(&plan->placeholders[i])) record(lock, &plan->placeholders[i]);
  return lock;
}

static void remove_unchanged(char *line) {
  char *fields[RECORD_FIELDS + 1] = {line};
  uint64_t numbers[4];
  for (size_t i = 1; i <= RECORD_FIELDS; i++) {
    char *space = strchr(fields[i - 1], ' ');
    if (!space) return;
    *space = '\0';
    fields[i] = space + 1;
  }
  for (size_t i = 0; i < 4; i++)
    if (!parse_number(fields[i + 1], &numbers[i])) return;
  struct stat now;
  const char *path = fields[RECORD_FIELDS];
  if (lstat(path, &now) != 0 || now.st_dev != numbers[0] || now.st_ino != numbers[1]) return;
  if (S_ISDIR(now.st_mode)) rmdir(path);
  else if (S_ISREG(now.st_mode) && (uint64_t)now.st_size == numbers[2] && modified_ns(&now) == numbers[3]) unlink(path);
}

/* Backwards, so that a folder is empty again when its turn comes. */
static void remove_listed(char *list, size_t length) {
  while (length) {
    char *start = memrchr(list, '\0', length - 1);
    start = start ? start + 1 : list;
    length = (size_t)(start - list);
    remove_unchanged(start);
  }
}

void placeholders_release(int lock) {
  static char list[LARGEST_LIST];
  if (lock < 0) return;
  if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
    ssize_t got = pread(lock, list, sizeof list, 0);
    if (got > 0 && list[got - 1] == '\0') remove_listed(list, (size_t)got);
    if (got > 0 && ftruncate(lock, 0) != 0) say("warning: the list of placeholders could not be emptied", NULL);
  }
  close(lock);
}
