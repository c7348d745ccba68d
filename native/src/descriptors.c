#include "base.h"
#include "kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* With a hole among 0–2 the plan or a socket of ours would land there and be handed to the command. */
void require_standard_descriptors(void) {
  if (fcntl(STDIN_FILENO, F_GETFD) < 0) refuse("standard input is closed; give it one, for example </dev/null", NULL);
  if (fcntl(STDOUT_FILENO, F_GETFD) < 0) refuse("standard output is closed; give it one, for example >/dev/null", NULL);
  if (fcntl(STDERR_FILENO, F_GETFD) < 0 && open("/dev/null", O_RDWR) != STDERR_FILENO) _exit(EXIT_OWN_FAILURE);
}

void require_room_for_descriptors(void) {
  enum { LEAST = 80 };
  struct rlimit room;
  if (getrlimit(RLIMIT_NOFILE, &room) != 0 || room.rlim_cur >= LEAST) return;
  refuse("only ", decimal((uint64_t)room.rlim_cur), " files may be open here, too few to set up a sandbox; raise it with: ulimit -n 1024", NULL);
}

int move_above(int fd, int number) {
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, number);
  if (moved < 0) refuse("too few files may be open here to set up a sandbox; raise it with: ulimit -n 1024", NULL);
  close(fd);
  return moved;
}

int keep_open_at(int fd, int number, const char *what) {
  if (dup3(fd, number, O_CLOEXEC) < 0) refuse(what, " could not be kept open: ", error_text(errno), NULL);
  return number;
}

static void close_listed(unsigned first) {
  DIR *listing = opendir("/proc/self/fd");
  if (!listing) refuse("cannot list open descriptors, so none can be handed on safely: ", error_text(errno), NULL);
  for (struct dirent *entry; (entry = readdir(listing));) {
    char *end;
    unsigned long fd = strtoul(entry->d_name, &end, 10);
    if (*end || end == entry->d_name || fd < first || (int)fd == dirfd(listing)) continue;
    close((int)fd);
  }
  closedir(listing);
}

void close_descriptors_from(unsigned first) {
  if (syscall(SYS_close_range, first, ~0u, 0) != 0) close_listed(first);
}

bool write_whole(int fd, const char *bytes, size_t length) {
  while (length) {
    ssize_t written = write(fd, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    length -= (size_t)written;
  }
  return true;
}

/* They are the command's alone once it runs: whoever waits for their end must not have to wait for its supervisor. */
void let_go_of_input_and_output(void) {
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  close(nothing);
}
