#include "listing.h"
#include "mount.h"
#include "mounts.h"
#include "said.h"
#include "view.h"

#include "kernel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place *add_place_at(struct view *view, enum place_kind kind, char *target, int tree) {
  view->places = allot_more(view->places, view->count, &view->capacity, sizeof *view->places);
  struct place *place = &view->places[view->count++];
  *place = (struct place){.kind = kind, .target = target, .tree = tree};
  return place;
}

static bool is_folder(int fd) {
  struct stat found;
  return fstat(fd, &found) == 0 && S_ISDIR(found.st_mode);
}

void add_file(struct view *view, char *target, struct slice text) {
  view->files = allot_more(view->files, view->file_count, &view->file_capacity, sizeof *view->files);
  view->files[view->file_count++] = (struct text_file){target, text};
}

/* ── layers ── */

static struct layer *add_layer(struct view *view, enum place_kind kind, char *target, int folder) {
  struct layer *layer = allot(1, sizeof *layer);
  *layer = (struct layer){.folder = folder, .can_be_written = kind == PLACE_LAYER};
  struct place *place = add_place_at(view, kind, target, -1);
  place->is_folder = true;
  place->layer = layer;
  return layer;
}

static bool is_root(const char *path) { return path[0] == '/' && path[1] == '\0'; }

static struct layer *add_home_at(struct view *view, const char *name, char *path, int folder) {
  if (view->home_count == MAX_HOMES) refuse("there are more than ", decimal(MAX_HOMES), " homes here, ", path, " among them", NULL);
  view->home_names[view->home_count] = name;
  view->homes[view->home_count++] = path;
  return add_layer(view, PLACE_LAYER, path, folder);
}

