#include "launches.h"

#include "launch.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * A server that forks is copied, and stands still meanwhile: for every call. So it starts this process once, which is small and
 * starts the launchers in its place. Each is executed, so that nothing of one call is in the memory of another's launcher, with an
 * empty environment and four descriptors. What goes to it and comes from it goes over one socket, in frames: a byte of kind, four of
 * the launch's number, four of length, then that many bytes. What has passed through here is wiped.
 */
enum { HEAD = 9, LARGEST_OUT = 64 << 10, LARGEST_IN = 80 << 20, CALLER_FD = 3 };

/* From the caller. A part of a plan may be followed by more, the last may not; all of the input comes at once. */
enum { START = 'n', PART = 'p', LAST = 'q', INPUT = 'i', SIGNAL = 's', END_SANDBOX = 'x', ABANDON = 'a' };

/* To the caller. */
enum { IS_THERE = 'n', FAILED = 'f', STATUS = 'c', OUTPUT = '1', ERRORS = '2', ENDED = 'x' };

/* What is still to be written. */
struct piece {
  struct piece *next;
  size_t length, sent;
  char bytes[];
};

struct way_in {
  int fd;
  struct piece *first;
  bool is_complete;
};

struct started {
  struct started *next;
  uint32_t number;
  pid_t pid;
  bool has_ended;
  int status;
  struct way_in plan, input;
  int output, errors;
};

static struct {
  struct started *launches;
  size_t count;
  int signals;
  sigset_t mask;
  char program[PATH_MAX];
  /* The frame that is just coming. */
  char head[HEAD];
  size_t head_length, filled;
  struct piece *coming;
} server;

static void close_end(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static void free_piece(struct piece *piece) {
  explicit_bzero(piece->bytes, piece->length);
  free(piece);
}

static void drop_pieces(struct way_in *way) {
  for (struct piece *next; way->first; way->first = next) {
    next = way->first->next;
    free_piece(way->first);
  }
}

static void close_way_in(struct way_in *way) {
  close_end(&way->fd);
  drop_pieces(way);
}

/* ── to the caller ── */

static uint32_t number_at(const char *bytes) {
  uint32_t number;
  memcpy(&number, bytes, sizeof number);
  return number;
}

/* Blocks: the caller always reads, and nobody else waits here. */
static void tell(uint32_t number, char kind, const void *bytes, size_t length) {
  uint32_t numbers[] = {number, (uint32_t)length};
  char head[HEAD] = {kind};
  memcpy(head + 1, numbers, sizeof numbers);
  struct iovec parts[] = {{head, HEAD}, {(void *)bytes, length}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  while (parts[1].iov_len || parts[0].iov_len) {
    ssize_t sent = sendmsg(CALLER_FD, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) _exit(EXIT_OWN_FAILURE);
    for (size_t i = 0; i < 2; i++) {
      size_t taken = (size_t)sent < parts[i].iov_len ? (size_t)sent : parts[i].iov_len;
      parts[i].iov_base = (char *)parts[i].iov_base + taken;
      parts[i].iov_len -= taken;
      sent -= (ssize_t)taken;
    }
  }
}

static void pass_on(const struct started *launch, int *fd, char kind) {
  static char bytes[LARGEST_OUT];
  ssize_t got = *fd < 0 ? 0 : read(*fd, bytes, sizeof bytes);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    close_end(fd);
    return;
  }
  tell(launch->number, kind, bytes, (size_t)got);
  explicit_bzero(bytes, (size_t)got);
}

/* ── to a launcher ── */

/* One that has stopped reading is waited for here, with nobody else held up. */
static void feed(struct way_in *way, bool is_socket) {
  while (way->fd >= 0 && way->first) {
    struct piece *piece = way->first;
    ssize_t sent = piece->length == piece->sent ? 0 : write(way->fd, piece->bytes + piece->sent, piece->length - piece->sent);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EAGAIN) return;
    if (sent < 0) {
      /* It reads no more; on the socket it may still have something to say. */
      drop_pieces(way);
      break;
    }
    piece->sent += (size_t)sent;
    if (piece->sent < piece->length) continue;
    way->first = piece->next;
    free_piece(piece);
  }
  if (!way->is_complete || way->fd < 0) return;
  if (is_socket) shutdown(way->fd, SHUT_WR);
  else close_end(&way->fd);
}

static void add_piece(struct way_in *way, struct piece *piece, bool is_last, bool is_socket) {
  struct piece **end = &way->first;
  while (*end) end = &(*end)->next;
  *end = piece;
  way->is_complete = is_last;
  feed(way, is_socket);
}

