#ifndef CORDON_MOUNTS_H
#define CORDON_MOUNTS_H

#include <stdbool.h>

/* The machine's mounts, read once. A filesystem, or a folder of one, may be mounted in several places: what is there has several names. */

bool has_mounts_below(const char *path);
/* Wherever somebody mounted the processes outside. */
void each_view_of_processes(void (*take)(void *context, char *path), void *context);
/* The names beside `path`, which has no links in it: of what is there, with those of what lies below it, or of what is known to be absent. */
enum other_names { NAMES, NAMES_AND_PARTS, NAMES_OF_ABSENT };
void each_other_name(const char *path, enum other_names which, void (*take)(void *context, char *path), void *context);

#endif
