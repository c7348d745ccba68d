#ifndef CORDON_GIT_H
#define CORDON_GIT_H

#include "base.h"

/*
 * Git's own files in a workspace that can be written: a later git outside, which no barrier is around, starts whatever programs
 * they name. What a command added of that kind is put back when it has ended.
 */

enum { LARGEST_GIT_FILE = 256 << 10 };

/* ── git_config.c: a configuration as git reads it ── */

struct git_entry {
  /* `section.` or `section.subsection.`, then the key; NULL: a key without a value. */
  const char *stem, *key, *value;
  size_t start, end;
};

struct git_config {
  struct git_entry *entries;
  size_t count, capacity;
};

/* False where git would stop with an error. */
bool git_parse(struct slice text, struct git_config *config);

/* Where a git directory of a submodule says that its files are, seen from the workspace; `folder` is the directory's path there. */
const char *submodule_files(const char *folder, const char *value);

struct git_judge {
  /* Of the directory that the configuration lies in, seen from the workspace; NULL: elsewhere. */
  const char *folder;
  bool (*is_plain_folder)(const char *path);
  void (*removed)(const struct git_judge *judge, const struct git_entry *entry);
  const char *file;
};

/* What is left of `now` without entries that neither are harmless nor were there before; false when it is no configuration. */
bool git_clean(const struct git_judge *judge, struct slice before, struct slice now, struct text *left);

/* ── git_index.c ── */

/* Calls `take` for each path that is a repository of its own. False when the index cannot be understood. */
typedef void git_link(void *context, const char *path);
bool git_links(int git, git_link *take, void *context);

/* ── git.c ── */

/* Opens and reads a plain file that is not too large; `text` is NULL otherwise, with errno. */
struct slice git_read(int folder, const char *name);

/* Calls `visit` for a git directory and those below it. False when there are more than are looked at. */
typedef void git_visit(void *context, int folder, const char *path);
bool git_walk(int folder, const char *path, git_visit *visit, void *context);

/* Remembers what is there. `shared` is the git directory of a linked worktree, or NULL; `awaited` are paths that git runs or reads once there. */
void git_note(const char *workspace, const char *shared, const struct strings *awaited);

/* For frozen.c: a file of settings as it is, what is left of it in the end, folders and what stands in them, a line for the person. */
void git_note_file(int folder, const char *path, const char *name);
void git_settle_file(int folder, const char *path, const char *name);
void git_open_up(int folder);
bool git_put_aside(int folder, const char *path, const char *name, const char *why);
__attribute__((sentinel)) void git_tell(const char *part, ...);

/* For the first process inside, when nobody else is left there; each line that a person should read goes to `tell`. */
void git_settle(void (*tell)(const char *line));

#endif
