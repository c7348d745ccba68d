#include "cover.h"
#include "mount.h"

#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* Masks and stand-ins lie in memory over a folder that a new one covers in the end: every plan has a /dev of its own. */
#define USUAL_QUOTA (UINT64_C(1) << 30)
static const char *const staging_places[] = {"/dev", "/tmp", "/var/tmp", "/mnt"};

static int attach_in_memory(int onto, uint64_t bytes) {
  int tree = memory_folder(0755, bytes), kept = fcntl(tree, F_DUPFD_CLOEXEC, 3);
  tree_place(tree, onto);
  return kept;
}

/* When it is full the command gets ENOSPC, and nobody else feels it. */
static uint64_t quota_of(const struct view *view) {
  return view->plan->places.quota ? view->plan->places.quota : USUAL_QUOTA;
}

static int open_working_place(void) {
  for (size_t i = 0; i < sizeof staging_places / sizeof *staging_places; i++) {
    int onto = openat(AT_FDCWD, staging_places[i], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (onto >= 0) return onto;
  }
  refuse("there is no folder to work in: /tmp and /var/tmp are missing", NULL);
}

static int attach_in_folder(int at, const char *name, uint64_t bytes) {
  int folder = made_folder(at, name, 0755);
  if (folder < 0) refuse("the barrier could not be set up: ", error_text(errno), NULL);
  return attach_in_memory(folder, bytes);
}

/* A root that begins empty is there from the start. */
static void open_staging(struct view *view) {
  view->staging = attach_in_memory(open_working_place(), quota_of(view));
  if (view->plan->places.root == ROOT_EMPTY) {
    view->root = view->staging;
    view->staging = attach_in_folder(view->root, "dev", quota_of(view));
  }
  view->memory = attach_in_folder(view->staging, "memory", 0);
}

/* All that have no size of their own are folders of one file system: each of its own would cost as much as all the rest of a place. */
int private_folder(const struct view *view, unsigned mode, uint64_t size) {
  static size_t made;
  char name[32];
  if (size) return memory_folder(mode, size);
  snprintf(name, sizeof name, "%zu", made++);
  int folder = made_folder(view->memory, name, mode), tree = folder < 0 ? -1 : tree_of(folder, false);
  if (tree < 0) refuse("the barrier could not be set up: ", error_text(errno), NULL);
  close(folder);
  return tree;
}

int open_target(const char *target, bool is_folder) {
  int onto = open_without_links(AT_FDCWD, target, O_PATH | O_NOFOLLOW);
  if (onto >= 0) return onto;
  char *path = allot_text(target, strlen(target));
  for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = '\0';
    mkdir(path, 0755);
    *at = '/';
  }
  int made = is_folder ? mkdir(path, 0755) : openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (made > 0) close(made);
  onto = open_without_links(AT_FDCWD, target, O_PATH | O_NOFOLLOW);
  if (onto < 0) refuse("there is no place for ", target, " inside: ", error_text(errno), NULL);
  return onto;
}

/* ── the order of things: what holds another comes first ── */

static size_t depth_of(const char *path) {
  size_t depth = 0;
  for (; *path; path++) depth += *path == '/' && path[1];
  return depth;
}

static void sort_by_depth(struct view *view) {
  for (size_t i = 1; i < view->count; i++) {
    struct place moved = view->places[i];
    size_t depth = depth_of(moved.target), at = i;
    for (; at > 0 && depth_of(view->places[at - 1].target) > depth; at--) view->places[at] = view->places[at - 1];
    view->places[at] = moved;
  }
}

/* ── the root ── */

/* The machine's tree stays within reach until a /proc of its own is mounted, which the kernel allows only beside another. */
static int enter_empty_root(int root) {
  int machine = openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (machine < 0 || fchdir(root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0 || chdir("/") != 0)
    refuse("the barrier could not be set up: pivot_root: ", error_text(errno), NULL);
  return machine;
}

static void restrict_root(bool all) {
  int root = openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  tree_restrict(root, all, MOUNT_ATTR_RDONLY_ | MOUNT_ATTR_NOSUID_);
  close(root);
}

static void finish_empty_root(int machine) {
  if (fchdir(machine) != 0 || umount2(".", MNT_DETACH) != 0 || chdir("/") != 0)
    refuse("the barrier could not be set up: ", error_text(errno), NULL);
  restrict_root(false);
}

static void place_link(const struct place *place) {
  char *above = allot_text(place->target, strlen(place->target)), *slash = strrchr(above, '/');
  *slash = '\0';
  if (*above) close(open_target(above, true));
  if (symlink(place->link, place->target) != 0 && errno != EEXIST) refuse(place->target, ": ", error_text(errno), NULL);
}

/* Whatever is made there later is not seen. */
static void place_empty(const struct view *view, const char *target) {
  mkdirat(view->staging, "empty", 0555);
  int folder = openat(view->staging, "empty", O_PATH | O_DIRECTORY | O_CLOEXEC), tree = folder < 0 ? -1 : tree_of(folder, false);
  if (tree < 0) refuse("the barrier could not be set up: ", error_text(errno), NULL);
  close(folder);
  tree_restrict(tree, false, MOUNT_ATTR_RDONLY_);
  tree_place(tree, open_target(target, true));
}

static void put_in_place(const struct view *view, const struct place *place, const struct devices *devices) {
  switch (place->kind) {
    case PLACE_NONE: return;
    case PLACE_EMPTY: place_empty(view, place->target); return;
    case PLACE_DEV: place_dev(view, devices, place->size); return;
    case PLACE_PROC: close(open_target("/proc", true)); place_proc(); return;
    case PLACE_RUN: place_run(view); return;
    case PLACE_PRIVATE:
      if (place->link) place_link(place);
      else if (place->is_plain_folder) close(open_target(place->target, true));
      else tree_place(private_folder(view, (unsigned)place->mode, place->size), open_target(place->target, true));
      return;
    default: tree_place(place->tree, open_target(place->target, place->is_folder)); return;
  }
}

/* A home that is reached through a link which lies where nothing of the machine is seen gets the link again. */
static void repeat_home_links(const struct view *view) {
  for (size_t i = 0; i < view->home_count; i++) {
    const char *name = view->home_names[i];
    if (strcmp(name, view->homes[i]) == 0 || access(name, F_OK) == 0) continue;
    struct place link = {.kind = PLACE_PRIVATE, .target = allot_text(name, strlen(name)), .link = view->homes[i]};
    place_link(&link);
  }
}

/* ── all of it ── */

void build_view(struct view *view, const struct launch *launch, int aside) {
  struct devices devices;
  mode_t mask = umask(0);
  survey(view, launch);
  compose(view);
  open_devices(&devices);
  if (place_around(view, "/run") && place_around(view, "/run")->kind == PLACE_RUN) open_run(view);
  open_staging(view);
  view->store = aside < 0 ? view->staging : aside;
  make_layers(view);
  sort_by_depth(view);
  int machine = launch->plan.places.root == ROOT_EMPTY ? enter_empty_root(view->root) : -1;
  if (launch->plan.places.root == ROOT_MACHINE) {
    restrict_root(true);
    tree_unlock(view->staging);
    tree_unlock(view->memory);
  }
  for (size_t i = 0; i < view->count; i++) put_in_place(view, &view->places[i], &devices);
  repeat_home_links(view);
  cover_all(view);
  if (launch->plan.places.root == ROOT_EMPTY) finish_empty_root(machine);
  umask(mask);
}
