#ifndef CORDON_PATTERN_H
#define CORDON_PATTERN_H

#include "base.h"

/* `*`, `?`, `[seq]`, `[!seq]` over the bytes of a whole name. Most patterns are names or a name and one `*` at the end. */
enum pattern_kind { PATTERN_EXACT, PATTERN_PREFIX, PATTERN_GLOB };

/* What stands between two stars: atoms (a byte, ATOM_ANY, or ATOM_SET + number of the set), and the longest run of plain bytes
   in it, which leads to the few places worth a look. */
struct segment {
  const uint32_t *atoms;
  size_t length;
  const char *run;
  size_t run_length, run_offset;
};

enum { ATOM_ANY = 256, ATOM_SET = 257 };

struct byte_set {
  uint64_t bits[4];
};

struct glob {
  struct segment *segments;
  size_t count;
  struct byte_set *sets;
  size_t shortest;
  bool open_start, open_end;
  /* Pairs of neighbouring bytes that every matching name has: a quick no. */
  uint64_t pairs;
};

/* There are hundreds in every plan, each touched once: small is fast. */
struct pattern {
  enum pattern_kind kind;
  /* Bytes of a literal beginning: all of an exact name, a prefix without its star. */
  uint32_t literal_length;
  struct slice text;
  struct glob *glob;
};

/* Returns what is wrong, or NULL. */
const char *pattern_compile(struct pattern *pattern, struct slice text);
void pattern_of_name(struct pattern *pattern, struct slice name);
bool pattern_matches(const struct pattern *pattern, const char *name, size_t length);
uint64_t pairs_of(const char *name, size_t length);

static inline uint64_t pair_bit(unsigned char first, unsigned char second) {
  return 1ull << ((first * 7u + second * 29u) & 63u);
}

static inline bool set_has(const struct byte_set *set, unsigned char byte) {
  return set->bits[byte >> 6] >> (byte & 63) & 1;
}

#endif
