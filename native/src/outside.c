#include "outside.h"

#include "incoming.h"
#include "kernel.h"
#include "protocol.h"
#include "undumpable.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* ── inside ── */

static int listener(int type, uint32_t address, uint64_t port) {
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(address)};
  int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof here) != 0 || (type == SOCK_STREAM && listen(fd, 4096) != 0))
    refuse("port ", decimal(port), " of the sandbox could not be opened: ", error_text(errno), NULL);
  return fd;
}

/* Of the command's own, in a folder that nobody else has. */
static int socket_at(const char *path) {
  struct sockaddr_un here = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof here.sun_path) refuse("the path of the socket is too long: ", path, NULL);
  memcpy(here.sun_path, path, strlen(path) + 1);
  mode_t before = umask(0177);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof here) != 0 || listen(fd, 128) != 0)
    refuse("the socket ", path, " of the sandbox could not be made: ", error_text(errno), NULL);
  umask(before);
  return fd;
}

/* On the loopback device every address of a network is local, so that connections to it arrive at the listeners. */
static void add_address(const struct local *local, size_t number) {
  struct ifreq request = {0};
  struct sockaddr_in value = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(local->address)};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  snprintf(request.ifr_name, sizeof request.ifr_name, "lo:%u", (unsigned)number);
  memcpy(&request.ifr_addr, &value, sizeof value);
  bool added = fd >= 0 && ioctl(fd, SIOCSIFADDR, &request) == 0;
  value.sin_addr.s_addr = htonl(local->bits ? ~UINT32_C(0) << (32 - local->bits) : 0);
  memcpy(&request.ifr_netmask, &value, sizeof value);
  added = added && ioctl(fd, SIOCSIFNETMASK, &request) == 0;
  if (!added) refuse("an address of the list could not be given to the loopback device: ", error_text(errno), NULL);
  close(fd);
}

/* What names lead to. With 127.0.0.1 alone the C library takes a machine for one without IPv4, and finds nothing for who asks for IPv4. */
static const struct local of_names = {(UINT32_C(127) << 24) + (UINT32_C(1) << 23) + 1, 9};

static bool send_descriptors(int to, void *bytes, size_t length, const int *descriptors, size_t count) {
  _Alignas(struct cmsghdr) char room[CMSG_SPACE(MAX_LISTENERS * sizeof *descriptors)];
  struct iovec part = {bytes, length};
  struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = CMSG_SPACE(count * sizeof *descriptors)};
  memset(room, 0, sizeof room);
  struct cmsghdr *head = CMSG_FIRSTHDR(&packet);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(count * sizeof *descriptors);
  memcpy(CMSG_DATA(head), descriptors, count * sizeof *descriptors);
  return sendmsg(to, &packet, MSG_NOSIGNAL) == (ssize_t)length;
}

void outside_hand_out(int control, const struct places *places) {
  int made[MAX_LISTENERS];
  size_t count = 0;
  add_address(&of_names, 0);
  for (size_t i = 0; i < places->local_count; i++) add_address(&places->local[i], i + 1);
  made[count++] = listener(SOCK_DGRAM, INADDR_LOOPBACK, RESOLVER_PORT);
  made[count++] = listener(SOCK_STREAM, INADDR_LOOPBACK, RESOLVER_PORT);
  made[count++] = listener(SOCK_STREAM, INADDR_LOOPBACK, PROXY_PORT);
  for (size_t i = 0; i < places->port_count; i++) made[count++] = listener(SOCK_STREAM, INADDR_ANY, places->ports[i]);
  if (places->socket) made[count++] = socket_at(places->socket);
  struct report report = {.kind = REPORT_LISTENERS};
  if (!send_descriptors(control, &report, sizeof report, made, count)) _exit(EXIT_OWN_FAILURE);
  for (size_t i = 0; i < count; i++) close(made[i]);
}

/* ── outside ── */

void outside_begin(struct outside *outside, const struct places *places) {
  *outside = (struct outside){.task = -1, .line = -1, .wanted = places->network == NETWORK_NAMES, .at = places->outside_at};
}

/* What it alone holds from now on is closed with it: a connection is refused then, not left waiting. */
static void let_go(struct outside *outside) {
  for (size_t i = 0; i < outside->count; i++) close(outside->listeners[i]);
  outside->count = 0;
  if (outside->pages.text) munmap(outside->pages.text, outside->pages.length);
  outside->pages = (struct slice){0};
  if (outside->task >= 0) close(outside->task);
  outside->task = -1;
}

/* Before there is a command. The folder with the socket is not in its sight. */
static void hand_on(struct outside *outside) {
  outside->line = connect_to_planner(outside->at, NULL);
  if (!send_descriptors(outside->line, &(char){'l'}, 1, outside->listeners, outside->count)) refuse("the process outside is gone", NULL);
  outside->started = true;
  let_go(outside);
}

