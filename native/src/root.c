#include "mount.h"
#include "view.h"

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
static const char staging_name[] = ".cordon";
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

/* A root that begins empty is there from the start, and holds them until it is whole. */
static void open_staging(struct view *view) {
  int place = attach_in_memory(open_working_place(), quota_of(view));
  view->staging = place;
  if (view->plan->places.root != ROOT_EMPTY) return;
  view->root = place;
  if (mkdirat(place, staging_name, 0700) != 0) refuse("the barrier could not be set up: ", error_text(errno), NULL);
  view->staging = attach_in_memory(openat(place, staging_name, O_PATH | O_DIRECTORY | O_CLOEXEC), quota_of(view));
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

/* Of a root that began empty nothing of the work on it is to be seen. */
static void finish_empty_root(int machine) {
  char *staging = joined("/", staging_name);
  if (fchdir(machine) != 0 || umount2(".", MNT_DETACH) != 0 || chdir("/") != 0 || umount2(staging, MNT_DETACH) != 0 || rmdir(staging) != 0)
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
    case PLACE_DEV: place_dev(devices, place->size); return;
    case PLACE_PROC: close(open_target("/proc", true)); place_proc(); return;
    case PLACE_RUN: place_run(); return;
    case PLACE_PRIVATE:
      if (place->link) place_link(place);
      else if (place->is_plain_folder) close(open_target(place->target, true));
      else tree_place(memory_folder((unsigned)place->mode, place->size), open_target(place->target, true));
      return;
    default: tree_place(place->tree, open_target(place->target, place->is_folder)); return;
  }
}

/* ── covers, where no layer can make a name absent ── */

static int unreadable(struct view *view, bool folder) {
  const char *name = folder ? "closed-folder" : "closed-file";
  int opened = openat(view->staging, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) {
    int made = folder ? mkdirat(view->staging, name, 0) : openat(view->staging, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0);
    if (made > 0) close(made);
    if (made < 0 || (opened = openat(view->staging, name, O_PATH | O_NOFOLLOW | O_CLOEXEC)) < 0)
      refuse("the barrier could not be set up: ", error_text(errno), NULL);
  }
  int tree = tree_of(opened, false);
  close(opened);
  if (tree < 0) refuse("the barrier could not be set up: ", error_text(errno), NULL);
  tree_restrict(tree, false, MOUNT_ATTR_RDONLY_);
  return tree;
}

/* A name that leads to a place where files are the machine's own, so that something must lie over it; NULL: no need. */
static const struct place *bound_place(const struct view *view, const char *path, bool *on_root) {
  const struct place *around = place_around(view, path);
  *on_root = !around;
  if (!around) return NULL;
  bool is_bound = (around->kind == PLACE_READ || around->kind == PLACE_WRITE) && !around->is_exposed;
  return is_bound ? around : NULL;
}

static int tree_at(const char *path, bool *is_folder) {
  struct stat found;
  int opened = open_without_links(AT_FDCWD, path, O_PATH | O_NOFOLLOW);
  if (opened < 0) return -1;
  *is_folder = fstat(opened, &found) == 0 && S_ISDIR(found.st_mode);
  return opened;
}

static bool is_held(const struct view *view, const char *folder) {
  for (size_t i = 0; i < view->held.count; i++)
    if (strcmp(view->held.items[i], folder) == 0) return true;
  return false;
}

/* Each once: a copy takes along the mounts below it, so that copies of copies would double with every cover. */
static void hold_folder(struct view *view, char *folder) {
  bool is_folder;
  if (is_held(view, folder)) return;
  int onto = tree_at(folder, &is_folder), tree = onto < 0 ? -1 : tree_of(onto, true);
  if (tree < 0) return;
  tree_place(tree, onto);
  strings_add(&view->held, folder);
}

/* Folders that can be renamed from inside are held in place, or the cover would go with them. */
static void hold_folders(struct view *view, const char *from, const char *path) {
  const char *rest = below(from, path);
  for (const char *at = strchr(rest, '/'); at; at = strchr(at + 1, '/'))
    hold_folder(view, joined(from, allot_text(rest, (size_t)(at - rest))));
}

static void cover(struct view *view, const char *path, bool keep_readable) {
  bool on_root, is_folder;
  const struct place *around = bound_place(view, path, &on_root);
  bool writable = around ? around->kind == PLACE_WRITE : view->plan->places.root == ROOT_WRITABLE;
  if (!around && !on_root) return;
  if (keep_readable && !writable) return;
  int onto = tree_at(path, &is_folder);
  if (onto < 0) return;
  if (writable) {
    close(onto);
    hold_folders(view, around ? around->target : "/", path);
    onto = tree_at(path, &is_folder);
    if (onto < 0) return;
  }
  int tree = keep_readable ? tree_of(onto, true) : unreadable(view, is_folder);
  if (tree < 0) refuse(path, ": ", error_text(errno), NULL);
  if (keep_readable) tree_restrict(tree, true, MOUNT_ATTR_RDONLY_);
  tree_place(tree, onto);
  strings_add(&view->held, (char *)path);
}

/* What lies in a home needs one only in a place that is bound into it. */
static bool may_need_cover(const struct view *view, const char *path) {
  bool in_home = false;
  for (size_t i = 0; i < view->home_count && !in_home; i++) in_home = below(view->homes[i], path) != NULL;
  if (!in_home) return true;
  for (size_t i = 0; i < view->count; i++) {
    const struct place *place = &view->places[i];
    if ((place->kind == PLACE_READ || place->kind == PLACE_WRITE) && below(place->target, path)) return true;
  }
  return view->plan->places.root == ROOT_WRITABLE;
}

static void cover_all(struct view *view) {
  for (size_t i = 0; i < view->plan->places.keep_read.count; i++)
    cover(view, without_links(view, view->plan->places.keep_read.items[i]), true);
  for (size_t i = 0; i < view->hidden.count; i++)
    if (may_need_cover(view, view->hidden.items[i])) cover(view, view->hidden.items[i], false);
}

/* Texts for files that no layer holds. */
static void place_files(struct view *view) {
  for (size_t i = 0; i < view->file_count; i++) {
    const struct place *around = place_around(view, view->files[i].target);
    if (around && around->layer && (around->kind == PLACE_LAYER || around->kind == PLACE_CUT)) continue;
    char name[32];
    snprintf(name, sizeof name, "text%zu", i);
    int file = openat(view->staging, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0 || !write_whole(file, view->files[i].text.text, view->files[i].text.length))
      refuse(view->files[i].target, ": ", error_text(errno), NULL);
    int opened = openat(view->staging, name, O_PATH | O_CLOEXEC), tree = tree_of(opened, false);
    close(file);
    close(opened);
    if (tree < 0) refuse(view->files[i].target, ": ", error_text(errno), NULL);
    tree_restrict(tree, false, MOUNT_ATTR_RDONLY_);
    tree_place(tree, open_target(view->files[i].target, false));
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
  }
  for (size_t i = 0; i < view->count; i++) put_in_place(view, &view->places[i], &devices);
  repeat_home_links(view);
  place_files(view);
  cover_all(view);
  if (launch->plan.places.root == ROOT_EMPTY) finish_empty_root(machine);
}
