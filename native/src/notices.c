#include "launch.h"
#include "protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool control_is_on(char **env, const char *name) {
  size_t length = strlen(name);
  for (; *env; env++)
    if (strncmp(*env, name, length) == 0 && strcmp(*env + length, "=1") == 0) return true;
  return false;
}

static int by_name(const void *left, const void *right) {
  const struct slice *a = left, *b = right;
  int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
  return order ? order : (a->length > b->length) - (a->length < b->length);
}

static void print_names(const char *verdict, struct slice *names, size_t count) {
  struct text line = {0};
  qsort(names, count, sizeof *names, by_name);
  text_add(&line, "[cordon shim: ");
  text_add_shown(&line, subject(), strlen(subject()));
  text_add(&line, "] env ");
  text_add(&line, verdict);
  text_add(&line, " (");
  text_add_number(&line, count);
  text_add(&line, " vars):");
  for (size_t i = 0; i < count; i++) {
    text_add(&line, " ");
    text_add_shown(&line, names[i].text, names[i].length);
  }
  text_add(&line, "\n");
  write_whole(STDERR_FILENO, line.data, line.length);
  text_free(&line);
}

static void print_passed(const struct launch *launch) {
  char **entries = launch->env.entries;
  size_t count = 0;
  while (entries[count]) count++;
  struct slice *names = allot(count, sizeof *names);
  for (size_t i = 0; i < count; i++) names[i] = (struct slice){entries[i], strcspn(entries[i], "=")};
  print_names("passed", names, count);
}

static void print_blocked(const struct launch *launch) {
  const struct sealed_env *env = &launch->env;
  struct slice *names = allot(env->decision_count, sizeof *names);
  size_t count = 0;
  for (size_t i = 0; i < env->decision_count; i++) {
    const struct decision *decision = &env->decisions[i];
    if (decision->outcome == OUTCOME_PASSED || decision->outcome == OUTCOME_DUPLICATE) continue;
    names[count++] = (struct slice){(char *)decision->name, decision->name_length};
  }
  print_names("blocked", names, count);
}

void print_debug(const struct launch *launch) {
  if (!control_is_on(launch->parent_env, "CORDON_SHIM_DEBUG") &&
      !control_is_on(launch->parent_env, "CORDON_SHIM_VERBOSE"))
    return;
  if (launch->plan.debug_head) {
    struct text line = {0};
    text_add_shown(&line, launch->plan.debug_head, strlen(launch->plan.debug_head));
    text_add(&line, "\n");
    write_whole(STDERR_FILENO, line.data, line.length);
    text_free(&line);
  }
  print_passed(launch);
  print_blocked(launch);
}

/* A shim that a tool starts behind the barrier: the process with number 1 is our own inner one. */
bool is_behind_barrier(void) {
  static const char inner[] = INNER_NAME "\n";
  char start[sizeof inner];
  int fd = open("/proc/1/comm", O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? -1 : read(fd, start, sizeof start);
  if (fd >= 0) close(fd);
  return got == (ssize_t)sizeof inner - 1 && memcmp(start, inner, sizeof inner - 1) == 0;
}

/* When the leader of the session began, in ticks since the machine did; 0 if nobody can tell. The name may hold anything. */
static uint64_t session_start(pid_t session) {
  struct text path = {0};
  text_add(&path, "/proc/");
  text_add_number(&path, (uint64_t)session);
  text_add(&path, "/stat");
  text_add_bytes(&path, "", 1);
  char line[1024];
  int fd = open(path.data, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? 0 : read(fd, line, sizeof line - 1);
  if (fd >= 0) close(fd);
  text_free(&path);
  line[got < 0 ? 0 : got] = 0;
  const char *field = strrchr(line, ')');
  for (int i = 0; field && i < 20; i++) field = strchr(field + 1, ' ');
  return field ? strtoull(field, NULL, 10) : 0;
}

/* The id of a session comes again one day: it is the same one only if it began at the same time. */
static void add_session(struct text *text) {
  pid_t session = getsid(0);
  text_add_number(text, (uint64_t)session);
  text_add(text, "-");
  text_add_number(text, session_start(session));
}

/* A marker that cannot be made means the notice comes again, never that it is lost. Inside, it was said outside. */
bool first_in_session(const char *folder, const char *prefix) {
  if (is_behind_barrier()) return false;
  if (!folder) return true;
  struct text path = {0};
  text_add(&path, folder);
  text_add(&path, "/");
  text_add(&path, prefix);
  add_session(&path);
  text_add_bytes(&path, "", 1);
  int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int fd = open(path.data, flags, 0600);
  if (fd < 0 && errno == ENOENT) {
    mkdir(folder, 0700);
    fd = open(path.data, flags, 0600);
  }
  bool seen = fd < 0 && errno == EEXIST;
  if (fd >= 0) close(fd);
  text_free(&path);
  return !seen;
}

static bool is_silenced(const struct launch *launch) {
  return launch->is_shim && (control_is_on(launch->parent_env, "CORDON_POLICY_QUIET") ||
                             !first_in_session(launch->plan.warn_dir, "policy-warned-"));
}

void warn_second_way(const struct launch *launch, const char *why) {
  if (launch->plan.places.root == ROOT_WRITABLE || is_silenced(launch)) return;
  say("warning: the barrier is bubblewrap's (", why, "): what is written outside the workspace is lost, and sockets in /var, "
      "/opt and /srv can be reached; `cordon doctor` tells more", NULL);
}

void warn_degraded(const struct launch *launch, const char *why) {
  if (is_silenced(launch)) return;
  say("warning: no barrier (", why, "): the environment is filtered, but the command can still read that of other "
      "processes in /proc, and files; `cordon doctor` tells how to get the barrier",
      launch->is_shim ? ", CORDON_POLICY_QUIET=1 silences this" : "", NULL);
}
