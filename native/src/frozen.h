#ifndef CORDON_FROZEN_H
#define CORDON_FROZEN_H

#include "view.h"

/*
 * Places that are read-only or covered in others that can be written. They are mount points, which can't be renamed, but by whoever has a
 * tree of mounts without them: a sandbox that is made inside. So in the end it is looked whether each is where it was. What stands in
 * place of something that programs are started by is put aside, and what was moved is moved back.
 */

/* Which mount a path leads to, without links; 0 where there is none. */
unsigned long mount_of(const char *path);

/* Renames what is a mount point here. It replaces nothing. */
bool move_mount_point(int from, const char *old, int to, const char *new);

void frozen_note(const struct view *view);

/* When nobody else is left inside, by git_settle. */
void frozen_settle(void);

#endif
