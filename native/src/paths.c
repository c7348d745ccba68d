#include "listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Asked a hundred thousand times in a launch, so that most answers come from the first bytes that differ. */
const char *below(const char *folder, const char *path) {
  const char *at = path;
  if (folder[0] == '/' && folder[1] == '\0') return path + 1;
  for (; *folder; folder++, at++)
    if (*folder != *at) return NULL;
  if (*at == '\0') return at;
  return *at == '/' ? at + 1 : NULL;
}

char *joined(const char *folder, const char *name) {
  size_t folder_length = strcmp(folder, "/") == 0 ? 0 : strlen(folder), name_length = strlen(name);
  if (!name_length) return allot_text(folder, strlen(folder));
  char *path = allot(folder_length + name_length + 2, 1);
  memcpy(path, folder, folder_length);
  path[folder_length] = '/';
  memcpy(path + folder_length + 1, name, name_length + 1);
  return path;
}

char *plain_path(const char *folder, const char *path) {
  char *whole = path[0] == '/' ? allot_text(path, strlen(path)) : joined(folder, path), *out = whole;
  for (char *at = whole; *at;) {
    at += strspn(at, "/");
    size_t length = strcspn(at, "/");
    if (length == 2 && at[0] == '.' && at[1] == '.') {
      while (out > whole && *--out != '/') continue;
    } else if (length && !(length == 1 && at[0] == '.')) {
      *out++ = '/';
      memmove(out, at, length);
      out += length;
    }
    at += length;
  }
  if (out == whole) *out++ = '/';
  *out = '\0';
  return whole;
}

static struct place *innermost(const struct view *view, const char *path, const struct place *other) {
  struct place *around = NULL;
  size_t longest = 0;
  for (size_t i = 0; i < view->count; i++) {
    struct place *place = &view->places[i];
    size_t length = strlen(place->target);
    if (place == other || place->kind == PLACE_NONE || !below(place->target, path) || (around && length < longest)) continue;
    around = place;
    longest = length;
  }
  return around;
}

struct place *place_around(const struct view *view, const char *path) { return innermost(view, path, NULL); }

struct place *around_place(const struct view *view, const struct place *place) {
  return innermost(view, place->target, place);
}

/* One `*` matches greedily back to front: names are short. */
static bool matches(const char *pattern, const char *name) {
  if (*name == '.' && *pattern != '.') return false;
  const char *star = NULL, *resume = NULL;
  while (*name) {
    if (*pattern == '*') {
      star = ++pattern;
      resume = name;
    } else if (*pattern == *name) {
      pattern++;
      name++;
    } else if (star) {
      pattern = star;
      name = ++resume;
    } else {
      return false;
    }
  }
  while (*pattern == '*') pattern++;
  return *pattern == '\0';
}

static void expand_in(const char *folder, const char *rest, void (*take)(void *, char *), void *context) {
  const char *star = strchr(rest, '*');
  if (!star) {
    take(context, joined(folder, rest));
    return;
  }
  const char *start = rest;
  for (const char *at = rest; at < star; at++)
    if (*at == '/') start = at + 1;
  size_t length = strcspn(start, "/");
  char *above = start == rest ? allot_text(folder, strlen(folder))
                              : joined(folder, allot_text(rest, (size_t)(start - rest - 1)));
  const char *pattern = allot_text(start, length), *after = start + length + (start[length] == '/');
  const struct listing *listing = listing_of(above);
  for (size_t i = 0; i < listing->count; i++)
    if (matches(pattern, listing->entries[i].name)) expand_in(joined(above, listing->entries[i].name), after, take, context);
}

void expand(const char *pattern, void (*take)(void *context, char *path), void *context) {
  expand_in("/", pattern + 1, take, context);
}
