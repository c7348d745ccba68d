#include "names.h"

#include <string.h>
#include <sys/auxv.h>

struct seen_name {
  const char *name;
  uint32_t length, hash;
};

/* Whoever fills the environment must not be able to choose names that all fall into one slot. */
static uint64_t random_seed(void) {
  uint64_t seed = 0x9e3779b97f4a7c15;
  const void *random = (const void *)getauxval(AT_RANDOM);
  if (random) memcpy(&seed, random, sizeof seed);
  return seed;
}

struct names names_for(size_t most) {
  struct names names = {.mask = 15, .seed = random_seed()};
  while (names.mask < most * 2) names.mask = names.mask * 2 + 1;
  names.slots = allot(names.mask + 1, sizeof *names.slots);
  memset(names.slots, 0, (names.mask + 1) * sizeof *names.slots);
  return names;
}

static uint32_t hash_of(uint64_t seed, const char *name, size_t length) {
  const uint64_t factor = 0xff51afd7ed558ccd;
  uint64_t hash = seed ^ length, word = 0;
  for (; length >= sizeof word; name += sizeof word, length -= sizeof word) {
    memcpy(&word, name, sizeof word);
    hash = (hash ^ word) * factor;
    hash ^= hash >> 32;
  }
  word = 0;
  memcpy(&word, name, length);
  hash = (hash ^ word) * factor;
  return (uint32_t)(hash >> 32);
}

/* The slot of the name, or the free one where it belongs; there is always one, the table is at most half full. */
static struct seen_name *slot_of(const struct names *names, const char *name, size_t length, uint32_t hash) {
  for (size_t at = hash & names->mask;; at = (at + 1) & names->mask) {
    struct seen_name *slot = &names->slots[at];
    if (!slot->name) return slot;
    if (slot->hash == hash && slot->length == length && memcmp(slot->name, name, length) == 0) return slot;
  }
}

bool names_has(const struct names *names, const char *name, size_t length) {
  return slot_of(names, name, length, hash_of(names->seed, name, length))->name != NULL;
}

bool names_add(struct names *names, const char *name, size_t length) {
  uint32_t hash = hash_of(names->seed, name, length);
  struct seen_name *slot = slot_of(names, name, length, hash);
  if (slot->name) return false;
  *slot = (struct seen_name){name, (uint32_t)length, hash};
  return true;
}
