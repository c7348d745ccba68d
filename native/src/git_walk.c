#include "git.h"

#include "mount.h"
#include "view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a git that is started in the workspace goes, step for step as git does: where the two differ a program could be started unseen. */

enum { DEEPEST = 10, MOST_STEPS = 1024 };

bool git_is_there(int folder, const char *name) {
  struct stat found;
  return fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0;
}

bool git_is_within(const struct git_walk *walk, const char *path) {
  return below(walk->workspace, path) || (walk->shared && below(walk->shared, path));
}

/* ── one step ── */

/* Names in git's files are the machine's, on which the workspace may have another one. */
static const char *here(const struct git_walk *walk, const char *target) {
  const char *rest = walk->named ? below(walk->named, target) : NULL;
  return rest ? joined(walk->workspace, rest) : target;
}

/* Through links, and through folders that the command closed. */
static int open_through(int folder, const char *name) {
  int found = openat(folder, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (found >= 0 || errno != EACCES) return found;
  git_open_up(folder);
  for (const char *at = strchr(name + 1, '/'); at; at = strchr(at + 1, '/')) {
    int step = openat(folder, allot_text(name, (size_t)(at - name)), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (step >= 0) git_open_up(step);
    if (step >= 0) close(step);
  }
  return openat(folder, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int open_folder(int folder, const char *name, char **path) {
  int found = *name ? open_through(folder, name) : -1;
  *path = NULL;
  if (found < 0) return -1;
  git_open_up(found);
  int opened = openat(found, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  close(found);
  if (opened >= 0) *path = path_of(opened);
  if (*path || opened < 0) return opened;
  close(opened);
  return -1;
}

/* What a file that points elsewhere says: git takes off the ends of lines behind it, and none before. */
static char *pointer_in(int folder, const char *name, const char *key) {
  struct slice text = git_read_through(folder, name);
  size_t length = text.length;
  while (length && (text.text[length - 1] == '\n' || text.text[length - 1] == '\r')) text.text[--length] = '\0';
  return text.text && strncmp(text.text, key, strlen(key)) == 0 ? text.text + strlen(key) : NULL;
}

int git_follow(const struct git_walk *walk, int folder, const char *name, char **to) {
  struct stat found;
  char target[PATH_MAX];
  const char *way = name;
  *to = NULL;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  if (S_ISLNK(found.st_mode)) {
    ssize_t length = readlinkat(folder, name, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    way = here(walk, target);
  }
  if (fstatat(folder, way, &found, 0) == 0 && S_ISREG(found.st_mode)) {
    way = pointer_in(folder, way, strcmp(name, ".git") == 0 ? "gitdir: " : "");
    if (!way) return -1;
    way = here(walk, way);
  }
  return open_folder(folder, way, to);
}

/* As git tells a git directory from another folder. */
static bool has_head(int folder) {
  char target[PATH_MAX] = "";
  if (readlinkat(folder, "HEAD", target, sizeof target - 1) > 0) return strncmp(target, "refs/", 5) == 0;
  struct slice text = git_read(folder, "HEAD");
  if (!text.text) return false;
  if (strncmp(text.text, "ref:", 4) == 0) return strncmp(text.text + 4 + strspn(text.text + 4, " \t\n\v\f\r"), "refs/", 5) == 0;
  return strspn(text.text, "0123456789abcdefABCDEF") >= 40;
}

static bool is_repository(int folder) {
  return has_head(folder) && (git_is_there(folder, "commondir") || (git_is_there(folder, "objects") && git_is_there(folder, "refs")));
}

static bool is_open_folder(int folder, const char *name) {
  struct stat found;
  return fstatat(folder, name, &found, 0) == 0 && S_ISDIR(found.st_mode) && (found.st_mode & 0100);
}

/* ── all of them ── */

/* A folder of files that git knows, and where it is; -1: one that nobody knows of. */
struct tree {
  struct git_walk *walk;
  int folder;
  const char *path;
  unsigned depth;
};

static void walk_git(const struct tree *tree, int git, const char *path);

static bool is_full(const struct tree *tree) { return tree->depth > DEEPEST || tree->walk->steps >= MOST_STEPS; }

/* Once with each tree, and without one only where it was not met with any. */
static bool is_new(struct git_walk *walk, int git, int tree) {
  struct stat own, its = {0};
  if (fstat(git, &own) != 0 || (tree >= 0 && fstat(tree, &its) != 0)) return false;
  struct git_pair pair = {own.st_dev, its.st_dev, own.st_ino, its.st_ino};
  for (size_t i = 0; i < walk->count; i++) {
    const struct git_pair *one = &walk->seen[i];
    if (one->device != pair.device || one->inode != pair.inode) continue;
    if (tree < 0 || (one->tree_device == pair.tree_device && one->tree_inode == pair.tree_inode)) return false;
  }
  walk->seen = allot_more(walk->seen, walk->count, &walk->capacity, sizeof *walk->seen);
  walk->seen[walk->count++] = pair;
  return true;
}

/* -1 where it leads nowhere that is looked at. */
static int enter(struct git_walk *walk, int folder, const char *path, const char *name, char **to) {
  walk->steps++;
  if (walk->step) walk->step(walk, folder, path, name);
  int entered = git_follow(walk, folder, name, to);
  if (entered < 0 || git_is_within(walk, *to)) return entered;
  close(entered);
  return -1;
}

static bool walk_to(const struct tree *tree, int folder, const char *path, const char *name) {
  char *to;
  int git = enter(tree->walk, folder, path, name, &to);
  if (git < 0) return false;
  bool is_one = is_repository(git);
  walk_git(tree, git, to);
  close(git);
  return is_one;
}

static bool walk_tree(const struct tree *tree) {
  if (!git_is_there(tree->folder, ".git")) return false;
  if (!is_full(tree)) return walk_to(tree, tree->folder, tree->path, ".git");
  if (tree->walk->beyond) tree->walk->beyond(tree->walk, tree->folder, tree->path, ".git");
  return true;
}

static void walk_folder_at(const struct tree *above, int folder, const char *name) {
  struct tree tree = {.walk = above->walk, .depth = above->depth + 1};
  char *path;
  tree.folder = open_folder(folder, name, &path);
  tree.path = path;
  if (tree.folder < 0) return;
  if (git_is_within(tree.walk, path)) walk_tree(&tree);
  close(tree.folder);
}

/* What lies in a folder that is one entry of the index git finds out for itself, and goes to repositories there: none is there in an honest one. */
static bool take_link(void *context, const char *name, bool is_folder) {
  const struct tree *tree = context;
  if (tree->folder < 0) return true;
  if (is_folder) return !git_is_there(tree->folder, name);
  walk_folder_at(tree, tree->folder, name);
  return true;
}

static bool walk_index(const struct tree *tree, int git) {
  struct tree own = *tree;
  char *to;
  int common = git_is_there(git, "commondir") ? git_follow(tree->walk, git, "commondir", &to) : -1;
  bool is_understood = git_links(git, common < 0 ? git : common, take_link, &own);
  if (common >= 0) close(common);
  return is_understood;
}

/* `modules` and `worktrees` hold git directories, or folders of them where a submodule's name has a slash. */
static void walk_all(const struct tree *tree, int parent, const char *above, const char *name) {
  struct git_walk *walk = tree->walk;
  const struct tree inner = {.walk = walk, .folder = -1, .depth = tree->depth + 1};
  char *path, *to;
  int folder = git_is_there(parent, name) ? enter(walk, parent, above, name, &path) : -1;
  DIR *listing = folder < 0 ? NULL : fdopendir(folder);
  bool whole = true;
  if (!listing) return;
  for (struct dirent *entry; whole && (entry = readdir(listing));) {
    struct stat found;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (fstatat(folder, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0 || S_ISREG(found.st_mode)) continue;
    int git = (whole = !is_full(&inner)) ? enter(walk, folder, path, entry->d_name, &to) : -1;
    if (git < 0) continue;
    bool is_one = has_head(git) && is_open_folder(git, "objects") && is_open_folder(git, "refs");
    walk_git(&inner, git, to);
    if (!is_one && !git_is_there(git, "commondir")) walk_all(&inner, folder, path, entry->d_name);
    close(git);
  }
  closedir(listing);
  if (!whole && walk->beyond) walk->beyond(walk, parent, above, name);
}

/* A git directory may itself say where its files are: a submodule's settings, a worktree's file. */
static void walk_own_trees(const struct tree *tree, int git, const char *path) {
  for (size_t i = 0; i < 2; i++) {
    struct git_config config;
    struct slice text = git_read_through(git, git_configurations[i]);
    if (!text.text || !git_parse(text, &config)) continue;
    const char *last = NULL;
    for (size_t j = 0; j < config.count; j++)
      if (strcmp(config.entries[j].stem, "core.") == 0 && strcmp(config.entries[j].key, "worktree") == 0) last = config.entries[j].value;
    struct tree own = {.walk = tree->walk, .depth = tree->depth + 1};
    char *to = NULL;
    own.folder = last ? open_folder(git, here(tree->walk, last), &to) : -1;
    own.path = to;
    if (to && git_is_within(tree->walk, to)) walk_git(&own, git, path);
    if (own.folder >= 0) close(own.folder);
  }
  char *back = pointer_in(git, "gitdir", ""), *slash = back ? strrchr(back, '/') : NULL;
  if (!slash || slash == back) return;
  *slash = '\0';
  walk_folder_at(tree, git, here(tree->walk, back));
}

static void walk_git(const struct tree *tree, int git, const char *path) {
  struct git_walk *walk = tree->walk;
  if (!is_new(walk, git, tree->folder)) return;
  walk->visit(walk, git, path, tree->path);
  if (git_is_there(git, "commondir")) walk_to(tree, git, path, "commondir");
  if (!walk_index(tree, git) && walk->odd) walk->odd(walk, git, path, "index");
  walk_own_trees(tree, git, path);
  walk_all(tree, git, path, "modules");
  walk_all(tree, git, path, "worktrees");
}

void git_walk(struct git_walk *walk) {
  struct tree tree = {.walk = walk, .path = walk->workspace}, none = {.walk = walk, .folder = -1};
  tree.folder = openat(AT_FDCWD, walk->workspace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (tree.folder >= 0) {
    /* Where it has no repository in it, it may be one. */
    if (!walk_tree(&tree) && is_repository(tree.folder)) walk_git(&none, tree.folder, walk->workspace);
    close(tree.folder);
  }
  int shared = walk->shared ? openat(AT_FDCWD, walk->shared, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
  if (shared < 0) return;
  walk_git(&none, shared, walk->shared);
  close(shared);
}

/* ── what settings name ── */

static char *without_links_now(const char *path) {
  for (size_t length = strlen(path); length;) {
    int fd = openat(AT_FDCWD, allot_text(path, length), O_PATH | O_CLOEXEC);
    char *real = fd < 0 ? NULL : path_of(fd);
    if (fd >= 0) close(fd);
    if (real) return plain_path(real, path + length + strspn(path + length, "/"));
    while (length > 1 && path[length - 1] == '/') length--;
    while (length > 1 && path[length - 1] != '/') length--;
  }
  return plain_path("/", path);
}

/* As /etc/passwd has it. */
static const char *home_of(const char *name, size_t length) {
  struct slice users = git_read_through(AT_FDCWD, "/etc/passwd");
  for (char *line = users.text; line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
    if (strncmp(line, name, length) != 0 || line[length] != ':') continue;
    const char *home = line;
    for (int i = 0; i < 5 && home; i++) home = (home = strpbrk(home, ":\n")) && *home == ':' ? home + 1 : NULL;
    if (home) return allot_text(home, strcspn(home, ":\n"));
  }
  return NULL;
}

/* `~/` is the home, `~name/` somebody's; NULL where nobody knows. */
static const char *expanded(const char *value) {
  if (value[0] != '~') return value;
  const char *rest = value + strcspn(value, "/");
  const char *home = rest == value + 1 ? getenv("HOME") : home_of(value + 1, (size_t)(rest - value - 1));
  return home && home[0] == '/' ? joined(home, rest + (*rest == '/')) : NULL;
}

struct naming {
  const struct git_walk *walk;
  const char *bases[2];
  git_take *take;
  void *context;
};

static void take_named(const struct naming *naming, const char *base, const char *value, unsigned depth);

static void take_names_in(const struct naming *naming, int folder, const char *path, const char *name, unsigned depth) {
  struct git_config config;
  struct slice text = git_read_through(folder, name);
  if (!text.text || !git_parse(text, &config)) return;
  for (size_t i = 0; i < config.count; i++) {
    const struct git_entry *entry = &config.entries[i];
    bool hooks = strcmp(entry->stem, "core.") == 0 && strcmp(entry->key, "hookspath") == 0;
    bool include = strncmp(entry->stem, "include", 7) == 0 && strcmp(entry->key, "path") == 0;
    const char *value = entry->value && (hooks || include) ? expanded(entry->value) : NULL;
    if (!value || !*value) continue;
    if (include) take_named(naming, path, value, depth + 1);
    for (size_t j = 0; hooks && j < 2; j++)
      if (naming->bases[j]) take_named(naming, naming->bases[j], value, DEEPEST);
  }
}

static void take_named(const struct naming *naming, const char *base, const char *value, unsigned depth) {
  value = here(naming->walk, value);
  const char *named = value[0] == '/' ? value : joined(base, value), *real = without_links_now(named);
  if (git_is_within(naming->walk, real)) naming->take(naming->context, real);
  /* What an included file includes lies beside the name that it was included by. */
  const char *slash = strrchr(named, '/');
  if (depth < DEEPEST) take_names_in(naming, AT_FDCWD, allot_text(named, (size_t)(slash - named)), named, depth);
}

void git_named(const struct git_walk *walk, int folder, const char *path, const char *tree, git_take *take, void *context) {
  const struct naming naming = {.walk = walk, .bases = {path, tree}, .take = take, .context = context};
  struct stat found;
  for (size_t i = 0; i < 2; i++) take_names_in(&naming, folder, path, git_configurations[i], 0);
  if (fstatat(folder, "hooks", &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(found.st_mode)) take_named(&naming, path, "hooks", DEEPEST);
}
