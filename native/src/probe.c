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
    for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++) dup2(null, fd);
    struct launch launch;
    parse_bare(&launch, text);
    run_behind_barrier(&launch, &own);
    write_whole(ends[1], own.data, own.length);
    _exit(EXIT_OWN_FAILURE);
  }
  close(ends[1]);
  char said[512];
  ssize_t got = read(ends[0], said, sizeof said);
  close(ends[0]);
  if (got > 0 && reason) text_add_bytes(reason, said, (size_t)got);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return true;
  sigaction(SIGCHLD, &before, NULL);
  return WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_RUNNABLE;
}

bool barrier_works(struct text *reason) { return try_plan(bare, reason); }

static bool print(const char *what, bool works, const struct text *reason) {
  struct text line = {0};
  text_add(&line, what);
  text_add(&line, works ? " yes" : " no: ");
  if (!works) text_add_shown(&line, reason->data, reason->length);
  text_add(&line, "\n");
  bool written = write_whole(STDOUT_FILENO, line.data, line.length);
  text_free(&line);
  return written;
}

int print_abilities(void) {
  struct text reason = {0};
  bool barrier = barrier_works(&reason);
  int overlay_context = (int)syscall(SYS_fsopen_, "overlay", FSOPEN_CLOEXEC_);
  (void)overlay_context;
  print("barrier", barrier, &reason);
  long abi = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_VERSION);
  struct text none = {0};
  text_add(&none, "the kernel lacks it");
  print("landlock-scope", abi >= LANDLOCK_ABI_WITH_SCOPES, &none);
  return barrier ? 0 : 1;
}
