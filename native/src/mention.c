#include "view.h"

#include "ending.h"
#include "git.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 256 };

/* `--file=PATH` names one too. Options, and words without a slash that are no file here, are not looked up. */
static const char *path_in(const char *argument) {
  if (argument[0] == '-') {
    const char *equals = strchr(argument, '=');
    return equals && strchr(equals, '/') ? equals + 1 : NULL;
  }
  return argument[0] ? argument : NULL;
}

static bool is_there(const char *path) { return path && faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0; }

/* ── remotes of git that are folders of this machine ── */

static bool is_among(const char *word, const char *const *words) {
  for (; *words; words++)
    if (strcmp(*words, word) == 0) return true;
  return false;
}

/* Up from where the command starts; nothing where git's directory lies elsewhere. */
static char *repository_here(void) {
  char folder[PATH_MAX];
  if (!getcwd(folder, sizeof folder)) return NULL;
  for (char *slash; (slash = strrchr(folder, '/')); *slash = '\0')
    if (is_there(joined(folder, ".git/config"))) return allot_text(folder, strlen(folder));
  return NULL;
}

static const char *local_path(const char *root, const char *value) {
  if (strncmp(value, "file://", 7) == 0) value += 7;
  return value[0] == '/' || value[0] == '.' ? plain_path(root, value) : NULL;
}

static void note_remotes(struct arguments_shown *shown, const struct launch *launch) {
  static const char *const reaching[] = {"push", "fetch", "pull", "ls-remote", NULL};
  const char *name = strrchr(launch->plan.command, '/'), *root = NULL;
  bool reaches = false;
  for (size_t i = 1; i < shown->count; i++) {
    reaches = reaches || is_among(launch->argv[i], reaching);
    shown->pushes = shown->pushes || strcmp(launch->argv[i], "push") == 0;
  }
  if (!name || strcmp(name + 1, "git") != 0 || !reaches || !(root = repository_here())) return;
  int folder = openat(AT_FDCWD, joined(root, ".git"), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct slice text = folder < 0 ? (struct slice){0} : git_read(folder, "config");
  struct git_config config;
  if (folder >= 0) close(folder);
  if (!text.text || !git_parse(text, &config)) return;
  for (size_t i = 0; i < config.count; i++) {
    const struct git_entry *entry = &config.entries[i];
    bool is_url = strncmp(entry->stem, "remote.", 7) == 0 && entry->value && (strcmp(entry->key, "url") == 0 || strcmp(entry->key, "pushurl") == 0);
    const char *path = is_url ? local_path(root, entry->value) : NULL;
    if (is_there(path) && (!shown->pushes || access(path, W_OK) == 0)) strings_add(&shown->remotes, allot_text(path, strlen(path)));
  }
}

/* What is typed to change it; a shim takes no flags of ours. */
static const char *way_to(const struct launch *launch, bool writes, const char *path) {
  struct text way = {0};
  if (launch->is_shim) {
    text_add(&way, "cordon tool config ");
    text_add(&way, quoted(subject()));
  }
  text_add(&way, launch->is_shim ? " fs " : "--");
  text_add(&way, writes ? "write " : "read ");
  text_add(&way, quoted(path));
  const char *kept = allot_text(way.data, way.length);
  text_free(&way);
  return kept;
}

static void mention_remotes(const struct arguments_shown *shown, const struct launch *launch) {
  for (size_t i = 0; i < shown->remotes.count; i++) {
    const char *path = shown->remotes.items[i];
    bool absent = !is_there(path);
    if (!absent && (!shown->pushes || access(path, W_OK) == 0)) continue;
    ending_note_argument(path);
    if (ending_is_quiet()) continue;
    say(path, ", a remote of this repository, ", absent ? "is not shown" : "cannot be written", " inside; to reach it: ",
        way_to(launch, shown->pushes, path), NULL);
  }
}

void note_arguments(struct arguments_shown *shown, const struct launch *launch) {
  *shown = (struct arguments_shown){0};
  if (!launch->plan.places.mention) return;
  size_t count = 0;
  while (count < MOST_ARGUMENTS && launch->argv[count]) count++;
  shown->was_there = allot(count, sizeof *shown->was_there);
  shown->count = count;
  for (size_t i = 1; i < count; i++) shown->was_there[i] = is_there(path_in(launch->argv[i]));
  shown->command_was_there = is_there(launch->plan.command);
  note_remotes(shown, launch);
  char *interpreter = interpreter_of(launch->plan.command);
  shown->interpreter = is_there(interpreter) ? interpreter : NULL;
}

/* What a flag would give away is not for a line in passing: `explain` says it beside the flag. */
static void mention(const struct view *view, const struct launch *launch, const char *path) {
  char *whole = plain_path(view->started_in, path);
  bool is_hidden = view_hides(view, whole) || view_hides(view, without_links(view, whole));
  ending_note_argument(path);
  if (ending_is_quiet()) return;
  if (is_hidden) say(path, " is hidden inside; why, and what would show it: cordon explain ", quoted(path), NULL);
  else say(path, " is not shown inside; to show it: ", way_to(launch, false, path), NULL);
}

/* All but the first three are closed before the command starts, and a shell names one for `<(…)`. */
static bool is_of_the_shell(const char *path) {
  static const char *const starts[] = {"/dev/fd/", "/proc/self/fd/"};
  for (size_t i = 0; path && i < sizeof starts / sizeof *starts; i++) {
    const char *number = strncmp(path, starts[i], strlen(starts[i])) == 0 ? path + strlen(starts[i]) : "";
    size_t digits = strspn(number, "0123456789");
    if (digits && !number[digits] && (digits > 1 || *number > '0' + STDERR_FILENO)) return true;
  }
  return false;
}

void mention_arguments(const struct arguments_shown *shown, const struct launch *launch, const struct view *view) {
  if (shown->command_was_there && !is_there(launch->plan.command)) mention(view, launch, launch->plan.command);
  mention_remotes(shown, launch);
  if (shown->interpreter && !is_there(shown->interpreter)) mention(view, launch, shown->interpreter);
  for (size_t i = 1; i < shown->count; i++) {
    const char *path = path_in(launch->argv[i]);
    if (is_of_the_shell(path) && !ending_is_quiet())
      say(path, " is your shell's, and descriptors above 2 are closed; let a shell inside make it: cordon run -- bash -c '...'", NULL);
    else if (shown->was_there[i] && !is_there(path)) mention(view, launch, path);
  }
}