static void add_home(struct view *view, const struct operation *operation) {
  int folder = openat(AT_FDCWD, operation->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  char *path = folder < 0 ? NULL : path_of(folder);
  if (!path || is_root(path)) return;
  /* Somebody else's that this user cannot even enter has nothing in it to be shown or hidden. */
  if (faccessat(folder, ".", X_OK, 0) != 0) {
    close(folder);
    return;
  }
  for (size_t i = 0; i < view->home_count; i++)
    if (strcmp(view->homes[i], path) == 0 && operation->kind == OP_HOME) {
      view->home_names[i] = strcmp(view->home_names[i], path) == 0 ? operation->path : view->home_names[i];
      return;
    }
  add_home_at(view, operation->path, path, folder)->hides_the_rest = operation->kind == OP_HOME;
}

/* ── the machine without its sockets and pipes ── */

/* Folders that hold none, that the kernel makes, or that have an operation of their own. */
static bool is_left_alone(const char *name) {
  static const char *const names[] = {"proc", "sys", "dev", "run", "usr", "boot", "nix", "gnu", "lost+found", "tmp", ".", ".."};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

static void cut_folder(struct view *view, char *path) {
  int folder = openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  /* What this user cannot even enter leads nowhere. */
  if (folder < 0 || faccessat(folder, ".", X_OK, 0) != 0) {
    if (folder >= 0) close(folder);
    return;
  }
  if (!is_empty_folder(folder)) {
    add_layer(view, PLACE_CUT, path, folder);
    return;
  }
  add_place_at(view, PLACE_EMPTY, path, -1)->is_folder = true;
  close(folder);
}

static bool is_a_home(const struct view *view, const char *path) {
  for (size_t i = 0; i < view->home_count; i++)
    if (strcmp(view->homes[i], path) == 0) return true;
  return false;
}

static void cut_machine(struct view *view) {
  DIR *listing = opendir("/");
  if (!listing) refuse("/: ", error_text(errno), NULL);
  for (struct dirent *entry; (entry = readdir(listing));) {
    bool may_be_folder = entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN;
    if (!may_be_folder || is_left_alone(entry->d_name)) continue;
    char *path = joined("/", entry->d_name);
    if (!is_a_home(view, path)) cut_folder(view, path);
  }
  closedir(listing);
  /* The daemon's socket lies beside the store, which is too large to be looked at. */
  cut_folder(view, (char *)"/nix/var");
}

/* ── what the policy names ── */

struct opening {
  struct view *view;
  const struct operation *operation;
};

/* In a tree that begins empty a link is made again, so that names like /bin lead where they lead outside. */
bool repeat_link(struct view *view, const char *path) {
  char text[PATH_MAX];
  ssize_t length = readlink(path, text, sizeof text - 1);
  if (length <= 0) return false;
  struct place *place = add_place_at(view, PLACE_PRIVATE, allot_text(path, strlen(path)), -1);
  place->link = allot_text(text, (size_t)length);
  return true;
}

/* In a workspace where nothing is written for real, what is exposed is there to be read. */
bool binds_read_only(const struct view *view, enum operation_kind kind, const char *real) {
  if (kind == OP_READ || kind == OP_TRY_READ || kind == OP_EXPOSE_READ) return true;
  enum workspace_mode mode = view->plan->places.workspace;
  const char *rest = mode == WORKSPACE_REAL || !view->workspace ? NULL : below(view->workspace, real);
  if (rest && !*rest && kind != OP_EXPOSE_WRITE)
    refuse(real, " is the workspace: --write and --workspace ", mode == WORKSPACE_ASIDE ? "aside" : "read-only",
           " do not go together; a folder in it may be written", NULL);
  return rest && kind == OP_EXPOSE_WRITE;
}

static void open_place(void *context, char *path) {
  const struct opening *opening = context;
  struct view *view = opening->view;
  const struct operation *operation = opening->operation;
  bool from_nothing = view->plan->places.root == ROOT_EMPTY;
  bool linked = from_nothing && !operation->target && repeat_link(view, path);
  int fd = open_named(view, path);
  if (fd < 0) {
    bool is_absent = errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ENAMETOOLONG;
    if (operation->kind != OP_READ && operation->kind != OP_WRITE && is_absent) return;
    refuse(path, ": ", error_text(errno), NULL);
  }
  char *real = path_of(fd);
  if (!real) refuse(path, ": cannot be told where it leads", NULL);
  const char *target = operation->target ? operation->target : from_nothing && !linked ? path : real;
  /* /etc/mtab leads into /proc, which the command has of its own. */
  if (linked && (below("/proc", real) || place_around(view, real))) return;
  bool exposes = operation->kind == OP_EXPOSE_READ || operation->kind == OP_EXPOSE_WRITE;
  if (!exposes && !operation->target && view_hides(view, real)) {
    say(path, " is hidden, and stays so; to show it all the same: --expose ", quoted(path), NULL);
    close(fd);
    return;
  }
  bool read_only = binds_read_only(view, operation->kind, real);
  int tree = tree_of(fd, true);
  if (tree < 0) refuse(path, ": ", error_text(errno), NULL);
  tree_restrict(tree, true, MOUNT_ATTR_NOSUID_ | (read_only ? MOUNT_ATTR_RDONLY_ : 0));
  struct place *place =
      add_place_at(view, read_only ? PLACE_READ : PLACE_WRITE, allot_text(target, strlen(target)), tree);
  place->is_folder = is_folder(fd);
  place->is_exposed = exposes;
  if (operation->kind == OP_WRITE_PLAIN) said_note(view, real);
  close(fd);
}

/* In the folder itself where a link leads to one: the link stays what it is, with all else in there. */
static char *place_of_copy(const struct view *view, const char *path) {
  char *named = without_links(view, path), *name = strrchr(named, '/') + 1;
  const char *folder = allot_text(named, (size_t)(name - 1 - named));
  int opened = *folder ? open_without_links(AT_FDCWD, folder, O_PATH) : -1;
  if (opened >= 0) close(opened);
  const char *led = opened < 0 && *folder ? lead_of(view, "", folder) : NULL;
  bool is_worked_on = led && view->workspace && below(view->workspace, led);
  return led && is_in_a_home(view, led) && !is_worked_on ? joined(led, name) : named;
}

static bool is_private(const struct view *view, const char *path) {
  const struct places *places = &view->plan->places;
  for (size_t i = 0; i < places->count; i++)
    if (places->operations[i].kind == OP_PRIVATE && strcmp(places->operations[i].path, path) == 0) return true;
  return false;
}

/* What others have in /tmp is not seen under another name of it either. */
static void empty_other_name(void *context, char *path) {
  struct view *view = context;
  int folder = openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  if (!is_private(view, path)) add_layer(view, PLACE_CUT, path, folder)->is_emptied = true;
  else close(folder);
}

static void compose_one(struct view *view, const struct operation *operation) {
  struct opening opening = {view, operation};
  struct place *place;
  switch (operation->kind) {
    case OP_HOME:
    case OP_LAYER: return;
    case OP_CUT:
      if (is_root(operation->path)) cut_machine(view);
      else cut_folder(view, operation->path);
      return;
    case OP_TRY_READ: expand(operation->path, open_place, &opening); return;
    case OP_READ:
    case OP_WRITE:
    case OP_TRY_WRITE:
    case OP_WRITE_PLAIN:
    case OP_EXPOSE_READ:
    case OP_EXPOSE_WRITE: open_place(&opening, operation->path); return;
    case OP_WRITE_PROJECT: compose_projects(view, operation); return;
    case OP_PRIVATE:
      if (view->plan->places.root != ROOT_EMPTY) {
        struct stat found;
        if (lstat(operation->path, &found) != 0 || !S_ISDIR(found.st_mode)) return;
        each_other_name(operation->path, NAMES, empty_other_name, view);
      }
      place = add_place_at(view, PLACE_PRIVATE, operation->path, -1);
      place->is_folder = true;
      place->mode = operation->mode;
      place->size = operation->size;
      return;
    case OP_FOLDER:
      place = add_place_at(view, PLACE_PRIVATE, operation->path, -1);
      place->is_folder = place->is_plain_folder = true;
      return;
    case OP_LINK:
      add_place_at(view, PLACE_PRIVATE, operation->path, -1)->link = operation->text.text;
      return;
    case OP_TRY_DATA:
      if (access(operation->path, F_OK) != 0) return;
      /* fall through */
    case OP_DATA: add_file(view, place_of_copy(view, operation->path), operation->text); return;
    case OP_PROC: add_place_at(view, PLACE_PROC, (char *)"/proc", -1)->is_folder = true; return;
    case OP_DEV:
      place = add_place_at(view, PLACE_DEV, (char *)"/dev", -1);
      place->is_folder = true;
      place->size = operation->size;
      return;
    case OP_RUN:
      if (access("/run", F_OK) == 0) add_place_at(view, PLACE_RUN, (char *)"/run", -1)->is_folder = true;
      return;
    case OP_WORKSPACE: add_workspace(view); return;
  }
}

/* ── what is to be absent ── */

static void lift_path(struct view *view, char *path) {
  strings_add(&view->lifted, path);
  strings_add(&view->lifted, without_links(view, path));
}

static void gather_lifted(struct view *view) {
  const struct places *places = &view->plan->places;
  for (size_t i = 0; i < places->count; i++) {
    const struct operation *operation = &places->operations[i];
    if (operation->kind == OP_EXPOSE_READ || operation->kind == OP_EXPOSE_WRITE) lift_path(view, operation->path);
  }
}

static bool is_lifted(const struct view *view, const char *path) {
  for (size_t i = 0; i < view->lifted.count; i++)
    if (below(view->lifted.items[i], path)) return true;
  return false;
}

static void add_hidden_as(struct view *view, char *path, bool is_absent) {
  view->is_absent = allot_more(view->is_absent, view->hidden.count, &view->absent_capacity, sizeof *view->is_absent);
  view->is_absent[view->hidden.count] = is_absent;
  strings_add(&view->hidden, path);
}

static void add_hidden(struct view *view, char *path) { add_hidden_as(view, path, is_known_absent(view, path)); }

static void hide_path(void *context, char *path) {
  struct view *view = context;
  add_hidden(view, without_links(view, path));
}

void hide_unless_lifted(void *context, char *path) {
  struct view *view = context;
  char *real = without_links(view, path);
  if (!is_lifted(view, path) && !is_lifted(view, real)) add_hidden(view, real);
}

static bool is_in_absent_folder(const struct view *view, const char *pattern) {
  const char *folder = folder_of_pattern(pattern);
  return folder && is_known_absent(view, folder);
}

static void gather_hidden(struct view *view) {
  const struct places *places = &view->plan->places;
  gather_lifted(view);
  for (size_t i = 0; i < places->hide.count; i++)
    if (!is_in_absent_folder(view, places->hide.items[i])) expand(places->hide.items[i], hide_unless_lifted, view);
  view->can_be_lifted = view->hidden.count;
  for (size_t i = 0; i < places->keep_out.count; i++) expand(places->keep_out.items[i], hide_path, view);
}

/* The other names are not looked for: that would be a search of the whole disk. What can be known is said. */
static void tell_of_other_names(const char *path, const struct stat *found) {
  if (S_ISREG(found->st_mode) && found->st_nlink > 1 && found->st_uid == getuid())
    say("warning: ", path, " has other names (hard links), which are not hidden", NULL);
}

/* Opened as what it leads to. Nearly none has a link in it, and need not be asked where it leads. */
static int open_lead(const char *name, bool *is_linked) {
  int fd = open_without_links(AT_FDCWD, name, O_PATH);
  *is_linked = fd < 0 && errno != ENOENT;
  return *is_linked ? openat(AT_FDCWD, name, O_PATH | O_CLOEXEC) : fd;
}

/* A command may have made a link in the workspace: it decides about nothing elsewhere. What the policy hides is not shown without a word. */
static bool leads_too_far(const struct view *view, const char *name, const char *real, bool is_named) {
  if (!view->workspace || !below(view->workspace, name)) return false;
  const char *rest = below(view->workspace, real);
  if (rest && *rest) return false;
  if (is_named && !view_hides(view, real))
    say("warning: ", name, " is a link, and a command could have made it; to hide what it leads to as well: --hide ", quoted(real), NULL);
  return true;
}

/* A hidden name that is a link hides what it leads to as well, wherever that is. */
static void hide_behind_links(struct view *view) {
  size_t named = view->hidden.count;
  for (size_t i = 0; i < named; i++) {
    if (view->is_absent[i]) continue;
    const char *name = view->hidden.items[i];
    bool is_linked;
    int fd = open_lead(name, &is_linked);
    if (fd < 0) continue;
    struct stat found;
    /* Histories that lead to /dev/null are common. */
    bool counts = fstat(fd, &found) == 0 && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode));
    char *real = counts && is_linked ? path_of(fd) : NULL;
    if (counts) tell_of_other_names(name, &found);
    close(fd);
    if (!real || strcmp(real, name) == 0 || is_root(real)) continue;
    bool can_be_lifted = i < view->can_be_lifted;
    bool is_shown = (can_be_lifted && is_lifted(view, real)) || leads_too_far(view, name, real, !can_be_lifted);
    if (!is_shown) add_hidden(view, real);
  }
}

