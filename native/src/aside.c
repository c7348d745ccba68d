#include "aside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char live[] = "live-";

/* /var/tmp is everybody's: a folder there counts only if this user made it and nobody else can look into it. */
int open_own_folder(const char *path, bool make) {
  struct stat found;
  if (make && mkdir(path, 0700) != 0 && errno != EEXIST) return -1;
  int folder = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  if (fstat(folder, &found) == 0 && found.st_uid == geteuid() && !(found.st_mode & 077)) return folder;
  close(folder);
  errno = EPERM;
  return -1;
}

static int make_folder(struct aside *aside) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(aside->name, sizeof aside->name, "%s%llx-%x", live,
           (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec, (unsigned)getpid());
  if (mkdirat(aside->parent, aside->name, 0700) != 0) return -1;
  int folder = openat(aside->parent, aside->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) == 0) return folder;
  if (folder >= 0) close(folder);
  return -1;
}

void aside_open(struct aside *aside, const char *parent) {
  *aside = (struct aside){.parent = -1, .folder = -1};
  if (!parent) return;
  aside->parent = open_own_folder(parent, true);
  if (aside->parent >= 0) aside->folder = make_folder(aside);
  if (aside->folder < 0)
    say("warning: ", parent, " cannot be used (", error_text(errno), "): what is written outside the workspace stays in memory", NULL);
}

/* The work folder of an overlay has mode 0. No link is followed: names are the command's. */
void remove_tree(int at, const char *name) {
  if (unlinkat(at, name, 0) == 0 || errno != EISDIR) return;
  int folder = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0 && errno == EACCES && fchmodat(at, name, 0700, 0) == 0)
    folder = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat found;
  if (folder >= 0 && fstat(folder, &found) == 0 && (found.st_mode & 0700) != 0700) fchmod(folder, 0700);
  DIR *listing = folder < 0 ? NULL : fdopendir(folder);
  if (!listing) return;
  for (struct dirent *entry; (entry = readdir(listing));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) remove_tree(folder, entry->d_name);
  closedir(listing);
  unlinkat(at, name, AT_REMOVEDIR);
}

void aside_remove(struct aside *aside) {
  if (aside->folder < 0) return;
  remove_tree(aside->parent, aside->name);
  close(aside->folder);
  close(aside->parent);
  aside->folder = aside->parent = -1;
}

static void sweep_one(const struct aside *aside, const char *name) {
  if (strncmp(name, live, sizeof live - 1) != 0 || strcmp(name, aside->name) == 0) return;
  int folder = openat(aside->parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  struct stat found, now;
  /* One that is just being made has no lock yet. */
  bool is_old = fstat(folder, &found) == 0 && fstat(aside->folder, &now) == 0 && now.st_mtim.tv_sec - found.st_mtim.tv_sec > 60;
  if (is_old && flock(folder, LOCK_EX | LOCK_NB) == 0) remove_tree(aside->parent, name);
  close(folder);
}

void aside_sweep(const struct aside *aside) {
  DIR *listing = aside->folder < 0 ? NULL : fdopendir(openat(aside->parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing) return;
  for (struct dirent *entry; (entry = readdir(listing));) sweep_one(aside, entry->d_name);
  closedir(listing);
}
