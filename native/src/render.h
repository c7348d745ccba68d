#ifndef CORDON_RENDER_H
#define CORDON_RENDER_H

#include "launch.h"

/* The operations of a plan as bubblewrap's arguments; texts are handed over as descriptors from FIRST_FREE_FD on. */
struct rendering {
  struct strings arguments;
  struct slice *data;
  size_t data_count, data_capacity;
  /* The real folder, where it can be written at its own path; "" otherwise. */
  const char *workspace;
};

void render(struct rendering *rendering, const struct launch *launch);

#endif
