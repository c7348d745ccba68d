#include "incoming.h"
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;

int connect_to_planner(const char *path, const char *word) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length >= sizeof address.sun_path) refuse(path, ": too long for a socket's name", NULL);
  memcpy(address.sun_path, path, length + 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
    refuse("the process outside cannot be reached: ", error_text(errno), NULL);
  if (word && !write_whole(fd, word, strlen(word) + 1)) refuse("the process outside is gone", NULL);
  return fd;
}

/* What a container was started with is its image's and its engine's; an entry without a name ends it. */
static void say_environment(int fd) {
  for (char **entry = environ; *entry; entry++)
    if (**entry && !write_whole(fd, *entry, strlen(*entry) + 1)) refuse("the process outside is gone", NULL);
  if (!write_whole(fd, "", 1)) refuse("the process outside is gone", NULL);
}

void load_asked(struct launch *launch, int fd) {
  struct stat found;
  struct incoming plan = {0};
  if (fd <= STDERR_FILENO || fstat(fd, &found) != 0 || !S_ISSOCK(found.st_mode))
    refuse("there is no socket to get the plan from", NULL);
  say_environment(fd);
  /* The socket stays open: the plan ends with its last line. */
  while (!incoming_is_whole(&plan))
    if (incoming_take(&plan, fd) == INCOMING_END) _exit(EXIT_OWN_FAILURE); /* Whoever refused has said why. */
  status_keep(fd, true);
  load_text(launch, plan.text);
}

/* ── a copy for one start ── */

enum { COPY_FD = STDERR_FILENO + 1 };

#ifndef F_ADD_SEALS
#define F_ADD_SEALS 1033
#endif
enum { ALL_SEALS = 0x1 | 0x2 | 0x4 | 0x8 };

/* Through a descriptor of a file root in a container could write to the file itself, and so to what the next command starts with. */
static int sealed_copy(void) {
  enum { SEALABLE = 2, EXECUTABLE = 0x10 };
  int copy = (int)syscall(SYS_memfd_create, "cordon-launch", SEALABLE | EXECUTABLE);
  if (copy < 0) copy = (int)syscall(SYS_memfd_create, "cordon-launch", SEALABLE);
  int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat found;
  if (copy < 0 || self < 0 || fstat(self, &found) != 0) refuse("cannot make a copy of the launcher: ", error_text(errno), NULL);
  for (off_t left = found.st_size; left > 0;) {
    ssize_t sent = sendfile(copy, self, NULL, (size_t)left);
    if (sent <= 0) refuse("cannot make a copy of the launcher: ", error_text(errno), NULL);
    left -= sent;
  }
  if (fchmod(copy, 0555) != 0 || fcntl(copy, F_ADD_SEALS, ALL_SEALS) != 0)
    refuse("cannot seal the copy of the launcher: ", error_text(errno), NULL);
  close(self);
  return copy;
}

_Noreturn void become_with_copy(char **argv) {
  int copy = sealed_copy();
  if (copy != COPY_FD && (dup2(copy, COPY_FD) < 0 || close(copy) != 0)) refuse("cannot hand over the launcher: ", error_text(errno), NULL);
  execute(argv[0], argv, environ);
}
