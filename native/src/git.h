#ifndef CORDON_GIT_H
#define CORDON_GIT_H

#include "base.h"

#include <sys/types.h>

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
  /* The directory that the configuration lies in, seen from the workspace; NULL: it may not say where its files are. */
  const char *folder;
  /* Whether files that lie at this path in the workspace are the directory's own. */
  bool (*is_own_tree)(const char *path);
  void (*removed)(const struct git_judge *judge, const struct git_entry *entry);
  void (*restored)(const struct git_judge *judge, const struct git_entry *entry);
  const char *file;
  /* Some configuration of the workspace had the address of a remote. */
  bool had_remote;
  /* All that the configuration says now, and said before. */
  const struct git_config *all, *old;
};

/* Whether it has the address of a remote. */
bool git_has_remote(const struct git_config *config);

/* What is left of `now` without entries that neither are harmless nor were there before; false when it is no configuration. */
bool git_clean(struct git_judge *judge, struct slice before, struct slice now, struct text *left);

/* ── git_index.c ── */

/*
 * Calls `take` for each path that is a repository of its own, or a folder of which the index has nothing but the name. False where it says so,
 * and when the index cannot be understood, or names what is no file of a tree. `common`: the directory with the repository's settings.
 */
typedef bool git_link(void *context, const char *path, bool is_folder);
bool git_links(int git, int common, git_link *take, void *context);

/* ── git_steps.c: files of what git does in steps, such as a rebase. What of `now` is harmless, or is in `old`; false: put it back ── */

typedef bool git_clean_file(struct slice old, struct slice now, struct text *left);
git_clean_file git_clean_steps, git_clean_strategy, git_clean_strategy_options, git_clean_apply_options, git_clean_options, git_clean_conflicts;

/* Whether it is one of these, between which are spaces. */
bool git_is_word(const char *text, size_t length, const char *words);

/* ── git_operations.c: the folders that they lie in ── */

void git_note_operations(int folder, const char *path);
void git_settle_operations(int folder, const char *path);

/* ── git_symlinks.c: links among git's own files, at any depth ── */

void git_note_symlinks(int folder, const char *path);
void git_settle_symlinks(int folder, const char *path);

/* ── git_walk.c: every git directory that a git started in the workspace comes to, each as git finds it ── */

struct git_walk {
  /* Where they may lie; what the workspace is called in git's files, where that differs. */
  const char *workspace, *shared, *named;
  /* A git directory, without links in its path, and a folder of its files, where one is known. A directory comes once with each. */
  void (*visit)(struct git_walk *walk, int folder, const char *path, const char *tree);
  /* May be NULL. Before a name is followed; a name behind which there is more than is looked at; an index that is not understood. */
  void (*step)(struct git_walk *walk, int folder, const char *path, const char *name);
  void (*beyond)(struct git_walk *walk, int folder, const char *path, const char *name);
  void (*odd)(struct git_walk *walk, int folder, const char *path, const char *name);
  void *context;
  unsigned steps;
  size_t count, capacity;
  struct git_pair {
    dev_t device, tree_device;
    ino_t inode, tree_inode;
  } * seen;
};

void git_walk(struct git_walk *walk);
bool git_is_there(int folder, const char *name);
/* Whether a path without links lies where they may. */
bool git_is_within(const struct git_walk *walk, const char *path);
/* The folder that git comes to by a name: a folder, a link to one, a file that names one; -1, and NULL for its path, where there is none. */
int git_follow(const struct git_walk *walk, int folder, const char *name, char **to);

/* Calls `take` for each path within that the settings of a git directory name to run programs from or to take settings from, without links. */
typedef void git_take(void *context, const char *path);
void git_named(const struct git_walk *walk, int folder, const char *path, const char *tree, git_take *take, void *context);

/* ── git_judge.c: for what is taken over later. Prints what git comes to from there; what may be an index, as an exit code ── */

int git_print_places(void);
int git_judge_index(void);

/* ── git_ledger.c: what was noted, on the disk, for the launch after one that was killed with all that would have put it back ── */

/* In `parent`, which is out of the command's reach; while the machine's own tree is in sight. */
void git_ledger_open(const char *parent, const char *workspace, const char *target);
int git_ledger_keep(int first);
struct slice git_ledger_next(void);
struct slice git_ledger_of_first(void);
void git_ledger_done(void);
void git_ledger_write(const char *bytes, size_t length);
void git_ledger_clear(void);

/* ── git.c ── */

extern const char *const git_configurations[2];

/* Opens and reads a plain file that is not too large; `text` is NULL otherwise, with errno. */
struct slice git_read(int folder, const char *name);

/* The same through links. */
struct slice git_read_through(int folder, const char *name);

/* Remembers what is there. `shared` is the git directory of a linked worktree, or NULL; `outside` what the workspace is called on the machine. */
void git_note(const char *workspace, const char *shared, const char *outside);

/* The same with more flags of openat, and up to another size. */
struct slice git_read_sized(int folder, const char *name, int more, off_t largest);

/* What was noted of a path: whether it was there, the text of a file, and whether a name is and leads where it did. */
bool git_was_there(const char *path);
/* There was more than could be noted, and this was not; it is told. Such a thing is left as it is. */
bool git_may_be_old(const char *path);
struct slice git_text_before(const char *path);
bool git_is_as_it_was(int folder, const char *path, const char *name);
bool git_leads_as_it_did(int folder, const char *path, const char *name);
char *git_end_of_link(int folder, const char *name);

/* What was there before, in place of whatever stands there now; another text, by git's own lock. */
void git_put_back(int folder, const char *path, const char *name);
void git_replace(int folder, const char *path, const char *name, struct slice text, mode_t mode);
const char *git_shown(const char *path);

/* For frozen.c: a file of settings as it is, what is left of it in the end, folders and what stands in them, a line for the person. */
void git_note_file(int folder, const char *path, const char *name);
void git_settle_file(int folder, const char *path, const char *name);
void git_open_up(int folder);
bool git_put_aside(int folder, const char *path, const char *name, const char *why);
__attribute__((sentinel)) void git_tell(const char *part, ...);

/* For the first process inside, when nobody else is left there; each line that a person should read goes to `tell`. */
void git_settle(void (*tell)(const char *line));

#endif
