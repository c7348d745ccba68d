#include "installed.h"
#include "listing.h"
#include "mount.h"
#include "view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 1000 };

static struct layer *layer_of_home(const struct view *view, const char *home) {
  for (size_t i = 0; i < view->count; i++)
    if (view->places[i].layer && strcmp(view->places[i].target, home) == 0) return view->places[i].layer;
  return NULL;
}

void show(struct view *view, const char *path) {
  char *real = without_links(view, path);
  for (size_t i = 0; i < view->home_count; i++) {
    const char *rest = below(view->homes[i], real);
    struct layer *layer = rest && *rest ? layer_of_home(view, view->homes[i]) : NULL;
    if (layer) strings_add(&layer->shown, allot_text(rest, strlen(rest)));
  }
}

bool is_in_a_home(const struct view *view, const char *path) {
  for (size_t i = 0; i < view->home_count; i++)
    if (below(view->homes[i], path)) return true;
  return false;
}

/* The top of a home and what is above it are nobody's workspace. */
static bool is_around_a_home(const struct view *view, const char *folder) {
  for (size_t i = 0; i < view->home_count; i++)
    if (is_within(view->homes[i], folder) || is_within(view->home_names[i], folder)) return true;
  return false;
}

/* Whether a command may have made what stands in the folder: in the workspace, or in a project in which one ran before. */
static bool is_in_reach_of_commands(const struct view *view, const char *folder) {
  if (view->workspace && below(view->workspace, folder)) return true;
  if (is_around_a_home(view, folder) || !why_not_installed(folder, view->homes, view->home_count)) return false;
  return is_in_a_home(view, folder) || faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0;
}

enum { MOST_HOPS = 40 };

static size_t common_length(const char *one, const char *other) {
  size_t common = 0;
  for (size_t i = 0;; i++) {
    if ((!one[i] || one[i] == '/') && (!other[i] || other[i] == '/')) common = i;
    if (!one[i] || one[i] != other[i]) return common;
  }
}

