#include "changes.h"
#include "masks.h"
#include "mount.h"
#include "mounts.h"

#include "kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int new_folder(int at, const char *prefix, size_t number, mode_t mode) {
  char name[32];
  snprintf(name, sizeof name, "%s%zu", prefix, number);
  return made_folder(at, name, mode | 0700);
}

static int require_folder(int at, const char *prefix, size_t number, mode_t mode) {
  int folder = new_folder(at, prefix, number, mode);
  if (folder < 0) refuse("the layer could not be set up: ", error_text(errno), NULL);
  return folder;
}

static mode_t mode_of(int folder) {
  struct stat found;
  return fstat(folder, &found) == 0 ? found.st_mode & 07777 : 0755;
}

/* The layers that make a folder, the uppermost first. */
struct lowers {
  int folders[MOST_LAYERS_BACK + 2];
  size_t count, kept;
};

static int overlay_with_writes_in(int store, const struct lowers *lower, size_t number, int folder, const char *target, int masks) {
  mode_t mode = mode_of(folder);
  int upper = require_folder(store, "upper", number, mode), work = require_folder(store, "work", number, 0700);
  int tree = overlay(lower->folders, lower->count, upper, work, attributes_of(folder));
  if (tree >= 0 && target) changes_note(PUT_ASIDE_LAYER, target, upper, masks);
  close(upper);
  close(work);
  return tree;
}

/* Where the folder for it will not do, memory may. */
enum { SECOND_TRY = 1000000 };

static int writable_overlay(struct view *view, const struct lowers *lower, size_t number, int folder, const char *target, int masks) {
  const char *told = view->plan->places.changes && !view->plan->places.workspace_target ? target : NULL;
  int tree = overlay_with_writes_in(view->store, lower, number, folder, told, masks);
  if (tree < 0 && lower->kept) {
    /* What came back cannot be a layer here, and is only a cache. The kernel has marked the first folders as used. */
    struct lowers rest = {.count = lower->count - lower->kept};
    memcpy(rest.folders, lower->folders + lower->kept, rest.count * sizeof *rest.folders);
    return writable_overlay(view, &rest, number + SECOND_TRY, folder, target, masks);
  }
  if (tree >= 0 || view->store == view->staging) return tree;
  return overlay_with_writes_in(view->staging, lower, number, folder, told, masks);
}

/* What earlier launches wrote there and what comes back lies over everything that is there. */
static void add_kept(struct lowers *lower, const struct come_back_layers *kept, const char *target) {
  for (size_t i = 0; i < kept->count; i++) {
    int folder = open_without_links(kept->folders[i], target + 1, O_RDONLY | O_DIRECTORY);
    if (folder >= 0) lower->folders[lower->kept++] = folder;
  }
  lower->count = lower->kept;
}

