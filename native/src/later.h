#ifndef CORDON_LATER_H
#define CORDON_LATER_H

#include "incoming.h"
#include "launch.h"

/*
 * A sandbox can be made before it is known what is to run in it. The first text, which has `later` in it, says how it is made; a second
 * one on the same socket says what runs, with which variables, and what is recorded. Until then no value is known here.
 */

/* While a plan comes: whether the first of two texts is there. It is what is left in `plan`; what came behind it is kept. */
bool later_has_first(const struct incoming *plan);
void later_split(struct incoming *plan);

/* outside: false where nobody wants anything to run any more. */
bool later_take(struct launch *launch, int control);

/* inside: says that the sandbox is ready, and returns when it is known what is to run. */
void later_hear(struct launch *launch, int control);

#endif
