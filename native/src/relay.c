#include "relay.h"
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * An exec into a pod has a standard input, an output, and nothing else. Over these two go frames: one byte of kind, four of length
 * (largest first), then that many bytes. What is said to the launcher and by it, and what the command reads and writes, each has a
 * kind of its own. Either side says every few seconds that it is there: a machine that is gone closes no connection.
 */
enum { OWNER = 'o', CONTROL = 'c', INPUT = 'i', INPUT_END = 'e', BEAT = 'h', OUTPUT = '1', ERRORS = '2', EXIT = 'x' };
enum { HEAD = 5, LARGEST_FRAME = 64 << 10, MOST_WAITING = 256 << 10, MOST_INPUT = 32 << 20 };
enum { BEAT_MS = 4000, SILENT_MS = 20000, GRACE_MS = 5000 };

/* Bytes on their way, from `from` to `length`. */
struct queue {
  struct text text;
  size_t from;
};

struct relay {
  pid_t child;
  /* Our ends of what the launcher and its command have; -1 when it has ended. */
  int control, input, output, errors;
  struct queue to_command, to_caller;
  bool input_has_ended;
  char frames[HEAD + LARGEST_FRAME];
  size_t got;
  int64_t heard, beaten;
};

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static size_t left_in(const struct queue *queue) { return queue->text.length - queue->from; }

static void queue_add(struct queue *queue, const char *bytes, size_t length) { text_add_bytes(&queue->text, bytes, length); }

/* What was written is wiped. False: nobody reads any more. */
static bool queue_write(struct queue *queue, int fd) {
  ssize_t written = write(fd, queue->text.data + queue->from, left_in(queue));
  if (written < 0) return errno == EAGAIN || errno == EINTR;
  explicit_bzero(queue->text.data + queue->from, (size_t)written);
  queue->from += (size_t)written;
  if (left_in(queue) == 0) queue->from = queue->text.length = 0;
  return true;
}

static void say_frame(struct relay *relay, char kind, const char *bytes, size_t length) {
  char head[HEAD] = {kind, (char)(length >> 24), (char)(length >> 16), (char)(length >> 8), (char)length};
  queue_add(&relay->to_caller, head, HEAD);
  queue_add(&relay->to_caller, bytes, length);
}