/* ── starting ── */

struct ends {
  int plan[2], input[2], output[2], errors[2];
};

static bool make_ends(struct ends *ends) {
  *ends = (struct ends){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends->plan) == 0 && pipe2(ends->input, O_CLOEXEC) == 0 &&
         pipe2(ends->output, O_CLOEXEC) == 0 && pipe2(ends->errors, O_CLOEXEC) == 0;
}

static void close_ends(struct ends *ends) {
  int *all[] = {ends->plan, ends->input, ends->output, ends->errors};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    close_end(&all[i][0]);
    close_end(&all[i][1]);
  }
}

static char *const launcher_words[] = {(char *)"cordon-launch", (char *)"--plan-fd=3", NULL};
static char *const no_variables[] = {NULL};

/* In the memory of the parent, which stands still until the exec. All others of its descriptors close by that. */
static _Noreturn void become_launcher(const struct ends *ends) {
  int own[] = {ends->input[0], ends->output[1], ends->errors[1], ends->plan[1]};
  /* What lies where another is to go would be overwritten. */
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if ((own[i] = fcntl(own[i], F_DUPFD_CLOEXEC, 8)) < 0) _exit(EXIT_OWN_FAILURE);
  for (int i = 0; i < (int)(sizeof own / sizeof *own); i++)
    if (dup2(own[i], i) < 0) _exit(EXIT_OWN_FAILURE);
  sigprocmask(SIG_SETMASK, &server.mask, NULL);
  execve(server.program, launcher_words, no_variables);
  _exit(EXIT_OWN_FAILURE);
}

static void unblock(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

static void start(uint32_t number) {
  struct ends ends;
  struct started *launch = calloc(1, sizeof *launch);
  bool made = launch && make_ends(&ends);
  pid_t pid = made ? vfork() : -1;
  if (pid == 0) become_launcher(&ends);
  if (pid < 0) {
    int error = errno;
    if (launch) close_ends(&ends);
    free(launch);
    tell(number, FAILED, &error, sizeof error);
    return;
  }
  close(ends.plan[1]);
  close(ends.input[0]);
  close(ends.output[1]);
  close(ends.errors[1]);
  *launch = (struct started){.next = server.launches, .number = number, .pid = pid, .plan = {.fd = ends.plan[0]},
                             .input = {.fd = ends.input[1]}, .output = ends.output[0], .errors = ends.errors[0]};
  int all[] = {launch->plan.fd, launch->input.fd, launch->output, launch->errors};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) unblock(all[i]);
  server.launches = launch;
  server.count++;
  tell(number, IS_THERE, &pid, sizeof pid);
}

/* ── from the caller ── */

static struct started *find(uint32_t number) {
  struct started *launch = server.launches;
  while (launch && launch->number != number) launch = launch->next;
  return launch;
}

/* One that still waits for its plan ends by itself where none comes, and with it a sandbox that it made already. */
static void abandon(struct started *launch) {
  if (!launch->plan.is_complete && !launch->plan.first && launch->plan.fd >= 0) shutdown(launch->plan.fd, SHUT_WR);
  else kill(launch->pid, SIGKILL);
  close_end(&launch->output);
  close_end(&launch->errors);
}

/* What is for one that has ended is for nobody. */
static void take_frame(char kind, uint32_t number, struct piece *piece) {
  struct started *launch = find(number);
  if (kind == START) start(number);
  if (launch && !launch->has_ended) switch (kind) {
      case PART:
      case LAST: add_piece(&launch->plan, piece, kind == LAST, true); return;
      case INPUT: add_piece(&launch->input, piece, true, false); return;
      case SIGNAL: kill(launch->pid, piece->length ? piece->bytes[0] : 0); break;
      case END_SANDBOX: kill(launch->pid, END_SIGNAL); break;
      case ABANDON: abandon(launch); break;
    }
  free_piece(piece);
}

static void begin_frame(void) {
  size_t length = number_at(server.head + 5);
  struct piece *piece = length > LARGEST_IN ? NULL : calloc(1, sizeof *piece + length + 1);
  if (!piece) _exit(EXIT_OWN_FAILURE);
  piece->length = length;
  server.coming = piece;
  server.filled = 0;
}

static size_t take_some(const char *bytes, size_t length) {
  if (!server.coming) {
    size_t wanted = HEAD - server.head_length, taken = wanted < length ? wanted : length;
    memcpy(server.head + server.head_length, bytes, taken);
    server.head_length += taken;
    if (server.head_length == HEAD) begin_frame();
    return taken;
  }
  size_t wanted = server.coming->length - server.filled, taken = wanted < length ? wanted : length;
  memcpy(server.coming->bytes + server.filled, bytes, taken);
  server.filled += taken;
  return taken;
}

