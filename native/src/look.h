#ifndef CORDON_LOOK_H
#define CORDON_LOOK_H

#include "base.h"

/*
 * Stands where the command would stand, with all that holds it, and says what is to be found at these paths: one line of JSON
 * for each, after one that says how it is held. So what `cordon explain` tells of a path is what a command meets.
 */
_Noreturn void look(const char *isolation, char **paths);

#endif
