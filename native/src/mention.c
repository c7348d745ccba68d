#include "view.h"

#include "ending.h"

#include <fcntl.h>
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

void note_arguments(struct arguments_shown *shown, const struct launch *launch) {
  *shown = (struct arguments_shown){0};
  if (!launch->plan.places.mention) return;
  size_t count = 0;
  while (count < MOST_ARGUMENTS && launch->argv[count]) count++;
  shown->was_there = allot(count, sizeof *shown->was_there);
  shown->count = count;
  for (size_t i = 1; i < count; i++) shown->was_there[i] = is_there(path_in(launch->argv[i]));
  shown->command_was_there = is_there(launch->plan.command);
  char *interpreter = interpreter_of(launch->plan.command);
  shown->interpreter = is_there(interpreter) ? interpreter : NULL;
}

static void mention(const struct view *view, const char *path) {
  char *whole = path[0] == '/' ? allot_text(path, strlen(path)) : joined(view->started_in, path);
  const char *flag = view_hides(view, whole) || view_hides(view, without_links(view, whole)) ? "--expose " : "--read ";
  ending_note_argument(path);
  if (ending_is_quiet()) return;
  say(path, " is not shown inside; to show it: ", flag, path, NULL);
}

void mention_arguments(const struct arguments_shown *shown, const struct launch *launch, const struct view *view) {
  if (shown->command_was_there && !is_there(launch->plan.command)) mention(view, launch->plan.command);
  if (shown->interpreter && !is_there(shown->interpreter)) mention(view, shown->interpreter);
  for (size_t i = 1; i < shown->count; i++) {
    const char *path = path_in(launch->argv[i]);
    if (shown->was_there[i] && !is_there(path)) mention(view, path);
  }
}
