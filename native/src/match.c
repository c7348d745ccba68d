#include "pattern.h"

#include <string.h>

static bool atom_takes(const struct glob *glob, uint32_t atom, unsigned char byte) {
  if (atom < ATOM_ANY) return atom == byte;
  return atom == ATOM_ANY || set_has(&glob->sets[atom - ATOM_SET], byte);
}

static bool fits_at(const struct glob *glob, const struct segment *segment, const char *at) {
  if (segment->run_length == segment->length) return memcmp(at, segment->run, segment->length) == 0;
  for (size_t i = 0; i < segment->length; i++)
    if (!atom_takes(glob, segment->atoms[i], (unsigned char)at[i])) return false;
  return true;
}

static const char *find(const struct glob *glob, const struct segment *segment, const char *at, const char *end) {
  for (; (size_t)(end - at) >= segment->length; at++) {
    const char *run = at + segment->run_offset;
    run = memmem(run, (size_t)(end - run), segment->run, segment->run_length);
    if (!run) return NULL;
    at = run - segment->run_offset;
    if ((size_t)(end - at) < segment->length) return NULL;
    if (fits_at(glob, segment, at)) return at;
  }
  return NULL;
}

/* The ends are fixed, and in between the leftmost place is always a right one: no star is ever tried twice. */
static bool glob_matches(const struct glob *glob, const char *at, size_t length) {
  const char *end = at + length;
  size_t first = 0, last = glob->count;
  if (length < glob->shortest) return false;
  if (glob->count == 1 && !glob->open_start && !glob->open_end && length != glob->shortest) return false;
  if (!glob->open_start) {
    const struct segment *segment = &glob->segments[first++];
    if (!fits_at(glob, segment, at)) return false;
    at += segment->length;
  }
  if (!glob->open_end && first < last) {
    const struct segment *segment = &glob->segments[--last];
    end -= segment->length;
    if (!fits_at(glob, segment, end)) return false;
  }
  for (; first < last; first++) {
    at = find(glob, &glob->segments[first], at, end);
    if (!at) return false;
    at += glob->segments[first].length;
  }
  return true;
}

bool pattern_matches(const struct pattern *pattern, const char *name, size_t length) {
  switch (pattern->kind) {
    case PATTERN_EXACT:
      return length == pattern->text.length && memcmp(name, pattern->text.text, length) == 0;
    case PATTERN_PREFIX:
      return length >= pattern->literal_length && memcmp(name, pattern->text.text, pattern->literal_length) == 0;
    default:
      return glob_matches(pattern->glob, name, length);
  }
}

uint64_t pairs_of(const char *name, size_t length) {
  uint64_t pairs = 0;
  for (size_t i = 1; i < length; i++) pairs |= pair_bit((unsigned char)name[i - 1], (unsigned char)name[i]);
  return pairs;
}
