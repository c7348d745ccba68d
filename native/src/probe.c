#include "probe.h"

#include "barrier.h"
#include "kernel.h"
#include "mount.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char bare[] = "cordon-plan 2\nname probe\ncommand /\narg probe\nisolation barrier\nroot machine\n"
                           "private /tmp 1777\nproc\ndev\nend\n";

static void parse_bare(struct launch *launch, const char *text) {
  char *copy = allot_text(text, strlen(text));
  static char *nothing[] = {NULL};
  launch_begin(launch, nothing);
  plan_parse(&launch->plan, (struct slice){copy, strlen(text)});
  launch->argv = launch->plan.args.items;
  launch->env.entries = nothing;
}

/* What a probe refuses with is a reason like any other. */
static const char own_words[] = "cordon: launch: ";

static void read_first_line(int fd, struct text *line) {
  char said[512];
  ssize_t got = read(fd, said, sizeof said);
  const size_t prefix = sizeof own_words - 1;
  bool is_own = got >= (ssize_t)prefix && memcmp(said, own_words, prefix) == 0;
  size_t length = 0, begin = is_own ? prefix : 0;
  while (got > 0 && length < (size_t)got && said[length] != '\n') length++;
  if (length > begin) text_add_bytes(line, said + begin, length - begin);
}

/* The child of a probe only makes its barrier: `/` cannot be executed, which is told apart by its exit code. */
static bool try_plan(const char *text, struct text *reason) {
  struct text own = {0};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return true;
  struct sigaction before;
  take_child_signal(&before);
  pid_t pid = fork();
  if (pid < 0) return true;
  if (pid == 0) {
    int null = openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd < STDERR_FILENO; fd++) dup2(null, fd);
    dup2(ends[1], STDERR_FILENO);
    struct launch launch;
    parse_bare(&launch, text);
    run_behind_barrier(&launch, &own);
    write_whole(ends[1], own.data, own.length);
    _exit(EXIT_OWN_FAILURE);
  }
  close(ends[1]);
  if (reason) read_first_line(ends[0], reason);
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return true;
  sigaction(SIGCHLD, &before, NULL);
  return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_RUNNABLE;
}

bool barrier_works(struct text *reason) { return try_plan(bare, reason); }

static _Noreturn void try_bubblewrap(const char *path, int errors) {
  char *const argv[] = {(char *)path, (char *)"--unshare-pid", (char *)"--bind", (char *)"/", (char *)"/",
                        (char *)"--dev", (char *)"/dev", (char *)"--proc", (char *)"/proc", (char *)"--",
                        (char *)path, (char *)"--version", NULL};
  char *const nothing[] = {NULL};
  int null = openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; null >= 0 && fd < STDERR_FILENO; fd++) dup2(null, fd);
  dup2(errors, STDERR_FILENO);
  execve(path, argv, nothing);
  const char *why = error_text(errno);
  write_whole(STDERR_FILENO, why, strlen(why));
  _exit(EXIT_OWN_FAILURE);
}

bool bubblewrap_works(const char *path, struct text *reason) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) refuse("cannot set up the sandbox: ", error_text(errno), NULL);
  struct sigaction before;
  take_child_signal(&before);
  pid_t pid = fork();
  if (pid == 0) try_bubblewrap(path, ends[1]);
  close(ends[1]);
  int status = -1;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (reason) read_first_line(ends[0], reason);
  bool works = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (reason && !works && !reason->length) text_add(reason, "it ended without a word");
  close(ends[0]);
  sigaction(SIGCHLD, &before, NULL);
  return works;
}

/* ── for `cordon doctor` ── */

static const char layered[] = "cordon-plan 2\nname probe\ncommand /\narg probe\nisolation barrier\nroot machine\n"
                              "workspace /var/tmp aside\nproc\ndev\nend\n";
static const char *const usual_bubblewraps[] = {"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"};

static const char *working_bubblewrap(void) {
  for (size_t i = 0; i < sizeof usual_bubblewraps / sizeof *usual_bubblewraps; i++)
    if (access(usual_bubblewraps[i], X_OK) == 0 && bubblewrap_works(usual_bubblewraps[i], NULL)) return usual_bubblewraps[i];
  return NULL;
}

static void print(const char *what, const char *value, const struct text *reason) {
  struct text line = {0};
  text_add(&line, what);
  text_add(&line, " ");
  text_add(&line, value);
  if (reason && reason->length) {
    text_add(&line, ": ");
    text_add_shown(&line, reason->data, reason->length);
  }
  text_add(&line, "\n");
  write_whole(STDOUT_FILENO, line.data, line.length);
  text_free(&line);
}

int print_abilities(void) {
  struct text no_barrier = {0}, no_layers = {0};
  bool own = try_plan(bare, &no_barrier), layers = own && try_plan(layered, &no_layers);
  bool other = !own && working_bubblewrap();
  print("barrier", own ? "own" : other ? "bubblewrap" : "none", own ? NULL : &no_barrier);
  if (!layers && !no_layers.length) text_add(&no_layers, own ? "this kernel has no layers for users" : "there are no namespaces of its own");
  print("overlay", layers ? "yes" : "no", layers ? NULL : &no_layers);
  long landlock = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_VERSION);
  print("landlock", decimal(landlock < 0 ? 0 : (uint64_t)landlock), NULL);
  return own || other ? 0 : 1;
}
