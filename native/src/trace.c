#include "trace.h"

#include "kernel.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#define SECCOMP_FILTER_FLAG_NEW_LISTENER_ (1u << 3)
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV_ (1u << 5)
#define SECCOMP_RET_USER_NOTIF_ 0x7fc00000u
#define SECCOMP_RET_ALLOW_ 0x7fff0000u
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE_ 1u
#define NOTIF_RECV 0xc0502100u
#define NOTIF_SEND 0xc0182101u
#define NOTIF_SET_FLAGS 0x40082104u
#define NOTIF_SAME_PROCESSOR 1ul

#if defined(__x86_64__)
#define OWN_ARCH 0xc000003eu
#elif defined(__aarch64__)
#define OWN_ARCH 0xc00000b7u
#else
#define OWN_ARCH 0u
#endif

struct announcement {
  uint64_t id;
  uint32_t pid, flags;
  int32_t number;
  uint32_t arch;
  uint64_t instruction, arguments[6];
};

struct permission {
  uint64_t id;
  int64_t value;
  int32_t error;
  uint32_t flags;
};

enum { ABOVE_ALL = 512, LONGEST = 4096, MOST_PATHS = 1 << 18, BUFFER = 64 << 10, NOWHERE = -1 };

/* Which argument names the folder that a relative path begins at, and which the path. */
struct traced {
  long number;
  int folder, path;
  /* r reads or asks, w writes, x executes, o by its flags, O by its structure, c connects */
  char what;
};

static const struct traced traced[] = {
    {SYS_openat, 0, 1, 'o'},
    {SYS_openat2_, 0, 1, 'O'},
    {SYS_newfstatat, 0, 1, 'r'},
    {SYS_statx, 0, 1, 'r'},
    {SYS_faccessat, 0, 1, 'r'},
    {439 /* faccessat2 */, 0, 1, 'r'},
    {SYS_execve, NOWHERE, 0, 'x'},
    {SYS_execveat, 0, 1, 'x'},
    {SYS_connect, NOWHERE, 1, 'c'},
    {SYS_mkdirat, 0, 1, 'w'},
    {SYS_mknodat, 0, 1, 'w'},
    {SYS_unlinkat, 0, 1, 'w'},
    {SYS_symlinkat, 1, 2, 'w'},
    {SYS_linkat, 2, 3, 'w'},
    {SYS_renameat2, 2, 3, 'w'},
    {SYS_fchmodat, 0, 1, 'w'},
    {SYS_fchownat, 0, 1, 'w'},
    {SYS_utimensat, 0, 1, 'w'},
    {SYS_truncate, NOWHERE, 0, 'w'},
#ifdef SYS_open
    {SYS_open, NOWHERE, 0, 'p'},
    {SYS_creat, NOWHERE, 0, 'w'},
    {SYS_stat, NOWHERE, 0, 'r'},
    {SYS_lstat, NOWHERE, 0, 'r'},
    {SYS_access, NOWHERE, 0, 'r'},
    {SYS_mkdir, NOWHERE, 0, 'w'},
    {SYS_rmdir, NOWHERE, 0, 'w'},
    {SYS_unlink, NOWHERE, 0, 'w'},
    {SYS_symlink, NOWHERE, 1, 'w'},
    {SYS_link, NOWHERE, 1, 'w'},
    {SYS_rename, NOWHERE, 1, 'w'},
    {SYS_chmod, NOWHERE, 0, 'w'},
    {SYS_chown, NOWHERE, 0, 'w'},
    {SYS_lchown, NOWHERE, 0, 'w'},
#endif
#ifdef SYS_renameat
    {SYS_renameat, 2, 3, 'w'},
#endif
};
enum { TRACED = sizeof traced / sizeof *traced };

static struct {
  int file;
  uint64_t *seen;
  size_t count, capacity, filled;
} list = {.file = -1};

/* By itself: what begins as nothing takes no room in the program. */
static char buffer[BUFFER];

/* ── the list ── */

void trace_open(const char *path) {
  if (!path) return;
  int fd = openat(AT_FDCWD, path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  list.file = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, ABOVE_ALL);
  if (fd >= 0) close(fd);
  if (list.file < 0) refuse("the list of what is tried cannot be written: ", error_text(errno), NULL);
}

int trace_keep_open(int first) {
  if (list.file < 0) return first;
  if (dup3(list.file, first, O_CLOEXEC) < 0) refuse("the list of what is tried cannot be written: ", error_text(errno), NULL);
  list.file = first;
  return first + 1;
}

void trace_raise(void) {
  if (list.file < 0) return;
  int raised = fcntl(list.file, F_DUPFD_CLOEXEC, ABOVE_ALL);
  if (raised < 0) refuse("the list of what is tried cannot be written: ", error_text(errno), NULL);
  close(list.file);
  list.file = raised;
}

bool trace_is_on(void) { return list.file >= 0; }

static void flush(void) {
  if (list.file >= 0 && list.filled) write_whole(list.file, buffer, list.filled);
  list.filled = 0;
}

