#ifndef CORDON_MOUNTS_H
#define CORDON_MOUNTS_H

#include <stdbool.h>

/* The machine's mounts, read once. A filesystem, or a folder of one, may be mounted in several places: what is there has several names. */

bool has_mounts_below(const char *path);
/* Wherever somebody mounted the processes outside. */
void each_view_of_processes(void (*take)(void *context, char *path), void *context);
/* The names beside `path` of what is there; with `with_parts` also those of what lies below it. The path has no links in it. */
void each_other_name(const char *path, bool with_parts, void (*take)(void *context, char *path), void *context);

#endif
