#include "git.h"
#include "mount.h"
#include "view.h"

#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ── files that point elsewhere ── */

/* The first line of a file that points elsewhere, with its key taken off. */
static char *pointer_in(int folder, const char *name, const char *key) {
  struct slice text = git_read(folder, name);
  if (!text.text || strncmp(text.text, key, strlen(key)) != 0) return NULL;
  char *line = text.text + strlen(key);
  line[strcspn(line, "\r\n")] = '\0';
  return *line ? line : NULL;
}

/* ── which folder it is ── */

static bool holds_a_home(const struct view *view, const char *folder) {
  for (size_t i = 0; i < view->home_count; i++)
    if (below(folder, view->homes[i])) return true;
  return false;
}

static size_t longest_around(const struct strings *folders, const char *path) {
  size_t longest = 0;
  for (size_t i = 0; i < folders->count; i++) {
    size_t length = below(folders->items[i], path) ? strlen(folders->items[i]) : 0;
    if (length > longest) longest = length;
  }
  return longest;
}

bool view_hides(const struct view *view, const char *path) {
  size_t hidden = longest_around(&view->hidden, path);
  return hidden && hidden >= longest_around(&view->lifted, path);
}

/* Folders the system or all programs share are nobody's project. */
static bool is_no_workspace(const struct view *view, const char *folder) {
  static const char *const shared[] = {"/", "/tmp", "/var/tmp", "/var", "/usr", "/etc", "/home", "/opt", "/srv", "/mnt", "/media", "/run"};
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
    if (strcmp(shared[i], folder) == 0) return true;
  return holds_a_home(view, folder) || view_hides(view, folder) || below("/proc", folder) || below("/sys", folder) ||
         (below("/dev", folder) && (!below("/dev/shm", folder) || !*below("/dev/shm", folder)));
}

static char *parent_of(const char *folder) {
  const char *slash = strrchr(folder, '/');
  return slash == folder ? (char *)"/" : allot_text(folder, (size_t)(slash - folder));
}