static void close_end(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

/* Whoever wanted the command is gone, or silent for too long: the end of the control socket ends it with all that it started. */
static _Noreturn void give_up(struct relay *relay) {
  close_end(&relay->control);
  close_end(&relay->input);
  close_end(&relay->output);
  close_end(&relay->errors);
  for (int64_t until = now() + GRACE_MS; now() < until; poll(NULL, 0, 20))
    if (waitpid(relay->child, NULL, WNOHANG) == relay->child) _exit(EXIT_OWN_FAILURE);
  kill(relay->child, SIGKILL);
  _exit(EXIT_OWN_FAILURE);
}

/* ── whose pod it is ── */

enum { LONGEST_MARK = 128 };

static bool is_mark(const char *mark, size_t length) {
  return length > 0 && length <= LONGEST_MARK && strspn(mark, "0123456789abcdef") >= length;
}

/*
 * A pod that had a user is never another's, whatever the process outside believes: the first call leaves its user's mark, in one
 * step, and every later one has to have the same.
 */
static void require_owner(const char *folder, const char *mark, size_t length) {
  char own[64], found[LONGEST_MARK + 1];
  int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (at < 0) refuse(folder, ": no folder for the mark of a user: ", error_text(errno), NULL);
  snprintf(own, sizeof own, "mark.%d", (int)getpid());
  int fd = openat(at, own, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400);
  if (fd < 0 || !write_whole(fd, mark, length) || close(fd) != 0)
    refuse(folder, ": the mark of a user cannot be written: ", error_text(errno), NULL);
  int linked = linkat(at, own, at, "owner", 0), error = errno;
  unlinkat(at, own, 0);
  if (linked == 0) {
    close(at);
    return;
  }
  if (error != EEXIST) refuse(folder, ": the mark of a user cannot be kept: ", error_text(error), NULL);
  fd = openat(at, "owner", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  ssize_t got = fd < 0 ? -1 : read(fd, found, sizeof found);
  if (got != (ssize_t)length || memcmp(found, mark, length) != 0) refuse("this pod has had another user", NULL);
  close(fd);
  close(at);
}

static bool read_whole(char *bytes, size_t length) {
  for (size_t got = 0; got < length;) {
    ssize_t more = read(STDIN_FILENO, bytes + got, length - got);
    if (more == 0 || (more < 0 && errno != EINTR)) return false;
    if (more > 0) got += (size_t)more;
  }
  return true;
}

static size_t length_in(const char *head) {
  const unsigned char *byte = (const unsigned char *)head;
  return (size_t)byte[1] << 24 | (size_t)byte[2] << 16 | (size_t)byte[3] << 8 | byte[4];
}

/* Before anything else, and before anything is started. */
static void hear_owner(const char *folder) {
  char head[HEAD], mark[LONGEST_MARK + 1] = "";
  alarm(SILENT_MS / 1000);
  if (!read_whole(head, HEAD)) _exit(EXIT_OWN_FAILURE);
  size_t length = length_in(head);
  if (head[0] != OWNER || length > LONGEST_MARK || !read_whole(mark, length) || !is_mark(mark, length))
    refuse("nobody said whose call this is", NULL);
  alarm(0);
  require_owner(folder, mark, length);
}

/* ── frames ── */

/* The launcher reads its plan as it comes, and signals are few: nothing waits here. */
static void take_frame(struct relay *relay, char kind, char *bytes, size_t length) {
  switch (kind) {
    case CONTROL:
      if (relay->control >= 0 && send(relay->control, bytes, length, MSG_NOSIGNAL) != (ssize_t)length) close_end(&relay->control);
      break;
    case INPUT:
      if (left_in(&relay->to_command) + length > MOST_INPUT) give_up(relay);
      if (relay->input >= 0) queue_add(&relay->to_command, bytes, length);
      break;
    case INPUT_END: relay->input_has_ended = true; break;
    case BEAT: break;
    default: give_up(relay);
  }
  explicit_bzero(bytes, length);
}

static void hear_caller(struct relay *relay) {
  ssize_t more = read(STDIN_FILENO, relay->frames + relay->got, sizeof relay->frames - relay->got);
  if (more < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (more <= 0) give_up(relay);
  relay->got += (size_t)more;
  relay->heard = now();
  size_t at = 0;
  while (relay->got - at >= HEAD) {
    size_t length = length_in(relay->frames + at);
    if (length > LARGEST_FRAME) give_up(relay);
    if (relay->got - at < HEAD + length) break;
    take_frame(relay, relay->frames[at], relay->frames + at + HEAD, length);
    at += HEAD + length;
  }
  relay->got -= at;
  memmove(relay->frames, relay->frames + at, relay->got);
}

static void hear(struct relay *relay, int *fd, char kind) {
  char bytes[LARGEST_FRAME];
  ssize_t got = read(*fd, bytes, sizeof bytes);
  if (got > 0) say_frame(relay, kind, bytes, (size_t)got);
  else if (got == 0 || (errno != EINTR && errno != EAGAIN)) close_end(fd);
  if (got > 0) explicit_bzero(bytes, (size_t)got);
}

static void feed_command(struct relay *relay) {
  if (left_in(&relay->to_command) && !queue_write(&relay->to_command, relay->input)) close_end(&relay->input);
  if (relay->input_has_ended && !left_in(&relay->to_command)) close_end(&relay->input);
}

static void beat(struct relay *relay) {
  if (now() - relay->heard > SILENT_MS) give_up(relay);
  if (now() - relay->beaten < BEAT_MS) return;
  relay->beaten = now();
  say_frame(relay, BEAT, "", 0);
}

/* What the command writes waits in its pipe while the caller does not read. */
static void turn(struct relay *relay) {
  bool has_room = left_in(&relay->to_caller) < MOST_WAITING;
  bool feeds = relay->input >= 0 && (left_in(&relay->to_command) || relay->input_has_ended);
  struct pollfd ends[] = {
      {.fd = STDIN_FILENO, .events = POLLIN},
      {.fd = STDOUT_FILENO, .events = left_in(&relay->to_caller) ? POLLOUT : 0},
      {.fd = has_room ? relay->control : -1, .events = POLLIN},
      {.fd = has_room ? relay->output : -1, .events = POLLIN},
      {.fd = has_room ? relay->errors : -1, .events = POLLIN},
      {.fd = feeds ? relay->input : -1, .events = POLLOUT},
  };
  if (poll(ends, sizeof ends / sizeof *ends, 1000) < 0 && errno != EINTR) give_up(relay);
  if (ends[0].revents) hear_caller(relay);
  if (ends[2].revents && relay->control >= 0) hear(relay, &relay->control, CONTROL);
  if (ends[3].revents) hear(relay, &relay->output, OUTPUT);
  if (ends[4].revents) hear(relay, &relay->errors, ERRORS);
  if (ends[5].revents && relay->input >= 0) feed_command(relay);
  if (ends[1].revents & (POLLERR | POLLNVAL)) give_up(relay);
  if ((ends[1].revents & POLLOUT) && !queue_write(&relay->to_caller, STDOUT_FILENO)) give_up(relay);
  beat(relay);
}

static bool is_open(const struct relay *relay) { return relay->control >= 0 || relay->output >= 0 || relay->errors >= 0; }

/* What stands in between may drop the last words of a process that has ended: it stays until the caller has heard them, and closes. */
static void await_farewell(void) {
  char rest[256];
  for (int64_t until = now() + GRACE_MS; now() < until;) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(&input, 1, 1000) <= 0) continue;
    ssize_t got = read(STDIN_FILENO, rest, sizeof rest);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return;
  }
}

static _Noreturn void run_relay(struct relay *relay) {
  int status = 0;
  while (is_open(relay)) turn(relay);
  close_end(&relay->input);
  while (waitpid(relay->child, &status, 0) < 0)
    if (errno != EINTR) break;
  const char *code = decimal((uint64_t)exit_code_of(status));
  say_frame(relay, EXIT, code, strlen(code));
  while (left_in(&relay->to_caller)) turn(relay);
  await_farewell();
  _exit(0);
}

/* ── beginning ── */

static void make_pair(int ends[2], bool is_socket) {
  int made = is_socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) : pipe2(ends, O_CLOEXEC);
  if (made != 0) refuse("no pipes for the command: ", error_text(errno), NULL);
}

