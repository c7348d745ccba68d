#ifndef CORDON_PROBE_H
#define CORDON_PROBE_H

#include "base.h"

/* Whether a barrier can be made on this machine at all, which only trying tells; with the reason where it cannot. */
bool barrier_works(struct text *reason);

/* Likewise this bubblewrap, with what it says where it cannot. */
bool bubblewrap_works(const char *path, struct text *reason);

/* What this machine can do, a line each, for `cordon doctor`. */
int print_abilities(void);

#endif
