#include "git.h"

#include "view.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/*
 * For `cordon changes apply`, which takes over what a command put aside: what counts as git's own there, and which index may come in, is
 * said by the code that puts them back at the end of a command. Nothing is changed here.
 */

enum { FINE = 0, ODD = 1, LEADS_ON = 2 };

/* ── where git looks, from a workspace ── */

static void print(char kind, const char *path, const char *more) {
  char start[] = {kind, '\0'};
  bool written = write_whole(STDOUT_FILENO, start, sizeof start) && write_whole(STDOUT_FILENO, path, strlen(path) + 1) &&
                 write_whole(STDOUT_FILENO, more ? more : "", more ? strlen(more) + 1 : 1);
  if (!written) refuse("git's places could not be told", NULL);
}

static void print_named(void *context, const char *path) {
  (void)context;
  print('n', path, NULL);
}

static void print_folder(struct git_walk *walk, int folder, const char *path, const char *tree) {
  print('d', path, tree);
  git_named(walk, folder, path, tree, print_named, NULL);
}

static void print_beyond(struct git_walk *walk, int folder, const char *path, const char *name) {
  (void)walk, (void)folder;
  print('n', joined(path, name), NULL);
}

/* Of a linked worktree the directory that it shares: its settings are those of the worktree too. */
static const char *shared_by(const struct git_walk *walk) {
  char *own = NULL, *common = NULL;
  int folder = openat(AT_FDCWD, walk->workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int git = folder < 0 ? -1 : git_follow(walk, folder, ".git", &own);
  int shared = git < 0 ? -1 : git_follow(walk, git, "commondir", &common);
  if (shared >= 0) close(shared);
  if (git >= 0) close(git);
  if (folder >= 0) close(folder);
  return common ? common : own;
}

/* A path may be no text, so that it comes on standard input. */
static char *next_field(struct slice *input) {
  char *end = memchr(input->text, '\0', input->length), *field = input->text;
  if (!end) refuse("a path was expected", NULL);
  input->length -= (size_t)(end + 1 - field);
  input->text = end + 1;
  return field;
}

static struct slice read_fields(void) {
  static char fields[3 * PATH_MAX];
  size_t length = 0;
  for (ssize_t got; length < sizeof fields && (got = read(STDIN_FILENO, fields + length, sizeof fields - length)) > 0;) length += (size_t)got;
  return (struct slice){fields, length};
}

int git_print_places(void) {
  struct slice input = read_fields();
  struct git_walk walk = {.workspace = next_field(&input), .visit = print_folder, .beyond = print_beyond};
  walk.shared = shared_by(&walk);
  git_walk(&walk);
  return FINE;
}

/* ── whether an index may stand in for the one that is there ── */

struct links {
  struct strings known;
  int tree;
  bool has_new;
};

/* A folder that is one entry is not in the tree; where that is, has to be known. */
static bool note_link(void *context, const char *path, bool is_folder) {
  struct links *links = context;
  if (is_folder) return links->tree >= 0 && !git_is_there(links->tree, path);
  strings_add(&links->known, allot_text(path, strlen(path)));
  return true;
}

static bool look_for_link(void *context, const char *path, bool is_folder) {
  struct links *links = context;
  if (is_folder) return note_link(context, path, is_folder);
  for (size_t i = 0; i < links->known.count; i++)
    if (strcmp(links->known.items[i], path) == 0) return true;
  links->has_new = true;
  return true;
}

static int open_folder(const char *path) { return *path ? openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1; }

/* A folder with an index in it, the git directory it is for, and its files, "" where nobody knows. */
int git_judge_index(void) {
  struct slice input = read_fields();
  const char *wanted = next_field(&input), *git = next_field(&input), *tree = next_field(&input);
  struct git_walk nowhere = {.workspace = "/"};
  char *to;
  int candidate = open_folder(wanted), real = open_folder(git);
  if (candidate < 0 || real < 0) return ODD;
  int common = git_is_there(real, "commondir") ? git_follow(&nowhere, real, "commondir", &to) : real;
  struct links links = {.tree = open_folder(tree)};
  if (common < 0) return ODD;
  git_links(real, common, note_link, &links);
  if (!git_links(candidate, common, look_for_link, &links)) return ODD;
  return links.has_new ? LEADS_ON : FINE;
}
