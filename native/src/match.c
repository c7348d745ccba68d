#include "pattern.h"

#include <stdlib.h>
#include <string.h>

enum { LONG_SEGMENT = 64, WORD = 64 };

static bool atom_takes(const struct glob *glob, uint32_t atom, unsigned char byte) {
  if (atom < ATOM_ANY) return atom == byte;
  return atom == ATOM_ANY || set_has(&glob->sets[atom - ATOM_SET], byte);
}

static bool fits_at(const struct glob *glob, const struct segment *segment, const char *at) {
  if (segment->literal) return memcmp(at, segment->literal, segment->length) == 0;
  for (size_t i = 0; i < segment->length; i++)
    if (!atom_takes(glob, segment->atoms[i], (unsigned char)at[i])) return false;
  return true;
}

/* For each byte the positions of the segment that take it, as bits. */
static void fill_positions(const struct glob *glob, const struct segment *segment, uint64_t *table, size_t words) {
  for (size_t i = 0; i < segment->length; i++) {
    uint32_t atom = segment->atoms[i];
    unsigned first = atom < ATOM_ANY ? atom : 0, last = atom < ATOM_ANY ? atom : 255;
    for (unsigned byte = first; byte <= last; byte++)
      if (atom_takes(glob, atom, (unsigned char)byte)) table[byte * words + i / WORD] |= 1ull << i % WORD;
  }
}

/* Shift-And: all beginnings are followed at once, so a long segment costs length/64 a byte and never backtracks. */
static const char *find_long(const struct glob *glob, const struct segment *segment, const char *at, const char *end) {
  size_t words = (segment->length + WORD - 1) / WORD;
  uint64_t *table = calloc(words * 257, sizeof *table);
  if (!table) refuse("out of memory", NULL);
  uint64_t *active = table + words * 256;
  uint64_t last_bit = 1ull << (segment->length - 1) % WORD;
  const char *found = NULL;
  fill_positions(glob, segment, table, words);
  for (; at < end && !found; at++) {
    const uint64_t *takes = table + (unsigned char)*at * words;
    uint64_t carry = 1;
    for (size_t i = 0; i < words; i++) {
      uint64_t next = active[i] >> (WORD - 1);
      active[i] = (active[i] << 1 | carry) & takes[i];
      carry = next;
    }
    if (active[words - 1] & last_bit) found = at + 1 - segment->length;
  }
  free(table);
  return found;
}

static const char *find(const struct glob *glob, const struct segment *segment, const char *at, const char *end) {
  if ((size_t)(end - at) < segment->length) return NULL;
  if (segment->literal) return memmem(at, (size_t)(end - at), segment->literal, segment->length);
  if (segment->length > LONG_SEGMENT) return find_long(glob, segment, at, end);
  for (; (size_t)(end - at) >= segment->length; at++)
    if (fits_at(glob, segment, at)) return at;
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
