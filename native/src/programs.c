#include "mount.h"
#include "view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

static bool is_in_a_home(const struct view *view, const char *path) {
  for (size_t i = 0; i < view->home_count; i++)
    if (below(view->homes[i], path)) return true;
  return false;
}

static bool is_shown(const struct layer *layer, const char *rest) {
  for (size_t i = 0; i < layer->shown.count; i++)
    if (below(layer->shown.items[i], rest)) return true;
  return false;
}

/* Settings that are kept elsewhere in the home and linked to, as dotfile managers do. */
static void show_behind_links(struct view *view, struct layer *layer, const char *path) {
  int folder = *path ? openat(layer->folder, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                     : openat(layer->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *listing = folder < 0 ? NULL : fdopendir(folder);
  if (!listing) return;
  for (struct dirent *entry; (entry = readdir(listing));) {
    if (entry->d_type != DT_LNK || !is_shown(layer, *path ? joined(path, entry->d_name) : entry->d_name)) continue;
    int opened = openat(folder, entry->d_name, O_PATH | O_CLOEXEC);
    char *target = opened < 0 ? NULL : path_of(opened);
    if (opened >= 0) close(opened);
    if (target && is_in_a_home(view, target)) show(view, target);
  }
  closedir(listing);
}

void show_linked_settings(struct view *view) {
  for (size_t i = 0; i < view->count; i++) {
    struct layer *layer = view->places[i].layer;
    if (!layer || !layer->hides_the_rest) continue;
    show_behind_links(view, layer, "");
    show_behind_links(view, layer, ".config");
  }
}

/* Folders that many programs share: what one of them needs is no reason to show the others. */
static bool is_shared(const char *rest) {
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

/* The folder that holds a program; of a `bin` what stands around it, since programs look beside their `bin`. */
static void show_folder(struct view *view, const char *folder) {
  for (size_t i = 0; i < view->home_count; i++) {
    const char *rest = below(view->homes[i], folder);
    if (!rest || !*rest || is_shared(rest)) continue;
    const char *name = strrchr(folder, '/') + 1;
    char *above = parent_of(folder);
    const char *above_rest = below(view->homes[i], above);
    bool whole = strcmp(name, "bin") == 0 && above_rest && *above_rest && !is_shared(above_rest) && !holds_repositories(above);
    show(view, whole ? above : folder);
  }
}

static void show_what_link_leads_to(struct view *view, int folder, const char *name) {
  int opened = openat(folder, name, O_PATH | O_CLOEXEC);
  char *path = opened < 0 ? NULL : path_of(opened);
  if (opened >= 0) close(opened);
  if (path && is_in_a_home(view, path)) show_folder(view, parent_of(path));
}

static void show_links_of(struct view *view, int folder) {
  DIR *listing = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing) return;
  size_t links = 0;
  for (struct dirent *entry; (entry = readdir(listing)) && links < MOST_LINKS;)
    if (entry->d_type == DT_LNK) {
      show_what_link_leads_to(view, folder, entry->d_name);
      links++;
    }
  closedir(listing);
}

static void show_path_folder(struct view *view, const char *named) {
  int folder = openat(AT_FDCWD, named, O_PATH | O_DIRECTORY | O_CLOEXEC);
  char *path = folder < 0 ? NULL : path_of(folder);
  if (path && is_in_a_home(view, path)) {
    show_folder(view, path);
    show_links_of(view, folder);
  }
  if (folder >= 0) close(folder);
}

static const char *search_path(char **env) {
  for (; *env; env++)
    if (strncmp(*env, "PATH=", 5) == 0) return *env + 5;
  return "";
}

void show_programs(struct view *view, const struct launch *launch) {
  if (!view->home_count) return;
  for (const char *at = search_path(launch->env.entries); *at;) {
    size_t length = strcspn(at, ":");
    if (*at == '/') show_path_folder(view, allot_text(at, length));
    at += length + (at[length] == ':');
  }
  char *command = launch->plan.command;
  if (command[0] != '/') return;
  for (size_t i = 0; i < view->home_count; i++)
    if (below(view->homes[i], command) || below(view->home_names[i], command)) show_folder(view, without_links(view, parent_of(command)));
  show_what_link_leads_to(view, AT_FDCWD, command);
}