void trace_end(void) { flush(); }

static uint64_t hash_of(char what, const char *path) {
  uint64_t hash = 14695981039346656037u ^ (unsigned char)what;
  for (; *path; path++) hash = (hash * 1099511628211u) ^ (unsigned char)*path;
  return hash ? hash : 1;
}

static void place_in(uint64_t *table, size_t capacity, uint64_t hash) {
  size_t at = (size_t)hash & (capacity - 1);
  while (table[at]) at = (at + 1) & (capacity - 1);
  table[at] = hash;
}

static bool is_new(uint64_t hash) {
  if (2 * list.count >= list.capacity) {
    size_t capacity = list.capacity ? 2 * list.capacity : 4096;
    uint64_t *larger = calloc(capacity, sizeof *larger);
    if (!larger) return false;
    for (size_t i = 0; i < list.capacity; i++)
      if (list.seen[i]) place_in(larger, capacity, list.seen[i]);
    free(list.seen);
    list.seen = larger;
    list.capacity = capacity;
  }
  for (size_t at = (size_t)hash & (list.capacity - 1); list.seen[at]; at = (at + 1) & (list.capacity - 1))
    if (list.seen[at] == hash) return false;
  place_in(list.seen, list.capacity, hash);
  list.count++;
  return true;
}

/* One byte for what, the path, and NUL. */
static void note(char what, const char *path) {
  size_t length = strlen(path) + 1;
  if (list.count >= MOST_PATHS || !is_new(hash_of(what, path))) return;
  if (list.filled + length + 1 > sizeof buffer) flush();
  buffer[list.filled++] = what;
  memcpy(buffer + list.filled, path, length);
  list.filled += length;
}

/* ── what a call says; the memory is the command's, and whatever stands there is only written down ── */

static size_t read_memory(uint32_t pid, uint64_t from, void *to, size_t length) {
  struct iovec here = {to, length}, there = {(void *)(uintptr_t)from, length};
  ssize_t got = process_vm_readv((pid_t)pid, &here, 1, &there, 1, 0);
  return got > 0 ? (size_t)got : 0;
}

/* Page by page: the one behind the text may be nobody's. */
static bool read_text(uint32_t pid, uint64_t from, char *to, size_t size) {
  for (size_t length = 0; length < size;) {
    size_t part = 4096 - (size_t)((from + length) & 4095);
    if (part > size - length) part = size - length;
    size_t got = read_memory(pid, from + length, to + length, part);
    if (!got) return false;
    if (memchr(to + length, '\0', got)) return true;
    length += got;
  }
  return false;
}

static bool folder_of(uint32_t pid, int fd, char *to, size_t size) {
  char name[64];
  if (fd == AT_FDCWD) snprintf(name, sizeof name, "/proc/%u/cwd", pid);
  else snprintf(name, sizeof name, "/proc/%u/fd/%d", pid, fd);
  ssize_t length = readlink(name, to, size - 1);
  if (length <= 0 || to[0] != '/') return false;
  to[length] = '\0';
  return true;
}

static void note_address(uint32_t pid, uint64_t address, uint64_t length) {
  union {
    struct sockaddr any;
    struct sockaddr_un local;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    char bytes[sizeof(struct sockaddr_un) + 1];
  } at = {0};
  char text[128] = "", whole[160];
  size_t size = length < sizeof at.bytes - 1 ? (size_t)length : sizeof at.bytes - 1;
  if (read_memory(pid, address, at.bytes, size) < sizeof at.any.sa_family) return;
  if (at.any.sa_family == AF_UNIX) {
    if (at.local.sun_path[0] == '/') note('c', at.local.sun_path);
    else if (!at.local.sun_path[0] && at.local.sun_path[1]) {
      at.local.sun_path[0] = '@';
      note('c', at.local.sun_path);
    }
    return;
  }
  unsigned port = at.any.sa_family == AF_INET ? ntohs(at.four.sin_port) : ntohs(at.six.sin6_port);
  if (at.any.sa_family == AF_INET) inet_ntop(AF_INET, &at.four.sin_addr, text, sizeof text);
  if (at.any.sa_family == AF_INET6) inet_ntop(AF_INET6, &at.six.sin6_addr, text, sizeof text);
  if (!*text || !port) return;
  snprintf(whole, sizeof whole, strchr(text, ':') ? "[%s]:%u" : "%s:%u", text, port);
  note('n', whole);
}

static char by_flags(uint64_t flags) {
  return flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC) ? 'w' : 'r';
}

static char what_of(const struct traced *call, const struct announcement *said) {
  uint64_t flags = 0;
  if (call->what == 'o') return by_flags(said->arguments[2]);
  if (call->what == 'p') return by_flags(said->arguments[1]);
  if (call->what != 'O') return call->what;
  return read_memory(said->pid, said->arguments[2], &flags, sizeof flags) == sizeof flags ? by_flags(flags) : 'r';
}