static void hear_caller(void) {
  static char bytes[64 << 10];
  ssize_t got = read(CALLER_FD, bytes, sizeof bytes);
  if (got < 0 && errno == EINTR) return;
  /* Whoever wanted these is gone: all of them end with this process. */
  if (got <= 0) _exit(0);
  for (size_t at = 0; at < (size_t)got;) {
    at += take_some(bytes + at, (size_t)got - at);
    if (!server.coming || server.filled < server.coming->length) continue;
    struct piece *whole = server.coming;
    server.coming = NULL;
    server.head_length = 0;
    take_frame(server.head[0], number_at(server.head + 1), whole);
  }
  explicit_bzero(bytes, (size_t)got);
}

/* ── what has ended ── */

static void reap(void) {
  struct signalfd_siginfo info;
  int status;
  while (read(server.signals, &info, sizeof info) > 0) continue;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
    for (struct started *launch = server.launches; launch; launch = launch->next)
      if (launch->pid == pid) {
        launch->has_ended = true;
        launch->status = exit_code_of(status);
      }
}

/* Its last words first. */
static void clear_ended(void) {
  for (struct started **at = &server.launches; *at;) {
    struct started *launch = *at;
    if (!launch->has_ended || launch->output >= 0 || launch->errors >= 0) {
      at = &launch->next;
      continue;
    }
    pass_on(launch, &launch->plan.fd, STATUS);
    close_way_in(&launch->plan);
    close_way_in(&launch->input);
    tell(launch->number, ENDED, &launch->status, sizeof launch->status);
    *at = launch->next;
    free(launch);
    server.count--;
  }
}

/* ── */

enum { OWN_SOURCES = 2, SOURCES_EACH = 4 };

static short while_waiting(const struct way_in *way) { return way->first ? POLLOUT : 0; }

static struct pollfd *sources(void) {
  static struct pollfd *list;
  static size_t room;
  size_t wanted = OWN_SOURCES + SOURCES_EACH * server.count;
  if (wanted > room) {
    free(list);
    room = 2 * wanted;
    list = calloc(room, sizeof *list);
    if (!list) _exit(EXIT_OWN_FAILURE);
  }
  struct pollfd *at = list;
  *at++ = (struct pollfd){.fd = CALLER_FD, .events = POLLIN};
  *at++ = (struct pollfd){.fd = server.signals, .events = POLLIN};
  for (struct started *launch = server.launches; launch; launch = launch->next) {
    *at++ = (struct pollfd){.fd = launch->output, .events = POLLIN};
    *at++ = (struct pollfd){.fd = launch->errors, .events = POLLIN};
    *at++ = (struct pollfd){.fd = launch->plan.fd, .events = POLLIN | while_waiting(&launch->plan)};
    *at++ = (struct pollfd){.fd = launch->input.first ? launch->input.fd : -1, .events = POLLOUT};
  }
  return list;
}

static void turn(void) {
  struct pollfd *found = sources(), *at = found + OWN_SOURCES;
  if (poll(found, OWN_SOURCES + SOURCES_EACH * server.count, -1) < 0) {
    if (errno == EINTR) return;
    _exit(EXIT_OWN_FAILURE);
  }
  for (struct started *launch = server.launches; launch; launch = launch->next, at += SOURCES_EACH) {
    if (at[0].revents) pass_on(launch, &launch->output, OUTPUT);
    if (at[1].revents) pass_on(launch, &launch->errors, ERRORS);
    if (at[2].revents & POLLOUT) feed(&launch->plan, true);
    if (at[2].revents & ~POLLOUT) pass_on(launch, &launch->plan.fd, STATUS);
    if (at[3].revents) feed(&launch->input, false);
  }
  if (found[1].revents) reap();
  clear_ended();
  if (found[0].revents) hear_caller();
}

_Noreturn void serve_launches(pid_t parent) {
  sigset_t all, children;
  prctl(PR_SET_DUMPABLE, 0);
  die_with_parent(parent);
  ssize_t length = readlink("/proc/self/exe", server.program, sizeof server.program - 1);
  if (length <= 0 || fcntl(CALLER_FD, F_SETFD, FD_CLOEXEC) != 0) refuse("this mode is for Cordon itself", NULL);
  /* A terminal's signals, and those to a whole service, are for the server to act upon. */
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &server.mask);
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  server.signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
  if (server.signals < 0) refuse("cannot watch signals: ", error_text(errno), NULL);
  for (;;) turn();
}
