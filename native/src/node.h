#ifndef CORDON_NODE_H
#define CORDON_NODE_H

#include "base.h"

/* The folder of the package this program was installed in, from where the kernel says it lies. */
const char *package_folder(void);
/* Node's path: the one noted at installation, else the first on PATH that no command can have put there and that is not one of our own shims. */
const char *find_node(const char *package, const char *path);
char *join_path(const char *folder, const char *name);

/* trusted.c: NULL, or why a program found there is not started. */
const char *why_untrusted(const char *folder, const char *file);
/* `PATH=` and of these folders those from which a program would be started, those of the system if none is left. */
char *trusted_path(const char *folders);

#endif
