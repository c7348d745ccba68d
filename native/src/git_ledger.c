#include "git.h"

#include "aside.h"
#include "mount.h"
#include "sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* As many launches in one workspace at once are remembered. */
enum { PLACES = 8, LARGEST_LEDGER = 64 << 20 };

/* Locked while its launch lives: one that has no lock and is not empty is of a launch that was killed before it put anything back. */
static int ledgers[PLACES], count, own = -1;
/* Of launches that live, as they were when this one began. */
static int others[PLACES], others_count;

static void open_ledger(int folder, const char *name) {
  int fd = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) ledgers[count++] = fd;
  else others[others_count++] = fd;
}

void git_ledger_open(const char *parent, const char *workspace, const char *target) {
  struct sha256 hash;
  char hex[SHA256_HEX + 1], name[SHA256_HEX + 16];
  struct stat found;
  int real = open_own_folder(parent, true);
  /* By a mount of its own: the machine's, where a file is open to be written, could not be made read-only. */
  int folder = real < 0 ? -1 : tree_of(real, false);
  if (real >= 0) close(real);
  if (folder < 0) return;
  sha256_begin(&hash);
  /* Which form they have. */
  sha256_add_text(&hash, "1");
  sha256_add_text(&hash, workspace);
  sha256_add_text(&hash, target);
  sha256_end(&hash, hex);
  for (int i = 0; i < PLACES; i++) {
    snprintf(name, sizeof name, "%s-%d", hex, i);
    /* Behind a free one only what others left is of interest. */
    if (count && fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) break;
    open_ledger(folder, name);
  }
  close(folder);
}

static void raise_all(int *descriptors, int number, int above) {
  for (int i = 0; i < number; i++) descriptors[i] = move_above(descriptors[i], above);
}

static int keep_at(int *descriptors, int number, int first) {
  for (int i = 0; i < number; i++) descriptors[i] = keep_open_at(descriptors[i], first + i, "what was noted of git's settings");
  return first + number;
}

/* All of them out of the way first: one may have the number that another is to get. */
int git_ledger_keep(int first) {
  raise_all(ledgers, count, first + 2 * PLACES);
  raise_all(others, others_count, first + 2 * PLACES);
  return keep_at(others, others_count, keep_at(ledgers, count, first));
}

static struct slice text_of(int fd) {
  struct slice text = {0};
  struct stat found;
  if (fstat(fd, &found) != 0 || found.st_size <= 0 || found.st_size > LARGEST_LEDGER) return text;
  text.text = allot((size_t)found.st_size, 1);
  ssize_t got = pread(fd, text.text, (size_t)found.st_size, 0);
  text.length = got > 0 ? (size_t)got : 0;
  return text;
}

static bool is_earlier(const struct timespec *one, const struct timespec *other) {
  return one->tv_sec != other->tv_sec ? one->tv_sec < other->tv_sec : one->tv_nsec < other->tv_nsec;
}

/* What the first of those noted that lived when this one began, and lives. It has ended by itself where it is empty by now. */
struct slice git_ledger_of_first(void) {
  struct timespec first = {0};
  struct slice text = {0};
  for (int i = 0; i < others_count; i++) {
    struct stat found;
    struct slice its = text_of(others[i]);
    if (its.length && fstat(others[i], &found) == 0 && (!text.length || is_earlier(&found.st_mtim, &first))) {
      text = its;
      first = found.st_mtim;
    }
    close(others[i]);
  }
  others_count = 0;
  return text;
}

/* One that was left behind; its text is empty where there is none. Asked again, the next. */
struct slice git_ledger_next(void) {
  struct slice text = {0};
  for (; count; count--) {
    int fd = ledgers[count - 1];
    text = text_of(fd);
    own = count == 1 ? fd : own;
    if (text.length) return text;
    if (count > 1) close(fd);
  }
  return text;
}

/* That one is settled. */
void git_ledger_done(void) {
  if (!count) return;
  if (ftruncate(ledgers[count - 1], 0) != 0) say("warning: git's settings could not be noted: ", error_text(errno), NULL);
  if (--count) close(ledgers[count]);
}

void git_ledger_write(const char *bytes, size_t length) {
  if (own < 0 || lseek(own, 0, SEEK_SET) != 0) return;
  if (!write_whole(own, bytes, length) && ftruncate(own, 0) != 0) own = -1;
}

void git_ledger_clear(void) {
  if (own >= 0 && ftruncate(own, 0) == 0) own = -1;
}
