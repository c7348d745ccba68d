#include "begun.h"

#include "node.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char header[] = "cordon-begin 1 ";
/* In the place of what is another for each start (src/launch/container/begun.ts). */
enum { LAUNCH_MARK = 1, INSIDE_MARK = 2, FOLDER_MARK = 3, INSIDE_BYTES = 16 };

/* What was kept, and what is made of it. */
struct start {
  const char *program;
  /* Of the environment the names alone are kept; the values are the caller's. */
  struct strings names, env, args;
  char launch[64], inside[2 * INSIDE_BYTES + 1];
  const char *folder, *talk;
  /* The client's ends. */
  int stdin_fd;
};

/* ── what is kept ── */

static char *next_text(char **at, const char *end) {
  char *text = *at, *stop = memchr(text, '\0', (size_t)(end - text));
  if (!stop) return NULL;
  *at = stop + 1;
  return text;
}

/* Up to an empty one. */
static bool read_list(struct strings *list, char **at, const char *end) {
  for (char *text; (text = next_text(at, end));) {
    if (!*text) return true;
    strings_add(list, text);
  }
  return false;
}

static bool read_start(struct start *start, struct slice text) {
  enum { HEADER = sizeof header - 1, LINE = HEADER + SHA256_HEX + 1 };
  char digest[SHA256_HEX + 1], *at = text.text + LINE, *end = text.text + text.length;
  struct sha256 hash;
  if (text.length < LINE || memcmp(text.text, header, HEADER) != 0) return false;
  sha256_begin(&hash);
  sha256_add(&hash, at, (size_t)(end - at));
  sha256_end(&hash, digest);
  if (memcmp(digest, text.text + HEADER, SHA256_HEX) != 0 || !(start->program = next_text(&at, end))) return false;
  return read_list(&start->names, &at, end) && read_list(&start->args, &at, end) && at == end;
}

/* The planner takes a program only from where programs are installed, and so does whoever begins it sooner. */
static bool is_trusted(const char *program) {
  const char *slash = strrchr(program, '/');
  if (program[0] != '/' || slash == program || access(program, X_OK) != 0) return false;
  return !why_untrusted(allot_text(program, (size_t)(slash - program)), program);
}

static bool take_environment(struct start *start, char **env) {
  for (size_t i = 0; i < start->names.count; i++) {
    size_t length = strlen(start->names.items[i]);
    char **entry = env;
    while (*entry && (strncmp(*entry, start->names.items[i], length) != 0 || (*entry)[length] != '=')) entry++;
    if (!*entry) return false;
    bool is_path = strcmp(start->names.items[i], "PATH") == 0;
    strings_add(&start->env, is_path ? trusted_path(*entry + length + 1) : *entry);
  }
  return true;
}

/* ── what is another each time ── */

/* In Cordon's state, which no sandbox shows: what listens in /tmp could be reached by a command that has the real one. */
static char *folder_of_talks(const char *state) {
  char *path = join_path(state, "in");
  struct stat found;
  mkdir(path, 0700);
  bool is_ours = lstat(path, &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() && !(found.st_mode & 077);
  return is_ours ? realpath(path, NULL) : NULL;
}

/* The first process of the container connects from another user namespace; the folder above is the caller's alone. */
static int listen_in(struct start *start, const char *state) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char name[32], *talks = folder_of_talks(state);
  snprintf(name, sizeof name, "%d-XXXXXX", (int)getpid());
  if (!talks) return -1;
  char *made = join_path(talks, name);
  free(talks);
  if (!mkdtemp(made)) return -1;
  start->folder = made;
  start->talk = join_path(made, "talk");
  const char *path = join_path(start->talk, "socket");
  if (strlen(path) >= sizeof address.sun_path) return -1;
  memcpy(address.sun_path, path, strlen(path) + 1);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && mkdir(start->talk, 0755) == 0 && chmod(start->talk, 0755) == 0 &&
      bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && chmod(path, 0666) == 0 && listen(fd, 1) == 0)
    return fd;
  if (fd >= 0) close(fd);
  return -1;
}

static void remove_folder(const struct start *start) {
  if (!start->folder) return;
  unlink(join_path(start->talk, "socket"));
  rmdir(start->talk);
  rmdir(start->folder);
}