static void unblock(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

int relay_beside(const char *folder) {
  /* Large, and of the parent alone. */
  static struct relay relay;
  int control[2], input[2], output[2], errors[2];
  signal(SIGPIPE, SIG_IGN);
  hear_owner(folder);
  make_pair(control, true);
  make_pair(input, false);
  make_pair(output, false);
  make_pair(errors, false);
  /* Where this process is killed, the end of the socket ends the child, which then takes all with it that its command started. */
  pid_t child = fork();
  if (child < 0) refuse("cannot fork: ", error_text(errno), NULL);
  if (child == 0) {
    signal(SIGPIPE, SIG_DFL);
    if (dup2(input[0], STDIN_FILENO) < 0 || dup2(output[1], STDOUT_FILENO) < 0 || dup2(errors[1], STDERR_FILENO) < 0)
      _exit(EXIT_OWN_FAILURE);
    int others[] = {control[0], input[0], input[1], output[0], output[1], errors[0], errors[1]};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) close(others[i]);
    return control[1];
  }
  close(control[1]);
  close(input[0]);
  close(output[1]);
  close(errors[1]);
  relay = (struct relay){.child = child, .control = control[0], .input = input[1], .output = output[0], .errors = errors[0],
                         .heard = now(), .beaten = now()};
  unblock(STDIN_FILENO);
  unblock(STDOUT_FILENO);
  unblock(relay.input);
  run_relay(&relay);
}

static void end_holding(int number) {
  (void)number;
  _exit(0);
}

_Noreturn void hold_pod(void) {
  /* The first process of a pod gets no signal that it has no use for. What is left to it is waited for by the kernel. */
  int all[] = {SIGTERM, SIGINT, SIGHUP};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) signal(all[i], end_holding);
  signal(SIGCHLD, SIG_IGN);
  for (;;) pause();
}
