#include "cover.h"

#include "keeper.h"
#include "kernel.h"
#include "mount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ── one of them ── */

/* -1 also for a link: nothing can lie over one, and where it leads has a name of its own. */
static int thing_at(const char *path, bool *is_folder) {
  struct stat found;
  int opened = open_without_links(AT_FDCWD, path, O_PATH | O_NOFOLLOW);
  if (opened < 0) return -1;
  if (fstat(opened, &found) == 0 && !S_ISLNK(found.st_mode)) {
    *is_folder = S_ISDIR(found.st_mode);
    return opened;
  }
  close(opened);
  return -1;
}

static int unreadable(int staging, bool folder) {
  const char *name = folder ? "closed-folder" : "closed-file";
  int opened = openat(staging, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (opened >= 0) return opened;
  int made = folder ? mkdirat(staging, name, 0) : openat(staging, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0);
  if (made > 0) close(made);
  return made < 0 ? -1 : openat(staging, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

static int tree_in(int staging, const char *source, bool is_folder) {
  int opened = *source && !is_folder ? openat(staging, source, O_PATH | O_NOFOLLOW | O_CLOEXEC) : unreadable(staging, is_folder);
  int tree = opened < 0 ? -1 : tree_of(opened, false);
  if (opened >= 0) close(opened);
  return tree;
}

void on_the_way(const struct cover *cover, void (*act)(const char *folder)) {
  const char *rest = below(cover->from, cover->path);
  act(cover->from);
  for (const char *at = strchr(rest, '/'); at; at = strchr(at + 1, '/'))
    act(joined(cover->from, allot_text(rest, (size_t)(at - rest))));
}

/* A mount cannot be renamed. Each once: a copy takes along the mounts below it, so that copies of copies would double with every cover. */
static void hold(const char *folder) {
  bool is_folder;
  int onto = thing_at(folder, &is_folder);
  if (onto < 0) return;
  int tree = is_mount_root(onto) ? -1 : tree_of(onto, true);
  if (tree >= 0) tree_place_if_there(tree, onto);
  else close(onto);
}

/* False where another has taken its place meanwhile. */
static bool lay_over(const struct cover *cover, int onto, bool is_folder, int staging) {
  bool is_itself = strcmp(cover->source, ITSELF_READ_ONLY) == 0;
  int tree = is_itself ? tree_of(onto, true) : tree_in(staging, cover->source, is_folder);
  if (tree < 0 && errno == ENOENT) {
    close(onto);
    return false;
  }
  if (tree < 0) refuse(cover->path, " could not be covered: ", error_text(errno), NULL);
  tree_restrict(tree, is_itself, MOUNT_ATTR_RDONLY_);
  return tree_place_if_there(tree, onto);
}

void put_cover(const struct cover *cover, int staging, bool again) {
  bool is_done = false;
  while (!is_done) {
    bool is_folder;
    if (cover->hold) on_the_way(cover, hold);
    int onto = thing_at(cover->path, &is_folder);
    if (onto < 0) return;
    is_done = again && is_mount_root(onto);
    if (is_done) close(onto);
    else is_done = lay_over(cover, onto, is_folder, staging);
  }
}

/* ── all of them ── */

/* False where nothing need lie over it: what isn't the machine's own. */
static bool is_bare(const struct view *view, struct cover *cover) {
  const struct place *around = place_around(view, cover->path);
  bool is_bound = around && (around->kind == PLACE_READ || around->kind == PLACE_WRITE);
  cover->from = around ? around->target : "/";
  cover->hold = around ? around->kind == PLACE_WRITE : view->plan->places.root == ROOT_WRITABLE;
  return is_bound || !around;
}

static struct strings *moved_back;

static void note_folder(const char *folder) { strings_add(moved_back, (char *)folder); }

/* What a sandbox inside could move all the same. */
static void note_for_the_end(struct view *view, const struct cover *cover) {
  if (!cover->hold) return;
  moved_back = strcmp(cover->source, ITSELF_READ_ONLY) == 0 ? &view->kept_as_is : &view->covered;
  on_the_way(cover, note_folder);
  strings_add(moved_back, (char *)cover->path);
}

static void cover_name(struct view *view, const char *path, const char *source) {
  struct cover cover = {.path = path, .source = source};
  if (!is_bare(view, &cover)) return;
  if (strcmp(source, ITSELF_READ_ONLY) == 0 && !cover.hold) return;
  keeper_note(&cover);
  note_for_the_end(view, &cover);
  put_cover(&cover, view->staging, false);
}

static void cover_everywhere(struct view *view, const char *path, const char *source) {
  const char *elsewhere = inside(view, path);
  cover_name(view, path, source);
  if (strcmp(elsewhere, path) != 0) cover_name(view, elsewhere, source);
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

/* Texts for files that no layer holds. */
static void cover_with_text(struct view *view, const struct text_file *text, size_t number) {
  char name[32];
  snprintf(name, sizeof name, "text%zu", number);
  int file = openat(view->staging, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0 || !write_whole(file, text->text.text, text->text.length)) refuse(text->target, ": ", error_text(errno), NULL);
  close(file);
  close(open_target(text->target, false));
  struct cover cover = {.path = text->target, .source = name};
  if (is_bare(view, &cover)) {
    keeper_note(&cover);
    note_for_the_end(view, &cover);
  }
  cover.hold = false;
  put_cover(&cover, view->staging, false);
}

void cover_all(struct view *view) {
  for (size_t i = 0; i < view->file_count; i++) {
    const struct place *around = place_around(view, view->files[i].target);
    bool is_in_layer = around && around->layer && (around->kind == PLACE_LAYER || around->kind == PLACE_CUT);
    if (!is_in_layer) cover_with_text(view, &view->files[i], i);
  }
  for (size_t i = 0; i < view->read_only.count; i++) cover_everywhere(view, view->read_only.items[i], ITSELF_READ_ONLY);
  for (size_t i = 0; i < view->hidden.count; i++)
    if (may_need_cover(view, view->hidden.items[i])) cover_everywhere(view, view->hidden.items[i], UNREADABLE);
}