static bool draw_names(struct start *start) {
  unsigned char bytes[INSIDE_BYTES];
  struct timespec now;
  int source = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  bool drawn = source >= 0 && read(source, bytes, sizeof bytes) == (ssize_t)sizeof bytes;
  if (source >= 0) close(source);
  if (!drawn || clock_gettime(CLOCK_REALTIME, &now) != 0) return false;
  for (size_t i = 0; i < sizeof bytes; i++) snprintf(start->inside + 2 * i, 3, "%02x", bytes[i]);
  snprintf(start->launch, sizeof start->launch, "%lld%09ld-%d", (long long)now.tv_sec, now.tv_nsec, (int)getpid());
  return true;
}

static void fill_in(struct start *start) {
  for (size_t i = 0; i < start->args.count; i++) {
    struct text filled = {0};
    for (const char *at = start->args.items[i]; *at; at++)
      if (*at == LAUNCH_MARK) text_add(&filled, start->launch);
      else if (*at == INSIDE_MARK) text_add(&filled, start->inside);
      else if (*at == FOLDER_MARK) text_add(&filled, start->folder);
      else text_add_bytes(&filled, at, 1);
    start->args.items[i] = allot_text(filled.data, filled.length);
    text_free(&filled);
  }
}

/* A client reads all that it gets, so it gets none of the caller's input before it is taken over. */
static bool make_input(struct start *start, int *planners) {
  struct stat found;
  int ends[2];
  *planners = -1;
  start->stdin_fd = STDIN_FILENO;
  if (fstat(STDIN_FILENO, &found) == 0 && S_ISCHR(found.st_mode) && found.st_rdev == makedev(1, 3)) return true;
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  start->stdin_fd = ends[0];
  *planners = ends[1];
  return true;
}

/* ── who waits for the client ── */

static _Noreturn void become_client(const struct start *start, const sigset_t *caller_mask) {
  /* A terminal's signals are told the launcher by the planner, and only once. */
  setsid();
  if (chdir("/") != 0 || dup2(start->stdin_fd, STDIN_FILENO) < 0) _exit(EXIT_OWN_FAILURE);
  close_descriptors_from(STDERR_FILENO + 1);
  sigprocmask(SIG_SETMASK, caller_mask, NULL);
  struct strings argv = {0};
  strings_add(&argv, (char *)start->program);
  for (size_t i = 0; i < start->args.count; i++) strings_add(&argv, start->args.items[i]);
  strings_add(&argv, NULL);
  struct strings env = {0};
  for (size_t i = 0; i < start->env.count; i++) strings_add(&env, start->env.items[i]);
  strings_add(&env, NULL);
  execve(start->program, argv.items, env.items);
  _exit(EXIT_NOT_RUNNABLE);
}

static void add_part(struct text *text, const char *part) { text_add_bytes(text, part, strlen(part) + 1); }

static void add_list(struct text *text, const struct strings *list) {
  for (size_t i = 0; i < list->count; i++) add_part(text, list->items[i]);
  add_part(text, "");
}

/* What was begun, for the planner to compare. */
static bool say_begun(int line, const struct start *start, pid_t client) {
  struct text all = {0};
  char length[32];
  add_part(&all, decimal((uint64_t)client));
  add_part(&all, start->launch);
  add_part(&all, start->inside);
  add_part(&all, start->folder);
  add_part(&all, start->stdin_fd == STDIN_FILENO ? "" : "pipe");
  add_part(&all, start->program);
  add_list(&all, &start->env);
  add_list(&all, &start->args);
  snprintf(length, sizeof length, "%08zu", all.length);
  bool said = write_whole(line, length, 8) && write_whole(line, all.data, all.length);
  explicit_bzero(all.data, all.length);
  text_free(&all);
  return said;
}

