#include "keeper.h"

#include "mount.h"
#include "protocol.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ── inside ── */

static int watch = -1;

static struct {
  /* Of each cover its four parts, each ending in NUL. */
  struct text list;
  bool has_file;
  int error;
} noted;

/* Where nobody but root could put something else in its place nothing is watched: root could do worse. */
static bool is_ours;

static void ask_whose(const char *folder) {
  struct stat found;
  is_ours = is_ours || (stat(folder, &found) == 0 && (found.st_uid == geteuid() || found.st_mode & (S_IWGRP | S_IWOTH)));
}

/* A link is nothing to be watched: where it leads has a name of its own. */
static void watch_folder(const char *folder) {
  if (watch < 0 && !noted.error) watch = inotify_init1(IN_CLOEXEC);
  if (watch < 0 || inotify_add_watch(watch, folder, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW) < 0)
    noted.error = errno == ENOENT || errno == ENOTDIR ? noted.error : errno;
}

static void note_part(const char *part) { text_add_bytes(&noted.list, part, strlen(part) + 1); }

void keeper_note(const struct cover *cover) {
  struct stat found;
  is_ours = false;
  on_the_way(cover, ask_whose);
  if (!is_ours || lstat(cover->path, &found) != 0) return;
  on_the_way(cover, watch_folder);
  noted.has_file = noted.has_file || !S_ISDIR(found.st_mode);
  note_part(cover->from);
  note_part(cover->path);
  note_part(cover->source);
  note_part(cover->hold ? "hold" : "");
}

static int list_in_memory(void) {
  int list = memfd_create("covers", MFD_CLOEXEC);
  return list >= 0 && write_whole(list, noted.list.data, noted.list.length) ? list : -1;
}

void keeper_send(const struct view *view, int control) {
  /* A folder can only be taken away as a whole, with what is in it. */
  if (!noted.has_file) return;
  if (noted.error) {
    say("warning: what is hidden in the workspace is shown once somebody outside replaces it, since that cannot be watched (inotify: ", error_text(noted.error), ")", NULL);
    return;
  }
  int sent[KEEPER_DESCRIPTORS] = {[KEEPER_LIST] = list_in_memory(),
                                  [KEEPER_WATCH] = watch,
                                  [KEEPER_STAGING] = view->staging,
                                  [KEEPER_USERS] = openat(AT_FDCWD, "/proc/self/ns/user", O_RDONLY | O_CLOEXEC),
                                  [KEEPER_MOUNTS] = openat(AT_FDCWD, "/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC)};
  for (size_t i = 0; i < KEEPER_DESCRIPTORS; i++)
    if (sent[i] < 0) refuse("the barrier could not be set up: ", error_text(errno), NULL);
  _Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof sent)] = {0};
  struct report report = {.kind = REPORT_COVERS};
  struct iovec part = {&report, sizeof report};
  struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr *head = CMSG_FIRSTHDR(&packet);
  *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof sent), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  memcpy(CMSG_DATA(head), sent, sizeof sent);
  if (sendmsg(control, &packet, MSG_NOSIGNAL) != (ssize_t)sizeof report) _exit(EXIT_OWN_FAILURE);
}

/* ── outside ── */

bool keeper_take(struct keeper *keeper, struct msghdr *packet) {
  struct cmsghdr *head = CMSG_FIRSTHDR(packet);
  if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) return false;
  if (keeper->wanted || head->cmsg_len != CMSG_LEN(sizeof keeper->descriptors)) return false;
  memcpy(keeper->descriptors, CMSG_DATA(head), sizeof keeper->descriptors);
  keeper->wanted = true;
  return true;
}

/* ── the process itself ── */

struct list {
  const char *bytes;
  size_t length;
};

static const char *next_part(const struct list *list, size_t *at) {
  const char *part = list->bytes + *at;
  *at += strlen(part) + 1;
  return part;
}

static bool next_cover(const struct list *list, size_t *at, struct cover *cover) {
  if (*at >= list->length) return false;
  cover->from = next_part(list, at);
  cover->path = next_part(list, at);
  cover->source = next_part(list, at);
  cover->hold = *next_part(list, at);
  return true;
}