char *lead_of(const struct view *view, const char *real, const char *name) {
  char text[PATH_MAX];
  const char *rest = plain_path("/", name);
  for (int hops = 0; *rest;) {
    size_t length = strcspn(rest + 1, "/");
    const char *at = joined(real, allot_text(rest + 1, length));
    ssize_t got = readlink(at, text, sizeof text - 1);
    rest += 1 + length;
    if (got <= 0) {
      real = at;
      continue;
    }
    if (++hops > MOST_HOPS || is_in_reach_of_commands(view, real)) return NULL;
    text[got] = '\0';
    const char *next = plain_path("/", joined(plain_path(*real ? real : "/", text), rest));
    size_t common = common_length(real, next);
    real = allot_text(real, common);
    rest = next + common;
  }
  return *real && faccessat(AT_FDCWD, real, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? allot_text(real, strlen(real)) : NULL;
}

static bool is_shown(const struct layer *layer, const char *rest) {
  for (size_t i = 0; i < layer->shown.count; i++)
    if (below(layer->shown.items[i], rest)) return true;
  return false;
}

/* What the copy leaves out is not to be read where the link leads. */
static bool has_copy(const struct view *view, const char *folder, const char *name) {
  const struct places *places = &view->plan->places;
  for (size_t i = 0; i < places->count; i++) {
    const struct operation *operation = &places->operations[i];
    if (operation->kind != OP_DATA || strcmp(strrchr(operation->path, '/') + 1, name) != 0) continue;
    if (strcmp(without_links(view, operation->path), joined(folder, name)) == 0) return true;
  }
  return false;
}

/* Settings that are kept elsewhere in the home and linked to, as dotfile managers do. */
static void show_behind_links(struct view *view, struct layer *layer, const char *home, const char *path) {
  const char *folder = joined(home, path);
  const struct listing *listing = listing_of(folder);
  for (size_t i = 0; i < listing->count; i++) {
    const char *name = listing->entries[i].name;
    if (listing->entries[i].type != DT_LNK || !is_shown(layer, *path ? joined(path, name) : name)) continue;
    char *target = has_copy(view, folder, name) ? NULL : lead_of(view, folder, name);
    if (target && is_in_a_home(view, target)) show(view, target);
  }
}

static bool is_folder_in(const char *home, const char *name) {
  const struct listing *listing = listing_of(home);
  for (size_t i = 0; i < listing->count; i++)
    if (strcmp(listing->entries[i].name, name) == 0) return listing->entries[i].type == DT_DIR;
  return false;
}

void show_linked_settings(struct view *view) {
  for (size_t i = 0; i < view->count; i++) {
    struct layer *layer = view->places[i].layer;
    if (!layer || !layer->hides_the_rest) continue;
    show_behind_links(view, layer, view->places[i].target, "");
    if (is_folder_in(view->places[i].target, ".config")) show_behind_links(view, layer, view->places[i].target, ".config");
  }
}

/* Folders that many programs share: what one of them needs is no reason to show the others. */
bool is_shared_folder(const char *rest) {
  static const char *const folders[] = {".local", ".config", ".cache", ".local/share", ".local/state", ".var", ".var/app"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (strcmp(folders[i], rest) == 0) return true;
  return false;
}

static bool is_repository(int folder) { return faccessat(folder, ".git", F_OK, AT_SYMLINK_NOFOLLOW) == 0; }

static bool holds_repositories(const char *path) {
  DIR *listing = opendir(path);
  if (!listing) return false;
  bool found = is_repository(dirfd(listing));
  for (struct dirent *entry; !found && (entry = readdir(listing));) {
    if (entry->d_type != DT_DIR || strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    int inner = openat(dirfd(listing), entry->d_name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    found = inner >= 0 && is_repository(inner);
    if (inner >= 0) close(inner);
  }
  closedir(listing);
  return found;
}

static char *parent_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return allot_text(path, slash ? (size_t)(slash - path) : 0);
}

static bool ends_in(const char *name, const char *end) {
  size_t length = strlen(name), rest = strlen(end);
  return length > rest && strcmp(name + length - rest, end) == 0;
}

/* What a project has for whoever works on it, and no program needs to run. */
static bool is_for_its_people(const char *name) {
  static const char *const starts[] = {".env", ".netrc", ".npmrc", ".pypirc", "secret", "credential"};
  static const char *const ends[] = {".pem", ".key", ".p12", ".pfx", ".jks", ".kdbx", ".tfstate", ".tfvars"};
  if (strcmp(name, ".git") == 0) return true;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    if (strncmp(name, starts[i], strlen(starts[i])) == 0) return true;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (ends_in(name, ends[i])) return true;
  return false;
}

/* Whoever named a folder means all of it. */
static bool is_named_by_policy(const struct view *view, const char *folder) {
  const struct places *places = &view->plan->places;
  for (size_t i = 0; i < places->count; i++) {
    const struct operation *operation = &places->operations[i];
    if (operation->kind >= OP_READ && operation->kind <= OP_EXPOSE_WRITE && below(operation->path, folder)) return true;
  }
  return view->workspace && (below(view->workspace, folder) || below(folder, view->workspace));
}

/* That a program lies in a folder is no reason to show what else a project has there. */
static void show_for_a_program(struct view *view, const char *folder) {
  show(view, folder);
  if (is_named_by_policy(view, folder)) return;
  const struct listing *listing = listing_of(folder);
  for (size_t i = 0; i < listing->count; i++)
    if (is_for_its_people(listing->entries[i].name)) hide_unless_lifted(view, joined(folder, listing->entries[i].name));
}

/* The folder that holds a program; of a `bin` what stands around it, since programs look beside their `bin`. */
static void show_folder(struct view *view, const char *folder) {
  for (size_t i = 0; i < view->home_count; i++) {
    const char *rest = below(view->homes[i], folder);
    if (!rest || !*rest || is_shared_folder(rest)) continue;
    const char *name = strrchr(folder, '/') + 1;
    char *above = parent_of(folder);
    const char *above_rest = below(view->homes[i], above);
    bool whole = strcmp(name, "bin") == 0 && above_rest && *above_rest && !is_shared_folder(above_rest) && !holds_repositories(above);
    show_for_a_program(view, whole ? above : folder);
  }
}

static bool is_program(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 && S_ISREG(found.st_mode) && (found.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH));
}

/* A folder at the top of a home is a program's own only as a repository, or where programs are installed: it may hold anything. */
static bool may_hold_anything(const struct view *view, const char *folder) {
  for (size_t i = 0; i < view->home_count; i++) {
    const char *rest = below(view->homes[i], folder);
    if (rest && *rest && !strchr(rest, '/') && *rest != '.' && strcmp(rest, "bin") != 0)
      return faccessat(AT_FDCWD, joined(folder, ".git"), F_OK, AT_SYMLINK_NOFOLLOW) != 0;
  }
  return false;
}

/* What a program needs stands around it. What is no program is no reason to show anything. */
static void show_linked_program(struct view *view, const char *path) {
  if (!path || !is_in_a_home(view, path) || !is_program(path)) return;
  char *folder = parent_of(path);
  if (may_hold_anything(view, folder)) show(view, path);
  else show_folder(view, folder);
}

static void show_links_of(struct view *view, const char *folder) {
  const struct listing *listing = listing_of(folder);
  size_t links = 0;
  for (size_t i = 0; i < listing->count && links < MOST_LINKS; i++)
    if (listing->entries[i].type == DT_LNK) {
      show_linked_program(view, lead_of(view, folder, listing->entries[i].name));
      links++;
    }
}

/* A folder that commands could write is shown, and its links are not to decide what else is. */
static void show_path_folder(struct view *view, const char *named) {
  char *path = lead_of(view, "", named);
  if (!path || !is_in_a_home(view, path)) return;
  show_folder(view, path);
  if (!is_in_reach_of_commands(view, path)) show_links_of(view, path);
}

static const char *search_path(char **env) {
  for (; *env; env++)
    if (strncmp(*env, "PATH=", 5) == 0) return *env + 5;
  return "";
}

char *interpreter_of(const char *path) {
  char head[256];
  int file = openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  ssize_t got = file < 0 ? -1 : read(file, head, sizeof head - 1);
  if (file >= 0) close(file);
  head[got > 0 ? got : 0] = '\0';
  if (strncmp(head, "#!", 2) != 0) return NULL;
  const char *start = head + 2 + strspn(head + 2, " \t");
  size_t length = strcspn(start, " \t\r\n");
  return *start == '/' && start[length] ? allot_text(start, length) : NULL;
}

/* A script that commands could have written is not to decide what is shown. */
static void show_interpreter(struct view *view, const char *script) {
  if (!script || is_in_reach_of_commands(view, parent_of(script))) return;
  const char *path = interpreter_of(script);
  if (!path) return;
  /* In a virtual environment it is a link, and what it needs stands around that. */
  const char *folder = lead_of(view, "", parent_of(path));
  if (folder && is_in_a_home(view, folder) && !may_hold_anything(view, folder)) show_folder(view, folder);
  show_linked_program(view, lead_of(view, "", path));
}

void show_programs(struct view *view, const struct launch *launch) {
  if (!view->home_count) return;
  for (const char *at = search_path(launch->env.entries); *at;) {
    size_t length = strcspn(at, ":");
    if (*at == '/') show_path_folder(view, allot_text(at, length));
    at += length + (at[length] == ':');
  }
  const char *command = plain_path(view->started_in, launch->plan.command);
  for (size_t i = 0; i < view->home_count; i++)
    if (below(view->homes[i], command) || below(view->home_names[i], command)) show_folder(view, without_links(view, parent_of(command)));
  const char *program = lead_of(view, "", command);
  show_linked_program(view, program);
  show_interpreter(view, program);
}
