#include "front.h"
#include "git.h"
#include "launch.h"
#include "launches.h"
#include "outside.h"
#include "probe.h"
#include "protocol.h"
#include "pty.h"
#include "relay.h"

#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char plan_flag[] = "--plan-fd=";

static const char ask_at_flag[] = "--ask-at=", ask_as_flag[] = "--ask-as=", ask_fd_flag[] = "--ask-fd=", copy_flag[] = "--with-copy",
                  relay_flag[] = "--relay=", hold_flag[] = "--hold", way_out_flag[] = "--way-out=", launches_flag[] = "--launches=";

static _Noreturn void run_shim(int argc, char **argv) {
  struct launch launch;
  launch_begin(&launch, environ);
  launch.is_shim = true;
  load_shim(&launch, argv[1]);
  launch_run(&launch, argv + 2, (size_t)argc - 2);
}

/* The plan carries the values themselves here, so nobody may look into this process from its first byte on. */
static _Noreturn void run_piped(const char *number, bool in_own_terminal) {
  struct launch launch;
  uint64_t fd;
  if (!parse_number(number, &fd) || fd > INT32_MAX) refuse("--plan-fd: a descriptor's number was expected", NULL);
  if (in_own_terminal) enter_own_terminal((int)fd);
  launch_begin(&launch, environ);
  prctl(PR_SET_DUMPABLE, 0);
  load_pipe(&launch, (int)fd);
  /* It may have waited long for its plan, which is no part of the launch. */
  clock_gettime(CLOCK_MONOTONIC, &launch.started);
  launch_run(&launch, NULL, 0);
}

/* The plan depends on what is here, so that is said first. Whoever asks is as much in the dark as `run_piped`. */
static _Noreturn void run_asking(int fd) {
  struct launch launch;
  launch_begin(&launch, environ);
  load_asked(&launch, fd);
  clock_gettime(CLOCK_MONOTONIC, &launch.started);
  launch_run(&launch, NULL, 0);
}

/* Its last word is the launch; what the program is told comes on descriptor 3. */
static _Noreturn void serve_way_out(const char *path, const char *parent, char **words) {
  uint64_t pid;
  if (!parse_number(parent, &pid) || pid > INT32_MAX) refuse("--way-out: a process's number was expected", NULL);
  prctl(PR_SET_DUMPABLE, 0);
  die_with_parent((pid_t)pid);
  outside_serve(path, words);
}

static pid_t process_in(const char *number) {
  uint64_t pid;
  if (!parse_number(number, &pid) || pid > INT32_MAX) refuse("--launches: a process's number was expected", NULL);
  return (pid_t)pid;
}

static int descriptor_in(const char *number) {
  uint64_t fd;
  if (!parse_number(number, &fd) || fd > INT32_MAX) refuse("--ask-fd: a descriptor's number was expected", NULL);
  return (int)fd;
}

/* 0 at a prefix, as strcmp has it. */
static int compare_start(const char *text, const char *start) { return strncmp(text, start, strlen(start)); }

int main(int argc, char **argv) {
  if (argc >= 2 && strcmp(argv[1], INNER_FLAG) == 0) inner_main(argc, argv);
  if (is_front()) return front_main(argc, argv);
  require_standard_descriptors();
  keep_arguments(argv);
  if (argc == 2 && strcmp(argv[1], "--version") == 0) {
    static const char version[] = "cordon-launch " CORDON_VERSION "\n";
    return write_whole(STDOUT_FILENO, version, sizeof version - 1) ? 0 : EXIT_OWN_FAILURE;
  }
  if (argc == 2 && strcmp(argv[1], "--probe") == 0) return print_abilities();
  if (argc == 2 && strcmp(argv[1], "--git-places") == 0) return git_print_places();
  if (argc == 2 && strcmp(argv[1], "--git-index") == 0) return git_judge_index();
  bool has_word = argc == 3 && compare_start(argv[2], ask_as_flag) == 0;
  if ((argc == 2 || has_word) && compare_start(argv[1], ask_at_flag) == 0) {
    prctl(PR_SET_DUMPABLE, 0);
    run_asking(connect_to_planner(argv[1] + sizeof ask_at_flag - 1, has_word ? argv[2] + sizeof ask_as_flag - 1 : NULL));
  }
  if (argc == 2 && compare_start(argv[1], ask_fd_flag) == 0) {
    prctl(PR_SET_DUMPABLE, 0);
    run_asking(descriptor_in(argv[1] + sizeof ask_fd_flag - 1));
  }
  if (argc == 2 && compare_start(argv[1], relay_flag) == 0) {
    prctl(PR_SET_DUMPABLE, 0);
    run_asking(relay_beside(argv[1] + sizeof relay_flag - 1));
  }
  if (argc == 2 && strcmp(argv[1], hold_flag) == 0) hold_pod();
  if (argc == 2 && compare_start(argv[1], launches_flag) == 0) serve_launches(process_in(argv[1] + sizeof launches_flag - 1));
  if (argc >= 5 && compare_start(argv[1], way_out_flag) == 0) serve_way_out(argv[1] + sizeof way_out_flag - 1, argv[2], argv + 3);
  if (argc >= 3 && strcmp(argv[1], copy_flag) == 0) become_with_copy(argv + 2);
  bool in_own_terminal = argc == 3 && strcmp(argv[1], "--pty") == 0;
  const char *last = argc >= 2 ? argv[argc - 1] : "";
  if ((argc == 2 || in_own_terminal) && strncmp(last, plan_flag, sizeof plan_flag - 1) == 0)
    run_piped(last + sizeof plan_flag - 1, in_own_terminal);
  if (argc < 2 || argv[1][0] == '-')
    refuse("this runs plans: as the interpreter of a shim, or with --plan-fd=N; people use `cordon`", NULL);
  run_shim(argc, argv);
}
