#include "installed.h"
#include "node.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * What Cordon itself starts runs outside of any sandbox, so it is taken only from where programs are installed, never from a
 * place that a command can write now or could in an earlier launch.
 * The same rule, for the programs that the planner starts, is in src/host/own-program.ts.
 */

static bool is_temporary(const char *path) {
  static const char *const places[] = {"/tmp", "/var/tmp", "/dev/shm"};
  char real[PATH_MAX];
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (is_within(path, realpath(places[i], real) ? real : places[i])) return true;
  return false;
}

/* A submodule or a worktree has a file for a .git, and more above it: its repository may begin further up. */
static bool is_work(const char *path) {
  char folder[PATH_MAX];
  struct stat found;
  if (!getcwd(folder, sizeof folder) || folder[0] != '/' || !folder[1]) return false;
  if (is_within(path, folder)) return true;
  for (; folder[0]; *strrchr(folder, '/') = '\0') {
    if (lstat(join_path(folder, ".git"), &found) != 0) continue;
    if (is_within(path, folder)) return true;
    if (S_ISDIR(found.st_mode)) return false;
  }
  return false;
}

static bool is_in_group(gid_t group) {
  gid_t groups[NGROUPS_MAX];
  int count = getgroups(NGROUPS_MAX, groups);
  if (count < 0 || group == getegid() || group == getgid()) return true;
  for (int i = 0; i < count; i++)
    if (groups[i] == group) return true;
  return false;
}

/*
 * Many systems give each user a group of their own, of the same number, which counts as the user. And the system gives
 * some folders to a group, as /usr/local to `staff`: that is no matter where this user is not in it.
 */
static bool is_harmless_group(const struct stat *found) {
  if (found->st_uid == 0) return !is_in_group(found->st_gid);
  return found->st_uid == geteuid() && found->st_gid == (gid_t)found->st_uid;
}

static bool is_open(const char *path) {
  struct stat found;
  if (stat(path, &found) != 0 || (found.st_mode & S_IWOTH)) return true;
  return (found.st_mode & S_IWGRP) && !is_harmless_group(&found);
}

static bool is_below_open(const char *path) {
  char part[PATH_MAX];
  strcpy(part, path); /* What realpath gives fits. */
  for (; part[0]; *strrchr(part, '/') = '\0')
    if (is_open(part)) return true;
  return false;
}

enum { HOMES = 2 };

/* The user's line of /etc/passwd; no library's look-up, which a static program cannot rely on. */
static char *home_of_user(char *line, size_t size) {
  FILE *users = fopen("/etc/passwd", "re");
  char *home = NULL;
  while (users && !home && fgets(line, (int)size, users)) {
    char *rest = line, *uid = (strsep(&rest, ":"), strsep(&rest, ":"), strsep(&rest, ":"));
    char *number_end = NULL;
    if (!uid || !*uid || strtoul(uid, &number_end, 10) != getuid() || *number_end) continue;
    strsep(&rest, ":");
    strsep(&rest, ":");
    home = strsep(&rest, ":");
  }
  if (users) fclose(users);
  return home;
}

/* Without links. Where neither is known nothing below a home counts as installed. */
static size_t find_homes(char **homes) {
  static char reals[HOMES][PATH_MAX];
  char line[2 * PATH_MAX];
  const char *names[HOMES] = {getenv("HOME"), home_of_user(line, sizeof line)};
  size_t count = 0;
  for (size_t i = 0; i < HOMES; i++)
    if (names[i] && names[i][0] == '/' && realpath(names[i], reals[count])) {
      homes[count] = reals[count];
      count++;
    }
  return count;
}

static const char *why_writable(const char *real) {
  char *homes[HOMES];
  if (is_work(real)) return "below the working folder or its repository";
  if (is_temporary(real)) return "in a folder for temporary files";
  if (is_below_open(real)) return "in a folder that others may write";
  return why_not_installed(real, homes, find_homes(homes));
}

/* Both the folder that PATH names and the one a link leads to. */
const char *why_untrusted(const char *folder, const char *file) {
  char real[PATH_MAX];
  if (!realpath(folder, real)) return "in a folder that cannot be looked at";
  const char *why = why_writable(real);
  if (why) return why;
  return realpath(file, real) ? why_writable(real) : "a link that leads nowhere";
}

/* For a program that starts others by their names: with the caller's whole PATH it would start what a command has put there. */
char *trusted_path(const char *folders) {
  static const char start[] = "PATH=", of_the_system[] = "/usr/sbin:/usr/bin:/sbin:/bin";
  struct text path = {0};
  char *rest = allot_text(folders, strlen(folders));
  text_add(&path, start);
  for (char *folder; (folder = strsep(&rest, ":"));) {
    if (folder[0] != '/' || why_untrusted(folder, folder)) continue;
    if (path.length > sizeof start - 1) text_add(&path, ":");
    text_add(&path, folder);
  }
  if (path.length == sizeof start - 1) text_add(&path, of_the_system);
  char *entry = allot_text(path.data, path.length);
  text_free(&path);
  return entry;
}
