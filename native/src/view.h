#ifndef CORDON_VIEW_H
#define CORDON_VIEW_H

#include "come_back.h"
#include "launch.h"

/*
 * What the command will see. Everything of the machine is opened while its own tree is still in sight, then the new tree is
 * put together from descriptors: no name is looked up twice, so nobody can change what it means in between.
 */

enum place_kind { PLACE_NONE, PLACE_EMPTY, PLACE_LAYER, PLACE_CUT, PLACE_READ, PLACE_WRITE, PLACE_PRIVATE, PLACE_DEV, PLACE_PROC, PLACE_RUN };

/* A folder of which a layer is made. */
struct layer {
  /* Relative to the folder. */
  struct strings shown;
  int folder;
  bool hides_the_rest, can_be_written, must_be_whole, is_emptied;
};

struct place {
  enum place_kind kind;
  /* Inside, without links. */
  char *target;
  int tree;
  bool is_folder, is_exposed, is_plain_folder;
  /* A link that says this, instead of a mount. */
  const char *link;
  struct layer *layer;
  uint64_t mode, size;
};

/* A file with a text of its own. */
struct text_file {
  char *target;
  struct slice text;
};

struct view {
  const struct plan *plan;
  struct place *places;
  size_t count, capacity;
  struct text_file *files;
  size_t file_count, file_capacity;
  /* Without links; beside each, whether it is known to be absent now. Of the first ones nothing is hidden in what is exposed. */
  struct strings hidden;
  bool *is_absent;
  size_t absent_capacity, can_be_lifted;
  /* Cordon's own that can only be read, as it is named and without links. */
  struct strings read_only;
  /* What is exposed, as it is named and without links. */
  struct strings lifted;
  /* The homes as the plan spells them, and without links. */
  const char *home_names[MAX_HOMES];
  char *homes[MAX_HOMES];
  size_t home_count;
  char *started_in, *workspace;
  /* The git directory of a linked worktree. */
  char *shared_git;
  /* In places that can be written: what of git's can only be read, what else, and what is hidden; with folders that are held for it. */
  struct strings frozen, kept_as_is, covered;
  /* In memory: masks and empty files, a root that begins empty, what is the command's own. */
  int staging, root, memory;
  /* Masks and what is put aside: in memory, or on the disk where memory has no extended attributes. */
  int store;
  size_t layers_made;
  struct come_back_layers kept;
  bool is_read_only;
};

/* paths.c */
/* What follows `folder` and its slash in `path`; "" for the folder itself, NULL when it lies elsewhere. */
const char *below(const char *folder, const char *path);
char *joined(const char *folder, const char *name);
/* As a shell takes it, for a line that people paste. */
const char *quoted(const char *path);
/* An absolute path without `.` and `..`, as its text has it. */
char *plain_path(const char *folder, const char *path);
/* The longest of the places that `path` lies in, the last of equals; NULL where only the root holds it. */
struct place *place_around(const struct view *view, const char *path);
/* The same for a place itself. */
struct place *around_place(const struct view *view, const struct place *place);
/* `*` is any part of one name, and does not begin with a dot unless written; `\*` is a star, `\\` a backslash. */
bool name_fits(const char *pattern, size_t wanted, const char *name, size_t length);
/* The folder in which a pattern has its first star; NULL where it has none. */
char *folder_of_pattern(const char *pattern);
/* Calls `take` for each path that the pattern stands for. */
void expand(const char *pattern, void (*take)(void *context, char *path), void *context);

/* sources.c */
/* Opens what a policy names, O_PATH; -1 when it is absent. A link that a command could have made is refused. */
int open_named(const struct view *view, const char *path);
/* The same path without links, as far as it exists. */
char *without_links(const struct view *view, const char *path);

/* compose.c: what the machine has of what the plan speaks of, then the places themselves, opened. */
void survey(struct view *view, const struct launch *launch);
void compose(struct view *view);
struct place *add_place_at(struct view *view, enum place_kind kind, char *target, int tree);
void add_file(struct view *view, char *target, struct slice text);
/* Of what a line of the plan names; `real` is where it leads. */
bool binds_read_only(const struct view *view, enum operation_kind kind, const char *real);
/* False where none is. */
bool repeat_link(struct view *view, const char *path);

/* programs.c: what PATH and the command lead to is shown. */
/* Which program the first line of a script names; NULL for what is none. */
char *interpreter_of(const char *path);
void show_programs(struct view *view, const struct launch *launch);
void show(struct view *view, const char *path);
/* For a struct view. */
void hide_unless_lifted(void *view, char *path);
void show_linked_settings(struct view *view);
/* Where `name` in `real`, a folder named without links, leads: no link is followed that a command may have made. NULL when it leads nowhere. */
char *lead_of(const struct view *view, const char *real, const char *name);
bool is_in_a_home(const struct view *view, const char *path);
/* A folder of the home, named from there, that many programs share. */
bool is_shared_folder(const char *rest);

/* certificates.c: what programs are to trust, beside what the image at hand has them trust. */
void add_certificates(struct view *view);

/* workspace.c */
void find_workspace(struct view *view);
/* What a path is called inside, where it lies in something that has another name there. */
char *inside(const struct view *view, const char *path);
void add_workspace(struct view *view);

/* worktrees.c: of the repository's other worktrees the one file that git looks for before it forgets them. After all other places. */
void show_other_worktrees(struct view *view);

/* layer.c: makes the layers, or what can be had of them. */
void make_layers(struct view *view);

/* root.c: puts the tree together. */
/* An empty folder of the command's own, as a mount; 0: of no size of its own. */
int private_folder(const struct view *view, unsigned mode, uint64_t size);
void build_view(struct view *view, const struct launch *launch, int aside);

/* devices.c: what the machine has of them is opened first, and placed when its own tree is out of sight. */
enum { DEVICES = 6, STEERING = 7, NEEDED_IN_RUN = 4 };
extern const char *const steering[STEERING], *const needed_in_run[NEEDED_IN_RUN];
struct devices {
  int trees[DEVICES], console;
};
void open_devices(struct devices *devices);
void place_dev(const struct view *view, const struct devices *devices, uint64_t shared_memory);
void open_run(struct view *view);
void place_run(const struct view *view);
void place_proc(void);
/* After everything that has to write there. */
void close_proc_to_root(void);

/* Opens a place inside for mounting onto it; makes it where it is ours to make. */
int open_target(const char *target, bool is_folder);

/* Whether something hides this path, and nothing nearer to it exposes it. */
bool view_hides(const struct view *view, const char *path);

/* mention.c: arguments that are there outside and not inside. */
struct arguments_shown {
  bool command_was_there;
  /* Of a git that reaches out: repositories of this machine that are its remotes, and whether it writes to them. */
  struct strings remotes;
  bool pushes;
  /* Of a script, where it was there. */
  char *interpreter;
  bool *was_there;
  size_t count;
};
void note_arguments(struct arguments_shown *shown, const struct launch *launch);
void mention_arguments(const struct arguments_shown *shown, const struct launch *launch, const struct view *view);

#endif
