#ifndef CORDON_LISTING_H
#define CORDON_LISTING_H

#include "view.h"

struct listed {
  const char *name;
  unsigned char type;
};

/* The names in a folder, in order. */
struct listing {
  struct listing *next;
  const char *folder;
  struct listed *entries;
  size_t count, capacity;
  bool is_read, is_absent;
};

/* Read once, when it is first asked for. */
const struct listing *listing_of(const char *folder);

bool is_empty_folder(int folder);

bool is_listed(const struct listing *listing, const char *name, size_t length);

/* Whether a path in a home or in /etc is surely not there; false also where only a look at the path itself could tell. */
bool is_known_absent(const struct view *view, const char *path);

#endif