/* A submodule's git directory lies in that of the repository around it, which then is the workspace. */
static bool is_submodule(const char *folder) {
  int opened = openat(AT_FDCWD, folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  const char *named = opened < 0 ? NULL : pointer_in(opened, ".git", "gitdir: ");
  if (opened >= 0) close(opened);
  const char *own = named ? plain_path(folder, named) : "";
  for (const char *at = parent_of(folder); strcmp(at, "/") != 0; at = parent_of(at))
    if (below(joined(at, ".git/modules"), own)) return true;
  return false;
}

static bool has_git(const char *folder) {
  struct stat found;
  if (lstat(joined(folder, ".git"), &found) != 0) return false;
  return S_ISDIR(found.st_mode) || S_ISLNK(found.st_mode) || (S_ISREG(found.st_mode) && !is_submodule(folder));
}

static char *repository_around(const struct view *view, char *folder) {
  for (char *at = folder; !is_no_workspace(view, at); at = parent_of(at))
    if (has_git(at)) return at;
  return NULL;
}

/* Settings and programs that are shown are for every command: standing among them makes them no project. */
static bool is_among_shown(const struct view *view, const char *folder) {
  for (size_t i = 0; i < view->count; i++) {
    const struct layer *layer = view->places[i].layer;
    const char *rest = layer && layer->hides_the_rest ? below(view->places[i].target, folder) : NULL;
    for (size_t j = 0; rest && *rest && j < layer->shown.count; j++)
      if (below(layer->shown.items[j], rest)) return true;
    if (rest && is_shared_folder(rest)) return true;
  }
  return false;
}

/* The first link on the way to where the caller says that it is, below its folder; NULL where there is none. */
static const char *link_on_the_way(const struct view *view, const char *named) {
  struct stat one, other;
  if (named[0] != '/' || strcmp(named, view->started_in) == 0) return NULL;
  if (stat(named, &one) != 0 || stat(".", &other) != 0 || one.st_dev != other.st_dev || one.st_ino != other.st_ino) return NULL;
  for (const char *end = strchr(named + 1, '/'); ; end = strchr(end + 1, '/')) {
    const char *at = end ? allot_text(named, (size_t)(end - named)) : named;
    if (lstat(at, &one) != 0) return NULL;
    if (S_ISLNK(one.st_mode)) return at;
    if (!end) return NULL;
  }
}

/* A link in a project may be a command's of there, and is not to say what else is a workspace. */
static bool is_led_away(const struct view *view, const char *named) {
  const char *link = link_on_the_way(view, named);
  int above = link ? openat(AT_FDCWD, parent_of(link), O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
  char *folder = above < 0 ? NULL : path_of(above), *project = folder ? repository_around(view, folder) : NULL;
  if (above >= 0) close(above);
  if (!project || below(project, view->started_in)) return false;
  say("no workspace here: ", link, " is a link out of the project around it, which a command could have made; what is written is put aside "
      "(to work there: --workspace ", quoted(view->started_in), ")", NULL);
  return true;
}

void find_workspace(struct view *view) {
  const struct places *places = &view->plan->places;
  if (places->workspace_path) {
    int fd = open_named(view, places->workspace_path);
    view->workspace = fd < 0 ? NULL : path_of(fd);
    if (!view->workspace) refuse("the workspace ", places->workspace_path, ": ", error_text(errno), NULL);
    close(fd);
    if (holds_a_home(view, view->workspace))
      refuse("the workspace ", view->workspace, " is a home folder, or holds one", NULL);
    return;
  }
  if (is_no_workspace(view, view->started_in)) {
    say("no workspace here: ", view->started_in, view_hides(view, view->started_in) ? " is hidden" : " is no project's own folder",
        is_in_a_home(view, view->started_in) ? "; what is written is put aside" : "; only what --write names can be written for real", NULL);
    return;
  }
  const char *named = getenv("PWD");
  if (named && is_led_away(view, named)) return;
  view->workspace = repository_around(view, view->started_in);
  if (view->workspace) return;
  if (!is_among_shown(view, view->started_in)) {
    view->workspace = view->started_in;
    return;
  }
  say("no workspace here: ", view->started_in, " holds settings or programs of all commands; what is written is put aside "
      "(to change it for real: --write ", quoted(view->started_in), ")", NULL);
}

/* ── git: what a later command outside would run ── */

char *inside(const struct view *view, const char *path) {
  const struct places *places = &view->plan->places;
  const char *target = view->workspace ? places->workspace_target : NULL, *rest = target ? below(view->workspace, path) : NULL;
  for (size_t i = 0; !rest && i < places->count; i++) {
    target = places->operations[i].target;
    rest = target ? below(places->operations[i].path, path) : NULL;
  }
  return rest ? joined(target, rest) : allot_text(path, strlen(path));
}

static void add_bound(struct view *view, const char *path, enum place_kind kind) {
  int fd = open_without_links(AT_FDCWD, path, O_PATH);
  if (fd < 0) return;
  struct stat found;
  int tree = tree_of(fd, true);
  if (tree < 0 || fstat(fd, &found) != 0) refuse(path, ": ", error_text(errno), NULL);
  tree_restrict(tree, true, MOUNT_ATTR_NOSUID_ | (kind == PLACE_READ ? MOUNT_ATTR_RDONLY_ : 0));
  add_place_at(view, kind, inside(view, path), tree)->is_folder = S_ISDIR(found.st_mode);
  close(fd);
}

static bool is_placed(const struct view *view, const char *path, enum place_kind kind) {
  const char *target = inside(view, path);
  for (size_t i = 0; i < view->count; i++)
    if (strcmp(view->places[i].target, target) == 0 && (kind == PLACE_NONE || kind == view->places[i].kind)) return true;
  return false;
}

/* Onto itself, so that nobody can rename it from inside and put another in its place. */
static void hold_in_place(struct view *view, const char *path) {
  if (is_placed(view, path, PLACE_NONE)) return;
  add_bound(view, path, PLACE_WRITE);
  strings_add(&view->frozen, inside(view, path));
}

/* What the command can write of a repository: the workspace, and the git directory that it shares with other worktrees. */
static const char *written_around(const struct view *view, const char *path) {
  if (below(view->workspace, path)) return view->workspace;
  return view->shared_git && below(view->shared_git, path) ? view->shared_git : NULL;
}

/* Read-only, with every folder between it and what can be written held in place. */
static void freeze(struct view *view, const char *path) {
  const char *top = written_around(view, path), *rest = top ? below(top, path) : NULL;
  if (!rest || !*rest || access(path, F_OK) != 0 || is_placed(view, path, PLACE_READ)) return;
  for (const char *at = strchr(rest, '/'); at; at = strchr(at + 1, '/'))
    hold_in_place(view, joined(top, allot_text(rest, (size_t)(at - rest))));
  add_bound(view, path, PLACE_READ);
  strings_add(&view->frozen, inside(view, path));
}

static void freeze_named(void *context, const char *path) { freeze(context, path); }

static void freeze_folder(struct git_walk *walk, int folder, const char *path, const char *tree) {
  freeze(walk->context, joined(path, "hooks"));
  git_named(walk, folder, path, tree, freeze_named, walk->context);
}

static bool has_entry(int folder, const char *name, mode_t kind) {
  struct stat found;
  return fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0 && (found.st_mode & S_IFMT) == kind;
}

/* The files that lead there may all be a command's, so that where they lead must be nothing but a git directory. */
static bool is_git_directory_of(const char *shared, const char *own) {
  const char *rest = below(shared, own);
  if (!rest || strncmp(rest, "worktrees/", 10) != 0 || !rest[10] || strchr(rest + 10, '/')) return false;
  int folder = open_without_links(AT_FDCWD, shared, O_PATH | O_DIRECTORY);
  bool is_one = folder >= 0 && has_entry(folder, "HEAD", S_IFREG) && has_entry(folder, "config", S_IFREG) &&
                has_entry(folder, "objects", S_IFDIR) && has_entry(folder, "refs", S_IFDIR) &&
                !has_entry(folder, ".git", S_IFDIR) && !has_entry(folder, ".git", S_IFREG);
  if (folder >= 0) close(folder);
  return is_one;
}

/* A worktree's git directory lies elsewhere: it comes in only if it says itself that this is its worktree. */
static void add_linked_git(struct view *view, int folder) {
  char *named = pointer_in(folder, ".git", "gitdir: ");
  if (!named) return;
  char *own = plain_path(view->workspace, named);
  int git = open_without_links(AT_FDCWD, own, O_PATH | O_DIRECTORY);
  if (git < 0) return;
  char *back = pointer_in(git, "gitdir", ""), *common = pointer_in(git, "commondir", "");
  if (back && common && strcmp(plain_path(own, back), joined(view->workspace, ".git")) == 0) {
    char *shared = plain_path(own, common);
    if (is_git_directory_of(shared, own) && !is_no_workspace(view, shared) && !below(view->workspace, shared) &&
        !below(shared, view->workspace)) {
      add_bound(view, shared, PLACE_WRITE);
      view->shared_git = shared;
    }
  }
  close(git);
}

static void freeze_git(struct view *view) {
  struct git_walk *walk = allot(1, sizeof *walk);
  int folder = open_without_links(AT_FDCWD, view->workspace, O_PATH | O_DIRECTORY);
  if (folder < 0) return;
  if (has_entry(folder, ".git", S_IFREG) && !view->plan->places.workspace_target) add_linked_git(view, folder);
  close(folder);
  *walk = (struct git_walk){.workspace = view->workspace, .shared = view->shared_git, .visit = freeze_folder, .context = view};
  git_walk(walk);
}

void add_workspace(struct view *view) {
  if (!view->workspace) return;
  if (longest_around(&view->hidden, view->workspace) == strlen(view->workspace))
    refuse("the workspace ", view->workspace, " is hidden: give another folder, or leave out what hides it", NULL);
  const struct places *places = &view->plan->places;
  char *target = places->workspace_target ? places->workspace_target : view->workspace;
  int fd = open_without_links(AT_FDCWD, view->workspace, O_PATH | O_DIRECTORY);
  if (fd < 0) refuse("the workspace ", view->workspace, ": ", error_text(errno), NULL);
  if (places->workspace == WORKSPACE_ASIDE) {
    struct layer *layer = allot(1, sizeof *layer);
    *layer = (struct layer){.folder = fd, .can_be_written = true, .must_be_whole = true};
    struct place *place = add_place_at(view, PLACE_LAYER, target, -1);
    place->is_folder = true;
    place->layer = layer;
    return;
  }
  int tree = tree_of(fd, true);
  if (tree < 0) refuse("the workspace ", view->workspace, ": ", error_text(errno), NULL);
  bool read_only = places->workspace == WORKSPACE_READ_ONLY;
  tree_restrict(tree, true, MOUNT_ATTR_NOSUID_ | (read_only ? MOUNT_ATTR_RDONLY_ : 0));
  add_place_at(view, read_only ? PLACE_READ : PLACE_WRITE, target, tree)->is_folder = true;
  close(fd);
  if (read_only) return;
  freeze_git(view);
  if (places->git_notes) git_ledger_open(places->git_notes, view->workspace, target);
}