static void note_call(const struct traced *call, const struct announcement *said) {
  static char path[2 * LONGEST + 2], text[LONGEST];
  if (call->what == 'c') {
    note_address(said->pid, said->arguments[1], said->arguments[2]);
    return;
  }
  if (!read_text(said->pid, said->arguments[call->path], text, sizeof text) || !text[0]) return;
  if (text[0] == '/') {
    note(what_of(call, said), text);
    return;
  }
  int folder = call->folder == NOWHERE ? AT_FDCWD : (int)said->arguments[call->folder];
  if (!folder_of(said->pid, folder, path, LONGEST)) return;
  size_t length = strlen(path);
  path[length] = '/';
  memcpy(path + length + 1, text, strlen(text) + 1);
  note(what_of(call, said), path);
}

void trace_answer(int listener) {
  union {
    struct announcement said;
    char room[256];
  } in;
  union {
    struct permission given;
    char room[128];
  } out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  if (ioctl(listener, NOTIF_RECV, &in) != 0) return;
  for (size_t i = 0; i < TRACED; i++)
    if (traced[i].number == in.said.number) {
      note_call(&traced[i], &in.said);
      break;
    }
  out.given = (struct permission){.id = in.said.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE_};
  /* It fails when the process was ended meanwhile, which is nobody's matter. */
  ioctl(listener, NOTIF_SEND, &out);
}

/* ── the filter ── */

/* Nearly every file that is opened is asked about once more through its descriptor, which names nothing. */
static size_t pass_without_path(struct bpf_instruction *program, size_t at, long number, uint32_t flags_argument) {
  enum { LOAD = 0x20, JUMP_EQUAL = 0x15, JUMP_SET = 0x45, RETURN = 0x06, FIRST_ARGUMENT = 16, EMPTY_PATH = 0x1000 };
  program[at++] = (struct bpf_instruction){JUMP_EQUAL, 0, 4, (uint32_t)number};
  program[at++] = (struct bpf_instruction){LOAD, 0, 0, FIRST_ARGUMENT + 8 * flags_argument};
  program[at++] = (struct bpf_instruction){JUMP_SET, 0, 1, EMPTY_PATH};
  program[at++] = (struct bpf_instruction){RETURN, 0, 0, SECCOMP_RET_ALLOW_};
  program[at++] = (struct bpf_instruction){RETURN, 0, 0, SECCOMP_RET_USER_NOTIF_};
  return at;
}

static size_t build_filter(struct bpf_instruction *program) {
  enum { LOAD = 0x20, JUMP_EQUAL = 0x15, RETURN = 0x06, NUMBER_AT = 0, ARCH_AT = 4 };
  size_t at = 0;
  program[at++] = (struct bpf_instruction){LOAD, 0, 0, ARCH_AT};
  program[at++] = (struct bpf_instruction){JUMP_EQUAL, 1, 0, OWN_ARCH};
  program[at++] = (struct bpf_instruction){RETURN, 0, 0, SECCOMP_RET_ALLOW_};
  program[at++] = (struct bpf_instruction){LOAD, 0, 0, NUMBER_AT};
  at = pass_without_path(program, at, SYS_newfstatat, 3);
  at = pass_without_path(program, at, SYS_statx, 2);
  for (size_t i = 0; i < TRACED; i++)
    program[at++] = (struct bpf_instruction){JUMP_EQUAL, (uint8_t)(TRACED - i), 0, (uint32_t)traced[i].number};
  program[at++] = (struct bpf_instruction){RETURN, 0, 0, SECCOMP_RET_ALLOW_};
  program[at++] = (struct bpf_instruction){RETURN, 0, 0, SECCOMP_RET_USER_NOTIF_};
  return at;
}

void trace_begin(int channel) {
  struct bpf_instruction instructions[TRACED + 20];
  struct bpf_program program = {(unsigned short)build_filter(instructions), instructions};
  unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER_ | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV_;
  int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER_, flags, &program);
  if (listener < 0 && errno == EINVAL)
    listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER_, SECCOMP_FILTER_FLAG_NEW_LISTENER_, &program);
  if (listener < 0) refuse("this kernel cannot trace: ", error_text(errno), NULL);
  char byte = 0;
  struct iovec part = {&byte, 1};
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  memset(&control, 0, sizeof control);
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  control.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  memcpy(CMSG_DATA(&control.head), &listener, sizeof listener);
  if (sendmsg(channel, &message, MSG_NOSIGNAL) != 1) _exit(EXIT_OWN_FAILURE);
  close(listener);
  close(channel);
}

int trace_take(int channel) {
  char byte;
  int listener = -1;
  struct iovec part = {&byte, 1};
  union {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t got;
  do got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  const struct cmsghdr *head = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;
  if (head && head->cmsg_type == SCM_RIGHTS) memcpy(&listener, CMSG_DATA(head), sizeof listener);
  close(channel);
  /* Whoever waits is woken at once, on the same processor, where the kernel can. */
  if (listener >= 0) ioctl(listener, NOTIF_SET_FLAGS, NOTIF_SAME_PROCESSOR);
  return listener;
}
