#ifndef CORDON_MASKS_H
#define CORDON_MASKS_H

#include "view.h"

struct masks {
  /* In memory; filled here. */
  int folder;
  const char *target;
  const struct place *place;
  const struct layer *layer;
  const struct strings *hidden;
  /* One for each of the hidden. */
  bool *is_done;
};

/* False when the folder is as it was: nothing is to be changed about the real one. */
bool fill_masks(const struct masks *masks, const struct view *view);

#endif
