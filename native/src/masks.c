#include "masks.h"

#include "listing.h"
#include "mount.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/*
 * The masks of a layer lie on top of the real folder: a whiteout makes a name absent whether or not it exists below, a
 * folder marked opaque shows nothing of the real one, a file stands in for the real one.
 */

enum standing { SHOWN, ON_THE_WAY, NOT_SHOWN };

static _Noreturn void fail(const char *name) { refuse("the layer could not be set up: ", name, ": ", error_text(errno), NULL); }

static bool is_whiteout(int masks, const char *name) {
  struct stat found;
  return fstatat(masks, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISCHR(found.st_mode);
}

/* The first is made, the others are links to it: there are hundreds, and each file of its own would cost twice. */
static int first_folder = -1;
static char first_name[NAME_MAX + 1];

/* What is put in its place must not be what the next ones are links to. */
static void take_out(int masks, const char *name) {
  unlinkat(masks, name, 0);
  if (first_folder >= 0) close(first_folder);
  first_folder = -1;
}

static void white_out(int masks, const char *name) {
  if (first_folder >= 0 && (linkat(first_folder, first_name, masks, name, 0) == 0 || errno == EEXIST)) return;
  if (mknodat(masks, name, S_IFCHR, 0) != 0) {
    if (errno != EEXIST) fail(name);
    return;
  }
  if (first_folder >= 0 || strlen(name) > NAME_MAX) return;
  first_folder = fcntl(masks, F_DUPFD_CLOEXEC, 3);
  memcpy(first_name, name, strlen(name) + 1);
}

static int open_folder(int at, const char *name) {
  return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* A folder of the masks that lets the real one's entries through. */
static int merged(int masks, int real, const char *name) {
  struct stat found;
  int folder = open_folder(masks, name);
  if (folder >= 0) return folder;
  mode_t mode = fstatat(real, name, &found, AT_SYMLINK_NOFOLLOW) == 0 ? found.st_mode & 07777 : 0700;
  folder = made_folder(masks, name, mode | 0700);
  if (folder < 0) fail(name);
  return folder;
}

bool mark_opaque(int folder) { return fsetxattr(folder, "user.overlay.opaque", "y", 1, 0) == 0; }

bool is_opaque(int folder) {
  char value;
  return fgetxattr(folder, "user.overlay.opaque", &value, 1) == 1 && value == 'y';
}

static int opaque(int masks, const char *name) {
  if (mkdirat(masks, name, 0700) != 0) fail(name);
  int folder = open_folder(masks, name);
  if (folder < 0 || !mark_opaque(folder)) fail(name);
  return folder;
}

static bool is_hidden(const struct masks *masks, const char *path) {
  for (size_t i = 0; i < masks->count; i++)
    if (below(masks->names[i].name, path)) return true;
  return masks->is_hidden;
}

/* One rule for every entry: absent, unless it is shown or something below it is. */
static enum standing standing_of(const struct masks *masks, const char *path) {
  enum standing standing = NOT_SHOWN;
  for (size_t i = 0; i < masks->layer->shown.count; i++) {
    const char *shown = masks->layer->shown.items[i];
    if (below(shown, path)) return SHOWN;
    if (standing == NOT_SHOWN && below(path, shown)) standing = ON_THE_WAY;
  }
  if (standing == ON_THE_WAY && is_hidden(masks, path)) return NOT_SHOWN;
  return standing;
}

/*
 * Names that are absent now and must stay so when somebody makes them later are masked while the command runs already: there
 * are hundreds of them, and it need not wait. A folder of the masks can be added to, since nobody has looked these names up.
 */
enum { LATER_FOLDERS = 16, NAMES_AT_A_TIME = 4, ABOVE_NOTES = 32 };
static struct {
  int folders[LATER_FOLDERS];
  size_t count;
  /* For each name one byte for its folder, the name, and NUL. */
  struct text names;
} later;

/* A variable or a policy may name what is too long for any name. */
static bool can_be_made(size_t length) { return length <= NAME_MAX; }

static bool mask_in_time(const char *name, size_t length) {
  if (later.count == LATER_FOLDERS) return false;
  char number = (char)later.count;
  text_add_bytes(&later.names, &number, 1);
  text_add_bytes(&later.names, name, length);
  text_add_bytes(&later.names, "", 1);
  return true;
}

int keep_masks_open(int first) {
  for (size_t i = 0; i < later.count; i++) later.folders[i] = move_above(later.folders[i], first + LATER_FOLDERS);
  for (size_t i = 0; i < later.count; i++) later.folders[i] = keep_open_at(later.folders[i], first + (int)i, "the folders of the layers");
  return first + (int)later.count;
}

/* Linked to the first one of the same folder, as above. */
void mask_names_of_later(bool (*is_over)(void)) {
  size_t done = 0;
  const char *made = NULL;
  int made_in = -1;
  for (size_t at = 0; at < later.names.length; at += strlen(later.names.data + at) + 1) {
    if (++done % NAMES_AT_A_TIME == 0 && is_over()) break;
    int folder = later.folders[(size_t)later.names.data[at++]];
    const char *name = later.names.data + at;
    if (folder == made_in && (linkat(folder, made, folder, name, 0) == 0 || errno == EEXIST)) continue;
    if (mknodat(folder, name, S_IFCHR, 0) != 0) {
      if (errno != EEXIST) _exit(EXIT_OWN_FAILURE);
      continue;
    }
    made = name;
    made_in = folder;
  }
  for (size_t i = 0; i < later.count; i++) close(later.folders[i]);
  later.count = 0;
  text_free(&later.names);
}

/* Names that hold credentials, or would hold some: they stay absent when they are made later. */
static void mask_absent_names(const struct masks *masks, const struct listing *listing, int folder, const char *path) {
  for (size_t i = 0; i < masks->count; i++) {
    struct masked_name *masked = &masks->names[i];
    const char *rest = *path ? below(path, masked->name) : masked->name;
    if (!rest || !*rest || masked->is_done) continue;
    size_t length = strcspn(rest, "/");
    bool is_itself = rest[length] == '\0', is_there = is_listed(listing, rest, length);
    if (!is_itself && is_there) continue;
    /* What is there and not shown is masked already. */
    bool is_open = is_there ? standing_of(masks, masked->name) == SHOWN : can_be_made(length);
    if (is_open && (is_there || !masks->can_wait || !mask_in_time(rest, length))) white_out(folder, allot_text(rest, length));
    masked->is_done = true;
  }
}

/* Takes the descriptor over, but for that of the uppermost folder. It is out of the way of git's notes, which are kept before it. */
static void keep_for_later(const struct masks *masks, int folder) {
  bool is_top = folder == masks->folder;
  if (masks->can_wait && later.count < LATER_FOLDERS) {
    int own = is_top ? fcntl(folder, F_DUPFD_CLOEXEC, 3) : folder;
    later.folders[later.count++] = move_above(own, ABOVE_NOTES);
  } else if (!is_top) close(folder);
}

static void mask_the_rest(const struct masks *masks, int folder, int real, const char *path) {
  const struct listing *listing = listing_of(joined(masks->target, path));
  if (!listing->is_read) fail(*path ? path : masks->target);
  for (size_t i = 0; i < listing->count; i++) {
    const char *name = listing->entries[i].name;
    const char *entry_path = *path ? joined(path, name) : name;
    enum standing standing = standing_of(masks, entry_path);
    if (standing == SHOWN) continue;
    int inner = standing == ON_THE_WAY ? open_folder(real, name) : -1;
    if (inner < 0) {
      white_out(folder, name);
      continue;
    }
    struct stat found;
    int made = fstat(inner, &found) == 0 ? made_folder(folder, name, (found.st_mode & 07777) | 0700) : -1;
    if (made < 0) fail(name);
    mask_the_rest(masks, made, inner, entry_path);
    close(inner);
  }
  mask_absent_names(masks, listing, folder, path);
  keep_for_later(masks, folder);
}

/* The folder of the masks that holds the last name of a path, with the real one beside it (-1: nothing of it is seen). */
struct step {
  int masks, real;
  const char *name;
};

static void leave_step(const struct masks *masks, const struct step *step) {
  if (step->masks >= 0 && step->masks != masks->folder) close(step->masks);
  if (step->real >= 0 && step->real != masks->layer->folder) close(step->real);
}

/* What is made on the way is as the real folder is, so that nobody takes it for changed. */
static void mode_as_outside(const struct masks *masks, int made, const char *path, size_t length) {
  struct stat found;
  const char *real = joined(masks->target, allot_text(path, length));
  if (made >= 0 && lstat(real, &found) == 0 && S_ISDIR(found.st_mode)) fchmod(made, (found.st_mode & 07777) | 0700);
}

/* With `make` the way is made; without it the walk ends (false) where the real tree ends, or nothing of it is seen anyway. */
static bool walk(const struct masks *masks, const char *path, bool make, struct step *step) {
  const char *start = path;
  *step = (struct step){masks->folder, masks->layer->folder, NULL};
  for (;;) {
    size_t length = strcspn(path, "/");
    step->name = allot_text(path, length);
    if (path[length] == '\0') return true;
    bool hidden = is_whiteout(step->masks, step->name);
    struct step next = {-1, step->real >= 0 && !hidden ? open_folder(step->real, step->name) : -1, NULL};
    if (hidden && make) {
      take_out(step->masks, step->name);
      next.masks = opaque(step->masks, step->name);
    } else if (!hidden && (next.real >= 0 || make)) {
      next.masks = merged(step->masks, step->real, step->name);
    }
    /* Made for another name before. What is mounted there needs a place of ours: one that is missing would be made among what is put aside. */
    if (next.real >= 0 && next.masks >= 0 && is_opaque(next.masks)) {
      close(next.real);
      next.real = -1;
    }
    if (next.real < 0) mode_as_outside(masks, next.masks, start, (size_t)(path - start) + length);
    leave_step(masks, step);
    *step = next;
    if (next.masks < 0) return false;
    path += length + 1;
  }
}

static void mask_hidden(const struct masks *masks, const char *path) {
  struct step step;
  if (!walk(masks, path, false, &step)) return;
  bool matters = (masks->layer->can_be_written && can_be_made(strlen(step.name))) ||
                 faccessat(step.real, step.name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  if (matters) white_out(step.masks, step.name);
  leave_step(masks, &step);
}

/* In a folder that is shown as a whole: of a name that is absent, the first part that is. */
static void mask_absent(const struct masks *masks, const char *path) {
  struct step step = {masks->folder, masks->layer->folder, NULL};
  for (;;) {
    size_t length = strcspn(path, "/");
    step.name = allot_text(path, length);
    int real = path[length] && !is_whiteout(step.masks, step.name) ? open_folder(step.real, step.name) : -1;
    if (real < 0) break;
    struct step next = {merged(step.masks, step.real, step.name), real, NULL};
    leave_step(masks, &step);
    step = next;
    path += length + 1;
  }
  if (faccessat(step.real, step.name, F_OK, AT_SYMLINK_NOFOLLOW) != 0) white_out(step.masks, step.name);
  leave_step(masks, &step);
}

static void put_file(const struct masks *masks, const char *path, struct slice text) {
  struct step step;
  struct stat found;
  walk(masks, path, true, &step);
  mode_t mode = fstatat(step.real, step.name, &found, 0) == 0 && S_ISREG(found.st_mode) ? found.st_mode & 0777 : 0644;
  take_out(step.masks, step.name);
  int file = openat(step.masks, step.name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode | 0400);
  if (file < 0 || !write_whole(file, text.text, text.length)) fail(path);
  close(file);
  leave_step(masks, &step);
}

/* So that something can be mounted there. */
static void put_target(const struct masks *masks, const char *path, bool is_folder) {
  struct step step;
  struct stat found;
  walk(masks, path, true, &step);
  bool hidden = is_whiteout(step.masks, step.name);
  bool fits = !hidden && step.real >= 0 && fstatat(step.real, step.name, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
              (is_folder ? S_ISDIR(found.st_mode) : S_ISREG(found.st_mode));
  if (!fits) {
    if (hidden) take_out(step.masks, step.name);
    int made = is_folder ? mkdirat(step.masks, step.name, 0755)
                         : openat(step.masks, step.name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (made < 0 && errno != EEXIST) fail(path);
    if (made > 0) close(made);
  }
  leave_step(masks, &step);
}

static bool lies_here(const struct masks *masks, const struct view *view, const char *path, const char **rest) {
  *rest = below(masks->target, path);
  return *rest && **rest && place_around(view, path) == masks->place;
}

static void gather_name(struct masks *masks, const char *name, bool is_absent) {
  masks->names = allot_more(masks->names, masks->count, &masks->capacity, sizeof *masks->names);
  masks->names[masks->count++] = (struct masked_name){name, is_absent, false};
}

/* What lies in something that is mounted over a part of the folder is not seen through this layer. */
static bool is_mounted_over(const struct strings *mounted, const char *name) {
  for (size_t i = 0; i < mounted->count; i++)
    if (below(mounted->items[i], name)) return true;
  return false;
}

bool gather_masks(struct masks *masks, const struct view *view) {
  const struct layer *layer = masks->layer;
  struct strings mounted = {0};
  const char *rest;
  bool used = layer->hides_the_rest;
  for (size_t i = 0; i < view->count; i++) {
    const struct place *place = &view->places[i];
    rest = place->kind == PLACE_NONE ? NULL : below(masks->target, place->target);
    if (!rest || !*rest) continue;
    used = true;
    /* Of the machine something may turn out to be left as it is. */
    if (place->kind != PLACE_CUT) strings_add(&mounted, (char *)rest);
  }
  for (size_t i = 0; i < view->file_count && !used; i++) used = lies_here(masks, view, view->files[i].target, &rest);
  /* An empty folder of our own hides everything, and nobody outside can make anything in it. */
  for (size_t i = 0; i < view->hidden.count && !layer->is_emptied; i++) {
    rest = below(masks->target, view->hidden.items[i]);
    if (!rest || !*rest) {
      masks->is_hidden = masks->is_hidden || below(view->hidden.items[i], masks->target);
      continue;
    }
    bool matters = layer->hides_the_rest || layer->can_be_written || !view->is_absent[i];
    if (matters && !is_mounted_over(&mounted, rest)) gather_name(masks, rest, view->is_absent[i]);
  }
  return used || masks->count;
}

void fill_masks(const struct masks *masks, const struct view *view) {
  const char *rest;
  if (masks->layer->hides_the_rest) mask_the_rest(masks, masks->folder, masks->layer->folder, "");
  for (size_t i = 0; i < masks->count; i++) {
    const struct masked_name *masked = &masks->names[i];
    if (masked->is_done || (masked->is_absent && !masks->layer->can_be_written)) continue;
    if (masked->is_absent) mask_absent(masks, masked->name);
    else mask_hidden(masks, masked->name);
  }
  for (size_t i = 0; i < view->file_count; i++)
    if (lies_here(masks, view, view->files[i].target, &rest)) put_file(masks, rest, view->files[i].text);
  for (size_t i = 0; i < view->count; i++) {
    const struct place *place = &view->places[i];
    rest = below(masks->target, place->target);
    if (rest && *rest && around_place(view, place) == masks->place) put_target(masks, rest, place->is_folder);
  }
}
