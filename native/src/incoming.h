#ifndef CORDON_INCOMING_H
#define CORDON_INCOMING_H

#include "base.h"

/* A plan that arrives through a pipe. */
struct incoming {
  struct slice text;
  size_t capacity;
};

enum incoming_state { INCOMING_MORE, INCOMING_WAIT, INCOMING_END };

/* Whether it has come to its `end`. */
bool incoming_is_whole(const struct incoming *incoming);
enum incoming_state incoming_take(struct incoming *incoming, int fd);

#endif
