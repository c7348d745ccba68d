#ifndef CORDON_NODE_H
#define CORDON_NODE_H

#include "base.h"

/* The folder of the package this program was installed in, from where the kernel says it lies. */
const char *package_folder(void);
/* Node's path: the first on PATH that is not one of our own shims, else the one noted at installation. */
const char *find_node(const char *package, const char *path);
char *join_path(const char *folder, const char *name);

#endif