/* A layer needs a second folder below it also where there is nothing to mask. */
static int nothing_in(struct view *view) {
  bool is_made = mkdirat(view->staging, "nothing", 0755) == 0 || errno == EEXIST;
  int folder = is_made ? openat(view->staging, "nothing", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
  if (folder < 0) refuse("the layer could not be set up: ", error_text(errno), NULL);
  return folder;
}

static int overlay_of(struct view *view, const struct place *place, const char *target, const struct layer *layer) {
  size_t number = view->layers_made++;
  struct masks filled = {.target = target, .place = place, .layer = layer, .can_wait = view->store == view->staging};
  bool changed = gather_masks(&filled, view);
  int masks = changed || layer->can_be_written ? require_folder(view->store, "masks", number, mode_of(layer->folder)) : nothing_in(view);
  filled.folder = masks;
  if (changed) fill_masks(&filled, view);
  /* For whoever looks at what was written in the end: nothing of the real folder was seen. */
  if (layer->is_emptied && layer->can_be_written && !mark_opaque(masks)) refuse("the layer could not be set up: ", error_text(errno), NULL);
  /* The upper one of the two says whose the folder itself is. */
  struct lowers lower = {0};
  if (layer->can_be_written && !layer->must_be_whole) add_kept(&lower, &view->kept, target);
  lower.folders[lower.count++] = changed ? masks : layer->folder;
  lower.folders[lower.count++] = changed ? layer->folder : masks;
  int tree = layer->can_be_written ? writable_overlay(view, &lower, number, layer->folder, target, masks) : -1;
  for (size_t i = 0; i < lower.kept; i++) close(lower.folders[i]);
  if (tree < 0 && layer->must_be_whole) return -1;
  view->is_read_only = view->is_read_only || (tree < 0 && layer->can_be_written);
  if (tree < 0) tree = overlay(lower.folders + lower.kept, 2, -1, -1, attributes_of(layer->folder) | MOUNT_ATTR_RDONLY_);
  close(masks);
  return tree;
}

/* ── where a mount lies below the folder, which then cannot be a layer as a whole: what the mount covers would come to light ── */

static void add_piece(struct view *view, enum place_kind kind, char *target, int entry, const struct layer *whole);

static int blank_file(struct view *view) {
  int file = openat(view->staging, "blank", O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0);
  if (file < 0) file = openat(view->staging, "blank", O_PATH | O_CLOEXEC | O_NOFOLLOW);
  int tree = file < 0 ? -1 : tree_of(file, false);
  if (tree < 0) refuse("the barrier could not be set up: ", error_text(errno), NULL);
  close(file);
  tree_restrict(tree, false, MOUNT_ATTR_RDONLY_);
  return tree;
}

/* A home, the workspace, what the policy names: it is made in its own way, and no piece of what is around it lies in it. */
static bool is_placed(const struct view *view, const char *target) {
  const struct place *around = place_around(view, target);
  return around && strcmp(around->target, target) == 0;
}

/* Sockets and pipes by name, folders each as a layer of its own; folders with mounts below them are gone through likewise. */
static void cut_pieces(struct view *view, const char *target, int folder, const struct layer *whole) {
  DIR *listing = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing) return;
  for (struct dirent *entry; (entry = readdir(listing));) {
    struct stat found;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    char *path = joined(target, entry->d_name);
    int opened = is_placed(view, path) ? -1 : openat(dirfd(listing), entry->d_name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0 || fstat(opened, &found) != 0) continue;
    if (S_ISSOCK(found.st_mode) || S_ISFIFO(found.st_mode)) add_place_at(view, PLACE_READ, path, blank_file(view));
    /* What is hidden is an empty layer, which has no mounts below it. */
    if (S_ISDIR(found.st_mode) && (view_hides(view, path) || !has_mounts_below(path))) {
      add_piece(view, PLACE_CUT, path, opened, whole);
      continue;
    }
    if (S_ISDIR(found.st_mode)) cut_pieces(view, path, opened, whole);
    close(opened);
  }
  closedir(listing);
}

static bool has_text(const struct view *view, const char *target) {
  for (size_t i = 0; i < view->file_count; i++)
    if (strcmp(view->files[i].target, target) == 0) return true;
  return false;
}

/* The home's root in memory, each shown folder a layer of its own, shown files read-only, links made again. */
static void home_pieces(struct view *view, const char *target, const char *path, int folder, const struct layer *whole) {
  DIR *listing = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing) return;
  for (struct dirent *entry; (entry = readdir(listing));) {
    struct stat found;
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    char *entry_path = *path ? joined(path, name) : allot_text(name, strlen(name)), *entry_target = joined(target, name);
    bool shown = !whole->hides_the_rest, leads_on = false;
    for (size_t i = 0; i < whole->shown.count && !shown; i++) {
      shown = below(whole->shown.items[i], entry_path) != NULL;
      leads_on = leads_on || below(entry_path, whole->shown.items[i]);
    }
    for (size_t i = 0; i < view->hidden.count && (shown || leads_on); i++)
      if (strcmp(view->hidden.items[i], entry_target) == 0) shown = leads_on = false;
    if ((!shown && !leads_on) || is_placed(view, entry_target)) continue;
    int opened = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0 || fstat(opened, &found) != 0) continue;
    if (shown && S_ISDIR(found.st_mode)) {
      add_piece(view, PLACE_LAYER, entry_target, opened, whole);
      continue;
    }
    if (S_ISDIR(found.st_mode)) {
      home_pieces(view, entry_target, entry_path, opened, whole);
    } else if (S_ISREG(found.st_mode)) {
      int tree = tree_of(opened, false);
      if (tree >= 0) tree_restrict(tree, false, MOUNT_ATTR_RDONLY_);
      if (tree >= 0) add_place_at(view, PLACE_READ, entry_target, tree);
    } else if (shown && S_ISLNK(found.st_mode) && !has_text(view, entry_target)) {
      repeat_link(view, entry_target);
    }
    close(opened);
  }
  closedir(listing);
}

