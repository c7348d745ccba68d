#ifndef CORDON_INSTALLED_H
#define CORDON_INSTALLED_H

#include "base.h"

#include <limits.h>

/* Whether the path is the folder or lies below it. */
bool is_within(const char *path, const char *folder);
/*
 * NULL, or why a command may have put there what the path names, in this launch's project or in another: paths and homes without links.
 */
const char *why_not_installed(const char *path, char *const *homes, size_t count);

#endif