static bool take_descriptors(struct outside *outside, struct msghdr *packet) {
  struct cmsghdr *head = CMSG_FIRSTHDR(packet);
  if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) return false;
  size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  if (outside->count || count < FIXED_LISTENERS || count > MAX_LISTENERS) return false;
  memcpy(outside->listeners, CMSG_DATA(head), count * sizeof(int));
  outside->count = count;
  return true;
}

bool outside_take(struct outside *outside, struct msghdr *packet) {
  if (!outside->wanted || outside->started || !take_descriptors(outside, packet)) return false;
  if (outside->at) hand_on(outside);
  return true;
}

bool outside_is_ready(const struct outside *outside) { return !outside->wanted || outside->started || outside->count; }

/* It waits for the first connection there, perhaps for hours: not on a disk, where so much may be locked. */
static int kept_in_memory(struct slice text, struct slice *pages) {
  int fd = memfd_create("cordon", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || !write_whole(fd, text.text, text.length) || lseek(fd, 0, SEEK_SET) != 0 ||
      fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) != 0)
    refuse("cannot keep what the process outside is told: ", error_text(errno), NULL);
  void *mapped = mmap(NULL, text.length, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapped == MAP_FAILED) return fd;
  *pages = (struct slice){mapped, text.length};
  (void)mlock(mapped, text.length);
  return fd;
}

void outside_keep(struct outside *outside, const struct places *places, const char *id) {
  static char *argv[MAX_OUTSIDE_WORDS + 2];
  if (!outside->wanted || outside->at) return;
  for (size_t i = 0; i < places->outside.count; i++) argv[i] = text_keep(places->outside.items[i]);
  argv[places->outside.count] = text_keep(id);
  outside->argv = argv;
  outside->task = kept_in_memory(places->outside_task, &outside->pages);
}

/* Away from the terminal, whose signals are the command's, with nothing open but what it is for. */
static _Noreturn void become_outside(const struct outside *outside, const struct watch *watch, int line, pid_t parent) {
  enum { ABOVE_ALL = 2 * MAX_LISTENERS };
  static char *no_environment[] = {NULL};
  int wanted[2 + MAX_LISTENERS] = {outside->task, line};
  size_t count = 2 + outside->count;
  struct rlimit none = {0};
  memcpy(wanted + 2, outside->listeners, outside->count * sizeof(int));
  if (watch) watch_undo(watch);
  setsid();
  die_with_parent(parent);
  /* Not killed in the middle of renewing a log-in, whose old tokens the server no longer takes. The end of the line ends it too. */
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) _exit(EXIT_OWN_FAILURE);
  setrlimit(RLIMIT_CORE, &none);
  int nothing = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    if (dup2(nothing, fd) != fd) _exit(EXIT_OWN_FAILURE);
  for (size_t i = 0; i < count; i++) wanted[i] = fcntl(wanted[i], F_DUPFD, ABOVE_ALL);
  for (size_t i = 0; i < count; i++)
    if (dup2(wanted[i], STDERR_FILENO + 1 + (int)i) < 0) _exit(EXIT_OWN_FAILURE);
  close_descriptors_from(STDERR_FILENO + 1 + (unsigned)count);
  if (chdir("/") != 0) _exit(EXIT_OWN_FAILURE);
  undumpable_offer();
  execve(outside->argv[0], outside->argv, no_environment);
  _exit(EXIT_NOT_FOUND);
}

static void lose(struct outside *outside) {
  let_go(outside);
  if (outside->line >= 0) close(outside->line);
  outside->line = -1;
  outside->lost = true;
  say("the process that lets connections through is gone: no host can be reached any more; start the command again", NULL);
}

static void start_with(struct outside *outside, const struct watch *watch, int line) {
  pid_t self = getpid();
  outside->pid = fork();
  if (outside->pid == 0) become_outside(outside, watch, line, self);
  if (outside->pid > 0 && !undumpable_make(outside->pid)) outside->pid = -1;
  close(line);
}

static void start(struct outside *outside, const struct watch *watch) {
  int ends[2];
  outside->started = true;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    lose(outside);
    return;
  }
  start_with(outside, watch, ends[1]);
  outside->line = ends[0];
  if (outside->pid < 0) lose(outside);
  else let_go(outside);
}

size_t outside_sources(const struct outside *outside, struct pollfd *sources) {
  if (outside->line >= 0) {
    sources[0] = (struct pollfd){.fd = outside->line, .events = POLLIN};
    return 1;
  }
  for (size_t i = 0; i < outside->count; i++) sources[i] = (struct pollfd){.fd = outside->listeners[i], .events = POLLIN};
  return outside->count;
}

enum { MOST_REFUSED_SHOWN = 5 };

/* `r HOST`: refused. `s TEXT`: for the person. */
static void take_line(struct outside *outside, const char *line) {
  if (line[0] == 's' && line[1] == ' ') say(line + 2, NULL);
  if (line[0] != 'r' || line[1] != ' ' || ++outside->refused_count > MOST_REFUSED_SHOWN) return;
  if (outside->refused.length) text_add(&outside->refused, ", ");
  text_add(&outside->refused, line + 2);
}

