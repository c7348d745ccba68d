#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_LOG = 5 << 20, USUAL_ENTRY = 64 };

static void add_names(struct text *record, const struct sealed_env *env) {
  const char *comma = "";
  text_add(record, ",\"passed\":[");
  for (size_t i = 0; i < env->decision_count; i++) {
    const struct decision *decision = &env->decisions[i];
    if (decision->outcome != OUTCOME_PASSED) continue;
    text_add(record, comma);
    text_add_json(record, decision->name, decision->name_length);
    comma = ",";
  }
  text_add(record, "],\"dropped\":[");
  comma = "";
  for (size_t i = 0; i < env->decision_count; i++) {
    const struct decision *decision = &env->decisions[i];
    if (decision->outcome == OUTCOME_PASSED) continue;
    text_add(record, comma);
    text_add(record, "{\"name\":");
    text_add_json(record, decision->name, decision->name_length);
    text_add(record, ",\"rule\":");
    text_add_reason(record, decision);
    text_add(record, "}");
    comma = ",";
  }
  text_add(record, "]");
}

static void add_part(struct text *record, int number, const char *behind) {
  if (number < 10) text_add(record, "0");
  text_add_number(record, (uint64_t)number);
  text_add(record, behind);
}

/* By hand: strftime would bring half of stdio along, and every page of a program costs at each start. */
static void add_time(struct text *record, time_t seconds) {
  struct tm parts;
  if (!gmtime_r(&seconds, &parts)) return;
  add_part(record, parts.tm_year + 1900, "-");
  add_part(record, parts.tm_mon + 1, "-");
  add_part(record, parts.tm_mday, "T");
  add_part(record, parts.tm_hour, ":");
  add_part(record, parts.tm_min, ":");
  add_part(record, parts.tm_sec, "Z");
}

/* A plan may be started often, so what differs from start to start is not in its head. */
static void add_start(struct text *record, const struct launch *launch) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (launch->is_kept) {
    text_add(record, ",\"command\":");
    text_add_json(record, launch->plan.command, strlen(launch->plan.command));
  }
  text_add(record, ",\"time\":\"");
  add_time(record, now.tv_sec);
  text_add(record, "\",\"id\":\"");
  text_add(record, launch->id);
  text_add(record, "\"");
  if (!launch->is_shim && !launch->is_kept) return;
  size_t arguments = 0;
  while (launch->argv[arguments]) arguments++;
  text_add(record, ",\"arguments\":");
  text_add_number(record, arguments - 1);
}

static void add_folder(struct text *record) {
  char folder[PATH_MAX];
  if (!getcwd(folder, sizeof folder)) return;
  text_add(record, ",\"folder\":");
  text_add_json(record, folder, strlen(folder));
}

void audit_prepare(struct launch *launch) {
  struct audit *audit = &launch->audit;
  if (!launch->plan.audit) return;
  audit->path = text_keep(launch->plan.audit);
  audit->warn_dir = text_keep(launch->plan.warn_dir);
  text_make_room(&audit->record, strlen(launch->plan.audit_head) + launch->env.decision_count * USUAL_ENTRY);
  text_add(&audit->record, launch->plan.audit_head);
  add_start(&audit->record, launch);
  if (launch->plan.rules.count) add_names(&audit->record, &launch->env);
  add_folder(&audit->record);
}

static int open_log(const char *path, struct stat *found) {
  int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
  if (fd >= 0 && fstat(fd, found) == 0 && S_ISREG(found->st_mode)) return fd;
  if (fd < 0) return -1;
  close(fd);
  errno = EINVAL;
  return -1;
}

static int rotate(int fd, const char *path, struct stat *found) {
  struct text old = {0};
  text_add(&old, path);
  text_add_bytes(&old, ".1", 3);
  int error = rename(path, old.data);
  text_free(&old);
  if (error) return fd;
  close(fd);
  return open_log(path, found);
}

/* One write, so that launches at the same time cannot mix their lines. */
static bool append(const char *path, const struct text *record) {
  struct stat found;
  int fd = open_log(path, &found);
  if (fd >= 0 && found.st_size > LARGEST_LOG) fd = rotate(fd, path, &found);
  if (fd < 0) return false;
  errno = ENOSPC;
  bool whole = write(fd, record->data, record->length) == (ssize_t)record->length;
  int error = errno;
  close(fd);
  errno = error;
  return whole;
}

static uint64_t elapsed_ms(const struct timespec *since) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)((now.tv_sec - since->tv_sec) * 1000 + (now.tv_nsec - since->tv_nsec) / 1000000);
}

/* Best effort: a full disk or a folder that is not there must never be felt by the command. */
void audit_write(struct launch *launch, const char *isolation, int exit_code) {
  struct audit *audit = &launch->audit;
  if (!audit->path) return;
  struct text *record = &audit->record;
  text_add(record, ",\"isolation\":\"");
  text_add(record, isolation);
  text_add(record, "\",\"exit\":");
  if (exit_code < 0) text_add(record, "null");
  else text_add_number(record, (uint64_t)exit_code);
  text_add(record, ",\"duration_ms\":");
  text_add_number(record, elapsed_ms(&launch->started));
  text_add(record, "}\n");
  int error = append(audit->path, record) ? 0 : errno;
  if (error && first_in_session(audit->warn_dir, "audit-warned-"))
    say("warning: the audit record could not be written to ", audit->path, ": ", error_text(error), NULL);
}
