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

static bool needs_no_quotes(const char *path) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./@%+:,-";
  for (const char *at = path; *at; at++)
    if (!strchr(plain, *at) && (unsigned char)*at < 0x80) return false;
  return *path != '\0';
}

const char *quoted(const char *path) {
  static const char quote[] = "'\\''";
  if (needs_no_quotes(path)) return path;
  char *text = allot(strlen(path) * (sizeof quote - 1) + 3, 1), *at = text;
  *at++ = '\'';
  for (; *path; path++) {
    size_t length = *path == '\'' ? sizeof quote - 1 : 1;
    memcpy(at, length > 1 ? quote : path, length);
    at += length;
  }
  *at++ = '\'';
  *at = '\0';
  return text;
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
    if (place == other || place->kind == PLACE_NONE || !below(place->target, path)) continue;
    size_t length = strlen(place->target);
    if (around && length < longest) continue;
    around = place;
    longest = length;
  }
  return around;
}

struct place *place_around(const struct view *view, const char *path) { return innermost(view, path, NULL); }

struct place *around_place(const struct view *view, const struct place *place) {
  return innermost(view, place->target, place);
}

static bool is_escaped(const char *at, size_t length) {
  return length > 1 && at[0] == '\\' && (at[1] == '*' || at[1] == '\\');
}

/* One `*` matches greedily back to front: names are short. */
bool name_fits(const char *pattern, size_t wanted, const char *name, size_t length) {
  const char *end = pattern + wanted, *name_end = name + length, *star = NULL, *resume = NULL;
  if (length && *name == '.' && !(wanted && *pattern == '.')) return false;
  while (name < name_end) {
    size_t escaped = is_escaped(pattern, (size_t)(end - pattern));
    if (pattern < end && *pattern == '*') {
      star = ++pattern;
      resume = name;
    } else if (pattern < end && pattern[escaped] == *name) {
      pattern += 1 + escaped;
      name++;
    } else if (star) {
      pattern = star;
      name = ++resume;
    } else {
      return false;
    }
  }
  while (pattern < end && *pattern == '*') pattern++;
  return pattern == end;
}

static const char *first_star(const char *at) {
  for (at += strcspn(at, "*\\"); *at == '\\'; at += strcspn(at, "*\\")) at += is_escaped(at, strlen(at)) ? 2 : 1;
  return *at ? at : NULL;
}

static char *without_escapes(const char *text, size_t length) {
  char *out = allot_text(text, length), *to = out;
  for (const char *end = text + length; text < end; text++) {
    text += is_escaped(text, (size_t)(end - text));
    *to++ = *text;
  }
  *to = '\0';
  return out;
}

char *folder_of_pattern(const char *pattern) {
  const char *star = first_star(pattern);
  while (star && *star != '/') star--;
  return star ? without_escapes(pattern, star > pattern ? (size_t)(star - pattern) : 1) : NULL;
}

static void expand_in(const char *folder, const char *rest, void (*take)(void *, char *), void *context) {
  const char *start = first_star(rest);
  if (!start) {
    take(context, joined(folder, without_escapes(rest, strlen(rest))));
    return;
  }
  while (start > rest && start[-1] != '/') start--;
  size_t length = strcspn(start, "/");
  char *above = start == rest ? allot_text(folder, strlen(folder))
                              : joined(folder, without_escapes(rest, (size_t)(start - rest - 1)));
  const char *after = start + length + (start[length] == '/');
  const struct listing *listing = listing_of(above);
  for (size_t i = 0; i < listing->count; i++) {
    const char *name = listing->entries[i].name;
    if (name_fits(start, length, name, strlen(name))) expand_in(joined(above, name), after, take, context);
  }
}

void expand(const char *pattern, void (*take)(void *context, char *path), void *context) {
  if (pattern[strcspn(pattern, "*\\")]) expand_in("/", pattern + 1, take, context);
  else take(context, (char *)pattern);
}
