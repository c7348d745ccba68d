#ifndef CORDON_WRITTEN_H
#define CORDON_WRITTEN_H

#include "base.h"

/* What was written in layers is gone with them, and that is said: a file that was moved there is lost. */

/* A layer's folder of what is written; `target` is what it is called inside. */
void written_note(int upper, const char *target);
/* The folders get the numbers from `first` on; gives the next free one. Nothing is kept when nobody is there to read it. */
int written_keep_open(int first);
void written_tell(void (*tell)(const char *line));

#endif