/* Settings are often links into a folder of them, which may be the workspace. */
static void gather_kept_as_is(struct view *view) {
  const struct strings *named = &view->plan->places.keep_read;
  for (size_t i = 0; i < named->count; i++) {
    char *name = without_links(view, named->items[i]);
    bool is_linked;
    int fd = open_lead(name, &is_linked);
    char *real = fd >= 0 && is_linked ? path_of(fd) : NULL;
    if (fd >= 0) close(fd);
    strings_add(&view->read_only, name);
    if (real && !is_root(real)) strings_add(&view->read_only, real);
  }
}

static void show_path(void *context, char *path) { show(context, path); }

static void hide_view_of_processes(void *context, char *point) {
  if (!below("/proc", point)) add_hidden(context, point);
}

/* ── what is mounted in several places has several names ── */

/* In a sandbox all covers of the one around it are the same folder: each of them is another name of every other. */
static bool is_listed_name(const struct strings *list, const char *path) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->items[i], path) == 0) return true;
  return false;
}

static void hide_name_as(struct view *view, char *path, bool is_absent) {
  if (!is_listed_name(&view->hidden, path)) add_hidden_as(view, path, is_absent);
}

static void hide_name(void *context, char *path) { hide_name_as(context, path, false); }

static void hide_absent_name(void *context, char *path) { hide_name_as(context, path, true); }

