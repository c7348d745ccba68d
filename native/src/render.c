#include "render.h"

#include "git.h"
#include "mount.h"
#include "protocol.h"
#include "said.h"
#include "view.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The second way, where only bubblewrap may make namespaces. It has no layers: of a home what is shown is there, read-only,
 * writes go where the policy says, and sockets of the machine outside /run, the home and the temporary folders are not cut.
 */

struct renderer {
  struct rendering *out;
  struct view view;
  struct strings held, frozen;
};

__attribute__((sentinel)) static void add(struct renderer *r, const char *argument, ...) {
  va_list more;
  va_start(more, argument);
  for (; argument; argument = va_arg(more, const char *)) strings_add(&r->out->arguments, allot_text(argument, strlen(argument)));
  va_end(more);
}

static bool exists(const char *path) { return access(path, F_OK) == 0; }

static bool is_folder(const char *path) {
  struct stat found;
  return lstat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static void add_data(struct renderer *r, const char *mode, const char *path, struct slice text) {
  struct rendering *out = r->out;
  out->data = allot_more(out->data, out->data_count, &out->data_capacity, sizeof *out->data);
  add(r, "--perms", mode, "--ro-bind-data", decimal(FIRST_FREE_FD + out->data_count), path, NULL);
  out->data[out->data_count++] = text;
}

static void add_memory(struct renderer *r, const char *mode, uint64_t bytes, const char *path) {
  if (bytes) add(r, "--size", decimal(bytes), NULL);
  add(r, "--perms", mode, "--tmpfs", path, NULL);
}

static void hide(struct renderer *r, const char *path) {
  struct stat found;
  if (lstat(path, &found) != 0 || S_ISLNK(found.st_mode)) return;
  for (size_t i = 0; i < r->view.home_count; i++)
    if (below(r->view.homes[i], path) && !(r->view.workspace && below(r->view.workspace, path))) return;
  const char *target = inside(&r->view, path);
  if (S_ISDIR(found.st_mode)) add_memory(r, "0000", 0, target);
  else add_data(r, "0000", target, (struct slice){(char *)"", 0});
}

static bool is_hidden(const struct renderer *r, const char *path) {
  for (size_t i = 0; i < r->view.hidden.count; i++)
    if (below(r->view.hidden.items[i], path)) return true;
  return false;
}

static void add_home(struct renderer *r, const char *home, const struct layer *layer) {
  if (!layer->hides_the_rest) {
    add(r, "--ro-bind", home, home, NULL);
    return;
  }
  add_memory(r, "0700", 0, home);
  for (size_t i = 0; i < layer->shown.count; i++) {
    const char *path = joined(home, layer->shown.items[i]);
    if (exists(path) && !is_hidden(r, path)) add(r, "--ro-bind", path, path, NULL);
  }
  for (size_t i = 0; i < r->view.hidden.count; i++) {
    const char *rest = below(home, r->view.hidden.items[i]);
    for (size_t j = 0; rest && j < layer->shown.count; j++) {
      if (!below(layer->shown.items[j], rest) || !exists(r->view.hidden.items[i])) continue;
      if (is_folder(r->view.hidden.items[i])) add_memory(r, "0000", 0, r->view.hidden.items[i]);
      else add_data(r, "0000", r->view.hidden.items[i], (struct slice){(char *)"", 0});
      break;
    }
  }
}

struct named {
  struct renderer *renderer;
  const struct operation *operation;
};

static void bind(void *context, char *path) {
  const struct named *named = context;
  struct renderer *r = named->renderer;
  const struct operation *operation = named->operation;
  int fd = open_named(&r->view, path);
  char *real = fd < 0 ? NULL : path_of(fd);
  if (fd >= 0) close(fd);
  if (!real) {
    if (operation->kind == OP_READ || operation->kind == OP_WRITE) refuse(path, ": ", error_text(errno), NULL);
    return;
  }
  if (below("/proc", real)) return;
  add(r, binds_read_only(&r->view, operation->kind, real) ? "--ro-bind" : "--bind", real, operation->target ? operation->target : path, NULL);
  if (operation->kind == OP_WRITE_PLAIN) said_note(&r->view, real);
}

/* Nothing can be put aside here: what would be is read-only. */
static void bind_project(void *context, int folder, const char *path) {
  const struct named *named = context;
  add(named->renderer, "--bind", path, path, NULL);
  said_note(&named->renderer->view, path);
  for (size_t i = 0; i < named->operation->names.count; i++) {
    const char *name = named->operation->names.items[i], *inside_it = joined(path, name);
    mkdirat(folder, name, 0700);
    if (is_folder(inside_it)) add(named->renderer, "--ro-bind", inside_it, inside_it, NULL);
  }
  close(folder);
}

/* Each once, and those above before those below: a second bind would cover what lies on the first. */
static void hold_in_place(struct renderer *r, const char *path) {
  for (size_t i = 0; i < r->held.count; i++)
    if (strcmp(r->held.items[i], path) == 0) return;
  strings_add(&r->held, allot_text(path, strlen(path)));
  add(r, "--bind", path, path, NULL);
}

static void freeze_named(void *context, const char *path) {
  struct renderer *r = context;
  const char *rest = below(r->view.workspace, path);
  if (!rest || !*rest || access(path, F_OK) != 0) return;
  for (size_t i = 0; i < r->frozen.count; i++)
    if (below(r->frozen.items[i], path)) return;
  strings_add(&r->frozen, allot_text(path, strlen(path)));
  for (const char *at = strchr(rest, '/'); at; at = strchr(at + 1, '/'))
    hold_in_place(r, joined(r->view.workspace, allot_text(rest, (size_t)(at - rest))));
  add(r, "--ro-bind", path, path, NULL);
}

static void freeze_folder(struct git_walk *walk, int folder, const char *path, const char *tree) {
  if (is_folder(joined(path, "hooks"))) freeze_named(walk->context, joined(path, "hooks"));
  git_named(walk, folder, path, tree, freeze_named, walk->context);
}

static void add_workspace_arguments(struct renderer *r) {
  const struct places *places = &r->view.plan->places;
  if (places->workspace == WORKSPACE_ASIDE)
    refuse("the workspace cannot be put aside here, since only bubblewrap can make a sandbox on this machine", NULL);
  if (!r->view.workspace) return;
  const char *target = places->workspace_target ? places->workspace_target : r->view.workspace;
  add(r, places->workspace == WORKSPACE_REAL ? "--bind" : "--ro-bind", r->view.workspace, target, NULL);
  if (places->workspace != WORKSPACE_REAL || places->workspace_target) return;
  r->out->workspace = r->view.workspace;
  struct git_walk *walk = allot(1, sizeof *walk);
  *walk = (struct git_walk){.workspace = r->view.workspace, .visit = freeze_folder, .context = r};
  git_walk(walk);
}

static void add_run(struct renderer *r) {
  if (!is_folder("/run")) return;
  add_memory(r, "0755", 0, "/run");
  for (size_t i = 0; i < NEEDED_IN_RUN; i++) add(r, "--ro-bind-try", needed_in_run[i], needed_in_run[i], NULL);
  int fd = openat(AT_FDCWD, "/etc/resolv.conf", O_PATH | O_CLOEXEC);
  char *path = fd < 0 ? NULL : path_of(fd);
  if (fd >= 0) close(fd);
  if (path && below("/run", path)) add(r, "--ro-bind-try", path, path, NULL);
  char user[32];
  snprintf(user, sizeof user, "/run/user/%u", (unsigned)getuid());
  add(r, "--perms", "0700", "--dir", user, NULL);
}

static void add_operation(struct renderer *r, const struct operation *operation) {
  struct named named = {r, operation};
  char mode[16];
  switch (operation->kind) {
    case OP_TRY_READ: expand(operation->path, bind, &named); return;
    case OP_READ:
    case OP_WRITE:
    case OP_TRY_WRITE:
    case OP_WRITE_PLAIN:
    case OP_EXPOSE_READ:
    case OP_EXPOSE_WRITE: bind(&named, operation->path); return;
    case OP_WRITE_PROJECT: each_project(&r->view, operation, bind_project, &named); return;
    case OP_PRIVATE:
      snprintf(mode, sizeof mode, "%04llo", (unsigned long long)operation->mode);
      if (r->view.plan->places.root == ROOT_EMPTY || is_folder(operation->path))
        add_memory(r, mode, operation->size, operation->path);
      return;
    case OP_CUT:
      if (r->view.plan->places.root == ROOT_EMPTY) add(r, "--ro-bind-try", operation->path, operation->path, NULL);
      return;
    case OP_FOLDER: add(r, "--dir", operation->path, NULL); return;
    case OP_LINK: add(r, "--symlink", operation->text.text, operation->path, NULL); return;
    case OP_TRY_DATA:
      if (access(operation->path, F_OK) != 0) return;
      /* fall through */
    case OP_DATA:
      if (!is_hidden(r, operation->path)) add_data(r, "0644", without_links(&r->view, operation->path), operation->text);
      return;
    case OP_RUN: add_run(r); return;
    case OP_WORKSPACE: add_workspace_arguments(r); return;
    case OP_PROC: add(r, "--proc", "/proc", NULL); return;
    case OP_DEV: add(r, "--dev", "/dev", NULL); return;
    default: return;
  }
}

static void add_namespaces(struct renderer *r) {
  const struct places *places = &r->view.plan->places;
  if (getuid() != 0) add(r, "--unshare-user", NULL);
  add(r, "--unshare-pid", "--die-with-parent", "--as-pid-1", "--cap-drop", "ALL", NULL);
  if (!places->ipc_host) add(r, "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", NULL);
  if (places->network == NETWORK_NAMES)
    refuse("the network cannot be opened by name here, since only bubblewrap can make a sandbox on this machine", NULL);
  if (places->network == NETWORK_OFF) add(r, "--unshare-net", NULL);
}

static void add_root(struct renderer *r) {
  switch (r->view.plan->places.root) {
    case ROOT_MACHINE: add(r, "--ro-bind", "/", "/", NULL); return;
    case ROOT_WRITABLE: add(r, "--bind", "/", "/", "--ro-bind-try", "/sys", "/sys", NULL); return;
    default: return;
  }
}

void render(struct rendering *rendering, const struct launch *launch) {
  struct renderer r = {.out = rendering};
  const struct places *places = &launch->plan.places;
  *rendering = (struct rendering){.workspace = ""};
  survey(&r.view, launch);
  add(&r, launch->plan.bwrap, NULL);
  add_namespaces(&r);
  add_root(&r);
  for (size_t i = 0; i < places->count; i++)
    if (places->operations[i].kind == OP_PRIVATE) add_operation(&r, &places->operations[i]);
  for (size_t i = 0; i < r.view.count; i++)
    if (r.view.places[i].layer) add_home(&r, r.view.places[i].target, r.view.places[i].layer);
  for (size_t i = 0; i < places->count; i++)
    if (places->operations[i].kind != OP_PRIVATE) add_operation(&r, &places->operations[i]);
  for (size_t i = 0; i < r.view.read_only.count; i++)
    if (exists(r.view.read_only.items[i]))
      add(&r, "--ro-bind", r.view.read_only.items[i], inside(&r.view, r.view.read_only.items[i]), NULL);
  for (size_t i = 0; i < r.view.hidden.count; i++) hide(&r, r.view.hidden.items[i]);
  for (size_t i = 0; i < STEERING && getuid() == 0; i++)
    if (exists(steering[i])) add(&r, "--ro-bind", steering[i], steering[i], NULL);
  said_write_down();
  if (places->root == ROOT_EMPTY) add(&r, "--remount-ro", "/", NULL);
  add(&r, "--chdir", places->folder ? places->folder : r.view.started_in, NULL);
}