static void add_piece(struct view *view, enum place_kind kind, char *target, int entry, const struct layer *whole) {
  struct layer *layer = allot(1, sizeof *layer);
  *layer = (struct layer){.folder = entry, .can_be_written = whole->can_be_written};
  struct place *place = add_place_at(view, kind, target, -1);
  place->is_folder = true;
  place->layer = layer;
}

/* What cannot be a layer at all is shown read-only as it is: better than not at all, and nothing is written there. */
static void bind_instead(struct place *place) {
  int tree = tree_of(place->layer->folder, true);
  if (tree < 0) refuse("the barrier could not be set up: ", place->target, ": ", error_text(errno), NULL);
  tree_restrict(tree, true, MOUNT_ATTR_RDONLY_ | MOUNT_ATTR_NOSUID_);
  place->tree = tree;
  place->kind = PLACE_READ;
}

/* Of a folder that is itself to be absent, what is let through below it is all there is: also when more is made there later. */
static void empty_what_is_hidden(struct view *view, const char *target, struct layer *layer) {
  bool shows_nothing = layer->hides_the_rest && !layer->shown.count;
  layer->is_emptied = layer->is_emptied || shows_nothing || (!layer->must_be_whole && view_hides(view, target));
  if (!layer->is_emptied) return;
  mode_t mode = shows_nothing ? mode_of(layer->folder) : 0755;
  close(layer->folder);
  layer->folder = require_folder(view->staging, "emptied", view->layers_made, mode);
  layer->hides_the_rest = false;
}

static void make_layer(struct view *view, size_t index) {
  struct layer *layer = view->places[index].layer;
  char *target = view->places[index].target;
  enum place_kind kind = view->places[index].kind;
  /* Something else stands at the very same place, where pieces of this one would lie over it. */
  if (!layer->must_be_whole && place_around(view, target) != &view->places[index]) {
    view->places[index].kind = PLACE_NONE;
    return;
  }
  empty_what_is_hidden(view, target, layer);
  /* Tried in vain, it would cost a message of the kernel's. */
  errno = EINVAL;
  bool can_be_whole = layer->is_emptied || !has_mounts_below(target);
  int tree = can_be_whole ? overlay_of(view, &view->places[index], target, layer) : -1;
  int error = errno;
  view->places[index].tree = tree;
  if (tree >= 0) return;
  if (layer->must_be_whole)
    refuse(target, " cannot be put aside here: ", error == EINVAL ? "a mount lies below it, or it is a layer itself" : error_text(error), NULL);
  if (kind == PLACE_CUT) {
    /* The machine's own tree has it already. */
    if (view->plan->places.root == ROOT_EMPTY) bind_instead(&view->places[index]);
    else view->places[index].kind = PLACE_NONE;
    if (has_mounts_below(target)) cut_pieces(view, target, layer->folder, layer);
  } else if (layer->hides_the_rest || has_mounts_below(target)) {
    view->places[index].kind = PLACE_PRIVATE;
    view->places[index].mode = mode_of(layer->folder) | 0700;
    home_pieces(view, target, "", layer->folder, layer);
  } else {
    bind_instead(&view->places[index]);
  }
}

/* Pieces are added behind, and are made in their turn. */
void make_layers(struct view *view) {
  const struct places *places = &view->plan->places;
  struct come_back_place place = {places->kept, places->kept_policy, view->workspace};
  come_back_open(&view->kept, &place);
  if (places->changes && view->workspace) changes_note(PUT_ASIDE_WORKSPACE, view->workspace, -1, -1);
  if (view->kept.lock >= 0) changes_note(PUT_ASIDE_KEPT, "/", view->kept.lock, -1);
  for (size_t i = 0; i < view->count; i++)
    if (view->places[i].layer) make_layer(view, i);
}
