#ifndef CORDON_FRONT_H
#define CORDON_FRONT_H

#include "base.h"

/* main_front.c: one program is both, since each has nearly all of the other in it. Its name tells which it is. */
bool is_front(void);
int front_main(int argc, char **argv);

#endif