static void keep_name_as_it_is(void *context, char *path) {
  struct view *view = context;
  if (!is_listed_name(&view->read_only, path)) strings_add(&view->read_only, path);
}

static void hide_other_names(struct view *view) {
  size_t named = view->hidden.count, kept = view->read_only.count;
  for (size_t i = 0; i < named; i++) {
    bool is_absent = view->is_absent[i];
    each_other_name(view->hidden.items[i], is_absent ? NAMES_OF_ABSENT : NAMES_AND_PARTS, is_absent ? hide_absent_name : hide_name, view);
  }
  for (size_t i = 0; i < kept; i++) each_other_name(view->read_only.items[i], NAMES_AND_PARTS, keep_name_as_it_is, view);
}

/* Of a home nothing is shown there but the workspace, where it is one. */
static void close_home(void *context, char *path) {
  struct view *view = context;
  int folder = openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  if (!is_a_home(view, path)) add_home_at(view, path, path, folder)->hides_the_rest = true;
  else close(folder);
}

static void close_other_names_of_homes(struct view *view) {
  size_t named = view->home_count;
  for (size_t i = 0; i < named; i++) each_other_name(view->homes[i], NAMES, close_home, view);
}

void survey(struct view *view, const struct launch *launch) {
  const struct places *places = &launch->plan.places;
  *view = (struct view){.plan = &launch->plan, .store = -1, .staging = -1};
  view->started_in = getcwd(NULL, 0);
  if (!view->started_in) refuse("the working folder is gone or unreachable: go to another one", NULL);
  for (size_t i = 0; i < places->count; i++) {
    const struct operation *operation = &places->operations[i];
    if (operation->kind == OP_HOME || operation->kind == OP_LAYER) add_home(view, operation);
  }
  close_other_names_of_homes(view);
  gather_hidden(view);
  for (size_t i = 0; i < places->show.count; i++) expand(places->show.items[i], show_path, view);
  if (places->workspace != WORKSPACE_NONE) find_workspace(view);
  show_linked_settings(view);
  if (places->show_programs) show_programs(view, launch);
  hide_behind_links(view);
  gather_kept_as_is(view);
  each_view_of_processes(hide_view_of_processes, view);
  hide_other_names(view);
}

