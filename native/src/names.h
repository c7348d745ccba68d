#ifndef CORDON_NAMES_H
#define CORDON_NAMES_H

#include "base.h"

/* A set of names that is told beforehand how many there can be. */
struct names {
  struct seen_name *slots;
  size_t mask;
  uint64_t seed;
};

struct names names_for(size_t most);
bool names_has(const struct names *names, const char *name, size_t length);
/* False when the name was there already. */
bool names_add(struct names *names, const char *name, size_t length);

#endif
