#ifndef CORDON_LAUNCHES_H
#define CORDON_LAUNCHES_H

#include <sys/types.h>

/* Starts launchers for the process `parent`, which says over descriptor 3 when, until that process ends. */
_Noreturn void serve_launches(pid_t parent);

#endif