/* In a tree from nothing a command that is given no folder still starts in one of the name it was called in. */
static void add_empty_folder(struct view *view) {
  const struct places *places = &view->plan->places;
  if (places->root != ROOT_EMPTY || places->folder || place_around(view, view->started_in)) return;
  struct place *place = add_place_at(view, PLACE_PRIVATE, view->started_in, -1);
  place->is_folder = place->is_plain_folder = true;
}

/* The rest of the machine may be as it is; through this folder root would steer the kernel. */
static void close_sys(struct view *view) {
  int fd = openat(AT_FDCWD, "/sys", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), tree = fd < 0 ? -1 : tree_of(fd, true);
  if (fd >= 0) close(fd);
  if (tree < 0) return;
  tree_restrict(tree, true, MOUNT_ATTR_RDONLY_ | MOUNT_ATTR_NOSUID_);
  add_place_at(view, PLACE_READ, (char *)"/sys", tree)->is_folder = true;
}

static bool holds_what_is_exposed(const struct view *view, const char *hidden) {
  for (size_t i = 0; i < view->count; i++)
    if (view->places[i].is_exposed && strcmp(view->places[i].target, hidden) != 0 && below(hidden, view->places[i].target)) return true;
  return false;
}

/* What would be covered as a whole is an empty folder instead, in which that has room. */
static void make_room_for_exposed(struct view *view) {
  for (size_t i = 0; i < view->hidden.count; i++) {
    const char *hidden = view->hidden.items[i];
    if (!holds_what_is_exposed(view, hidden)) continue;
    const struct place *around = place_around(view, hidden);
    if (around && around->layer) continue;
    struct place *room = add_place_at(view, PLACE_PRIVATE, (char *)hidden, -1);
    room->is_folder = true;
    room->mode = 0755;
  }
}

void compose(struct view *view) {
  const struct places *places = &view->plan->places;
  if (places->root == ROOT_WRITABLE) close_sys(view);
  for (size_t i = 0; i < places->count; i++) compose_one(view, &places->operations[i]);
  said_write_down();
  add_certificates(view);
  show_other_worktrees(view);
  make_room_for_exposed(view);
  add_empty_folder(view);
}