/* It stays a zombie, so that its number means nobody else while the planner may signal it. */
static bool has_ended(pid_t client, int *code) {
  siginfo_t info = {0};
  if (waitid(P_PID, (id_t)client, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != client) return false;
  *code = info.si_code == CLD_EXITED ? info.si_status : EXIT_SIGNAL_BASE + info.si_status;
  return true;
}

enum owner { UNDECIDED, TAKEN, LEFT };
enum { PATIENCE_MS = 2000, MOST_ASKED = 3 };

static enum owner hear_planner(int line, enum owner owner) {
  char word;
  return read(line, &word, 1) == 1 && word == 'a' && owner == UNDECIDED ? TAKEN : LEFT;
}

/* Nobody will send a plan: the launcher ends without a word when it hears so. What it says is heard out, or it would hear an error. */
static void turn_away(int listener) {
  char said[4096];
  const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
  int asking = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  if (asking < 0) return;
  setsockopt(asking, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  shutdown(asking, SHUT_WR);
  while (read(asking, said, sizeof said) > 0) continue;
  close(asking);
}

static void see_through(struct watch *watch, pid_t client, int line, int listener) {
  enum owner owner = UNDECIDED;
  bool ended = false, told = false;
  int code = 0, asked = 0;
  for (;;) {
    ended = ended || has_ended(client, &code);
    if (ended && owner == LEFT) return;
    if (ended && owner == TAKEN && !told) {
      char text[16];
      told = true;
      write_whole(line, text, (size_t)snprintf(text, sizeof text, "%d\n", code));
    }
    struct pollfd sources[] = {{.fd = watch->fd, .events = POLLIN}, {.fd = owner == LEFT ? -1 : line, .events = POLLIN},
                               {.fd = owner == LEFT ? listener : -1, .events = POLLIN}};
    int found = poll(sources, 3, owner == LEFT ? PATIENCE_MS : -1);
    if (found < 0 && errno != EINTR) return;
    /* It may be fetching an image. One that does not listen must not keep the caller. */
    if (found == 0) kill(client, ++asked > MOST_ASKED ? SIGKILL : SIGTERM);
    struct caught caught;
    while (watch_next(watch, &caught)) continue;
    if (sources[2].revents) turn_away(listener);
    if (!sources[1].revents) continue;
    enum owner before = owner;
    owner = hear_planner(line, owner);
    if (owner == TAKEN) close(listener);
    if (before == TAKEN) return; /* The planner is gone, and with it what the launcher inside lives by. */
  }
}

static _Noreturn void become_starter(const struct start *start, int line, int listener) {
  struct watch watch;
  watch_begin(&watch);
  pid_t client = fork();
  if (client == 0) become_client(start, &watch.caller_mask);
  if (client > 0 && say_begun(line, start, client)) {
    /* It stays while the command runs, and has no use for what the caller's environment holds. */
    prctl(PR_SET_DUMPABLE, 0);
    wipe_strings(environ);
    wipe_arguments();
    if (start->stdin_fd != STDIN_FILENO) close(start->stdin_fd);
    let_go_of_input_and_output();
    see_through(&watch, client, line, listener);
  }
  /* Where the planner has taken it over, it has removed this. */
  remove_folder(start);
  _exit(0);
}

/* ── the front ── */

/* Out of the way of those numbers that the planner knows. */
static int out_of_the_way(int fd) {
  enum { FIRST = 16 };
  int moved = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FIRST);
  if (fd >= 0) close(fd);
  return moved;
}

static bool has_terminal(void) { return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO); }

void begun_start(struct begun *begun, const struct kept *kept, char **env) {
  struct start start = {0};
  int ends[2] = {-1, -1};
  *begun = (struct begun){.listener = -1, .line = -1, .input = -1};
  /* With one the client has to be in the foreground, with the input that is typed. */
  if (has_terminal() || !read_start(&start, kept_text(kept)) || !is_trusted(start.program) || !take_environment(&start, env)) return;
  begun->listener = out_of_the_way(draw_names(&start) ? listen_in(&start, kept->state) : -1);
  if (begun->listener < 0 || !make_input(&start, &begun->input) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    if (begun->input >= 0) close(start.stdin_fd);
    remove_folder(&start);
    begun_let_go(begun);
    return;
  }
  fill_in(&start);
  begun->input = out_of_the_way(begun->input);
  begun->line = out_of_the_way(ends[0]);
  begun->starter = fork();
  if (begun->starter == 0) {
    close(begun->line);
    if (begun->input >= 0) close(begun->input);
    become_starter(&start, ends[1], begun->listener);
  }
  close(ends[1]);
  if (start.stdin_fd != STDIN_FILENO) close(start.stdin_fd);
  if (begun->starter > 0) return;
  remove_folder(&start);
  begun_let_go(begun);
}

int begun_hand_over(const struct begun *begun, int first) {
  const int handed[] = {begun->listener, begun->line, begun->input}, count = begun->input < 0 ? 2 : 3;
  for (int i = 0; i < count; i++)
    if (dup2(handed[i], first + i) != first + i) refuse("cannot hand over what was begun: ", error_text(errno), NULL);
  return first + count;
}

void begun_let_go(struct begun *begun) {
  int *all[] = {&begun->listener, &begun->line, &begun->input};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (*all[i] >= 0) close(*all[i]);
    *all[i] = -1;
  }
}

void begun_await(const struct begun *begun) {
  if (begun->starter <= 0) return;
  while (waitpid(begun->starter, NULL, 0) < 0 && errno == EINTR) continue;
}