/* Whether a name is on the way to any of them: all others are the command's daily work. */
static bool matters(const struct list *list, const struct inotify_event *event) {
  struct cover cover;
  size_t length = strlen(event->name);
  for (size_t at = 0; next_cover(list, &at, &cover);)
    for (const char *name = below(cover.from, cover.path); name; name = strchr(name, '/')) {
      name += *name == '/';
      if (strcspn(name, "/") == length && memcmp(name, event->name, length) == 0) return true;
    }
  return false;
}

static bool something_matters(const struct list *list, const char *events, size_t length) {
  bool found = false;
  for (size_t at = 0; at < length && !found;) {
    struct inotify_event event;
    memcpy(&event, events + at, sizeof event);
    found = event.mask & IN_Q_OVERFLOW || (event.len && matters(list, (const void *)(events + at)));
    at += sizeof event + event.len;
  }
  return found;
}

/* Folders that have taken the place of others are watched before what is in them is looked at. */
static void put_all_back(const struct list *list, int staging) {
  struct cover cover;
  for (size_t at = 0; next_cover(list, &at, &cover);) {
    on_the_way(&cover, watch_folder);
    put_cover(&cover, staging, true);
  }
  free_allotted();
}

static _Noreturn void keep_covered(const struct list *list, int staging) {
  static _Alignas(struct inotify_event) char events[16384];
  for (;;) {
    ssize_t got = read(watch, events, sizeof events);
    if (got < 0 && errno != EINTR) _exit(EXIT_OWN_FAILURE);
    if (got > 0 && something_matters(list, events, (size_t)got)) put_all_back(list, staging);
  }
}

static struct list list_from(int descriptor) {
  struct stat found;
  if (fstat(descriptor, &found) != 0 || found.st_size <= 0) _exit(EXIT_OWN_FAILURE);
  void *bytes = mmap(NULL, (size_t)found.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (bytes == MAP_FAILED) _exit(EXIT_OWN_FAILURE);
  return (struct list){bytes, (size_t)found.st_size};
}

/* It has all rights over the sandbox's mounts, and is no process of it: nothing in there can see, stop or end it. */
static _Noreturn void become_keeper(const struct keeper *keeper, pid_t parent) {
  struct list list = list_from(keeper->descriptors[KEEPER_LIST]);
  if (setns(keeper->descriptors[KEEPER_USERS], CLONE_NEWUSER) != 0 || setns(keeper->descriptors[KEEPER_MOUNTS], CLONE_NEWNS) != 0)
    refuse("what is hidden in the workspace cannot be kept hidden: ", error_text(errno), NULL);
  prctl(PR_SET_DUMPABLE, 0);
  die_with_parent(parent);
  enum { WATCH = STDERR_FILENO + 1, STAGING };
  int opened[] = {fcntl(keeper->descriptors[KEEPER_WATCH], F_DUPFD_CLOEXEC, 64), fcntl(keeper->descriptors[KEEPER_STAGING], F_DUPFD_CLOEXEC, 64)};
  if (dup2(opened[0], WATCH) < 0 || dup2(opened[1], STAGING) < 0) _exit(EXIT_OWN_FAILURE);
  close_descriptors_from(STAGING + 1);
  watch = WATCH;
  keep_covered(&list, STAGING);
}

void keeper_start(struct keeper *keeper) {
  if (!keeper->wanted) return;
  pid_t self = getpid();
  keeper->pid = fork();
  if (keeper->pid == 0) become_keeper(keeper, self);
  for (size_t i = 0; i < KEEPER_DESCRIPTORS; i++) close(keeper->descriptors[i]);
  if (keeper->pid < 0) say("warning: what is hidden in the workspace is shown once somebody outside replaces it: ", error_text(errno), NULL);
}

void keeper_look(struct keeper *keeper) {
  if (keeper->pid <= 0 || waitpid(keeper->pid, NULL, WNOHANG) != keeper->pid) return;
  keeper->pid = 0;
  say("warning: what is hidden in the workspace is shown from now on when somebody outside replaces it: the process that covers it again is gone", NULL);
}

void keeper_end(struct keeper *keeper) {
  if (keeper->pid <= 0) return;
  kill(keeper->pid, SIGKILL);
  while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR) continue;
}