static bool hear(struct outside *outside, int flags) {
  size_t room = sizeof outside->said - outside->said_length;
  ssize_t got = recv(outside->line, outside->said + outside->said_length, room, flags);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0) return false;
  outside->said_length += (size_t)got;
  for (char *end; (end = memchr(outside->said, '\n', outside->said_length));) {
    size_t length = (size_t)(end - outside->said) + 1;
    *end = '\0';
    take_line(outside, outside->said);
    outside->said_length -= length;
    memmove(outside->said, end + 1, outside->said_length);
  }
  if (outside->said_length == sizeof outside->said) outside->said_length = 0;
  return true;
}

void outside_act(struct outside *outside, const struct watch *watch, const struct pollfd *sources, size_t count) {
  bool called = false;
  for (size_t i = 0; i < count; i++) called = called || sources[i].revents;
  if (!called) return;
  if (!outside->started) start(outside, watch);
  else if (outside->line >= 0 && !hear(outside, MSG_DONTWAIT)) lose(outside);
}

/* A command that ends since its connections did may end before anybody has looked. */
static bool is_there(struct outside *outside) {
  struct pollfd source = {.fd = outside->line, .events = POLLIN};
  while (poll(&source, 1, 0) > 0)
    if (!hear(outside, MSG_DONTWAIT)) return false;
  return true;
}

void outside_end(struct outside *outside) {
  enum { PATIENCE_MS = 3000 };
  if (outside->line >= 0 && !is_there(outside)) lose(outside);
  if (outside->line >= 0) {
    struct pollfd source = {.fd = outside->line, .events = POLLIN};
    shutdown(outside->line, SHUT_WR);
    while (poll(&source, 1, PATIENCE_MS) > 0 && hear(outside, MSG_DONTWAIT)) continue;
    close(outside->line);
  }
  if (outside->pid > 0) {
    kill(outside->pid, SIGKILL);
    while (waitpid(outside->pid, NULL, 0) < 0 && errno == EINTR) continue;
  }
  let_go(outside);
  if (outside->refused_count > MOST_REFUSED_SHOWN) text_add(&outside->refused, " and others");
  text_add_bytes(&outside->refused, "", 1);
}

const char *outside_refused(const struct outside *outside) { return outside->refused.data; }

/* ── on the machine, for a container ── */

enum { PARENT_FD = STDERR_FILENO + 1 };

static int socket_for_one(const char *path) {
  struct sockaddr_un here = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof here.sun_path) refuse(path, ": too long for a socket's name", NULL);
  memcpy(here.sun_path, path, strlen(path) + 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  /* The folder is the caller's alone; inside the user may have another number. */
  if (fd < 0 || bind(fd, (struct sockaddr *)&here, sizeof here) != 0 || chmod(path, 0666) != 0 || listen(fd, 1) != 0)
    refuse(path, ": ", error_text(errno), NULL);
  return fd;
}

static int accept_one(int listening, const char *path) {
  int line;
  while ((line = accept4(listening, NULL, NULL, SOCK_CLOEXEC)) < 0)
    if (errno != EINTR) refuse(path, ": ", error_text(errno), NULL);
  close(listening);
  unlink(path);
  return line;
}

static bool receive(struct outside *outside, int line) {
  _Alignas(struct cmsghdr) char room[CMSG_SPACE(sizeof outside->listeners)];
  char kind;
  struct iovec part = {&kind, 1};
  struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  ssize_t got;
  while ((got = recvmsg(line, &packet, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) continue;
  return got == 1 && !(packet.msg_flags & MSG_CTRUNC) && take_descriptors(outside, &packet);
}

/* False when the command is over and nobody ever connected. */
static bool await_first(const struct outside *outside, int line) {
  struct pollfd sources[1 + MAX_LISTENERS] = {{.fd = line, .events = POLLIN}};
  size_t count = outside_sources(outside, sources + 1);
  while (poll(sources, 1 + count, -1) < 0)
    if (errno != EINTR) refuse("cannot wait: ", error_text(errno), NULL);
  return !sources[0].revents;
}

static void read_task(struct outside *outside) {
  struct incoming task = {0};
  while (incoming_take(&task, PARENT_FD) != INCOMING_END) continue;
  outside->task = kept_in_memory(task.text, &outside->pages);
  wipe_allotted();
}

/* The line is the program's own from its start on: what it says goes straight to the launcher inside. */
void outside_serve(const char *path, char **words) {
  struct outside outside = {.task = -1, .line = -1, .argv = words};
  int listening = socket_for_one(path);
  read_task(&outside);
  if (write(PARENT_FD, "r", 1) != 1) _exit(EXIT_OWN_FAILURE);
  int line = accept_one(listening, path);
  if (!receive(&outside, line)) _exit(EXIT_OWN_FAILURE);
  if (!await_first(&outside, line)) _exit(0);
  start_with(&outside, NULL, line);
  if (outside.pid < 0) _exit(EXIT_OWN_FAILURE);
  let_go(&outside);
  while (waitpid(outside.pid, NULL, 0) < 0 && errno == EINTR) continue;
  _exit(0);
}
