#include "said.h"

#include "kernel.h"
#include "mount.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Agents that keep a folder for each project. What was said in this one is written for real; what another project's agent is told, or
 * would go on with, is not for a command of this one to write. Neither is what is read as instructions, in its own folder.
 */

/* A name that is longer has a number behind it that is the agent's own matter: what is said there is put aside. */
enum { LONGEST_NAME = 200 };

/* As agents call it: each character that is no letter or digit is a dash, and one beyond the first 65536 is two. */
static bool name_project(const char *path, char *name) {
  size_t length = 0;
  for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
    bool is_plain = (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z');
    if (*at >= 0x80 && *at < 0xc0) continue;
    size_t more = *at >= 0xf0 ? 2 : 1;
    if (length + more > LONGEST_NAME) return false;
    name[length++] = is_plain ? (char)*at : '-';
    if (more == 2) name[length++] = '-';
  }
  name[length] = '\0';
  return length > 0;
}

static int open_made(int folder, const char *name, bool may_make) {
  if (may_make) mkdirat(folder, name, 0700);
  return openat(folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void each_project(const struct view *view, const struct operation *operation, take_project *take, void *context) {
  const char *const projects[] = {view->started_in, view->workspace};
  char name[LONGEST_NAME + 2];
  int all = open_named(view, operation->path);
  char *path = all < 0 ? NULL : path_of(all);
  for (size_t i = 0; path && i < 2; i++) {
    if (!projects[i] || (i && strcmp(projects[i], projects[0]) == 0) || !name_project(projects[i], name)) continue;
    int folder = open_made(all, name, i == 0);
    if (folder >= 0) take(context, folder, joined(path, name));
  }
  if (all >= 0) close(all);
}

struct composing {
  struct view *view;
  const struct operation *operation;
};

static void add_layer_in(struct view *view, int folder, const char *path, const char *name) {
  int opened = open_made(folder, name, true);
  if (opened < 0) return;
  struct layer *layer = allot(1, sizeof *layer);
  *layer = (struct layer){.folder = opened, .can_be_written = true};
  struct place *place = add_place_at(view, PLACE_LAYER, joined(path, name), -1);
  place->is_folder = true;
  place->layer = layer;
}

static void compose_project(void *context, int folder, const char *path) {
  const struct composing *composing = context;
  struct view *view = composing->view;
  int tree = view_hides(view, path) ? -1 : tree_of(folder, true);
  if (tree >= 0) {
    tree_restrict(tree, true, MOUNT_ATTR_NOSUID_);
    add_place_at(view, PLACE_WRITE, allot_text(path, strlen(path)), tree)->is_folder = true;
    said_note(view, path);
    for (size_t i = 0; i < composing->operation->names.count; i++) add_layer_in(view, folder, path, composing->operation->names.items[i]);
  }
  close(folder);
}

void compose_projects(struct view *view, const struct operation *operation) {
  each_project(view, operation, compose_project, &(struct composing){view, operation});
}
