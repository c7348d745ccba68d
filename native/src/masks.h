#ifndef CORDON_MASKS_H
#define CORDON_MASKS_H

#include "view.h"

/* What is hidden in the folder of a layer, as it is named from there. */
struct masked_name {
  const char *name;
  bool is_absent, is_done;
};

struct masks {
  /* In memory; filled here. */
  int folder;
  const char *target;
  const struct place *place;
  const struct layer *layer;
  struct masked_name *names;
  size_t count, capacity;
  /* The folder itself lies in something hidden. */
  bool is_hidden;
  /* In memory they can be added to while the command runs; on the disk they are read-only by then. */
  bool can_wait;
};

/* False when the folder is as it was: nothing is to be changed about the real one. */
bool gather_masks(struct masks *masks, const struct view *view);
void fill_masks(const struct masks *masks, const struct view *view);

/* Nothing of the folders below this one is seen through it. */
bool mark_opaque(int folder);
bool is_opaque(int folder);

/* The folders of the masks that are still to be filled get the numbers from `first` on; gives the next free one. */
int keep_masks_open(int first);
/* Masks the names that may be made while the command runs; ends early when that is over. */
void mask_names_of_later(bool (*is_over)(void));

#endif
