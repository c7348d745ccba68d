#ifndef CORDON_COVER_H
#define CORDON_COVER_H

#include "view.h"

/* What lies over a single name of the machine, in a folder that is shown as it is: no layer can make that absent. */
struct cover {
  /* The folder, and the name in it. */
  const char *from, *path;
  /* A file of the staging folder, or one of the two below. */
  const char *source;
  /* What is above it could be renamed from inside, and the cover with it. */
  bool hold;
};

#define UNREADABLE ""
#define ITSELF_READ_ONLY "."

/* cover.c */
void cover_all(struct view *view);
/* Nothing where the name is absent, or, with `again`, covered still. */
void put_cover(const struct cover *cover, int staging, bool again);
/* Calls `act` for each folder on the way to the name, the one that is shown first. */
void on_the_way(const struct cover *cover, void (*act)(const char *folder));

#endif
