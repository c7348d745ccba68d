#ifndef CORDON_INCOMING_H
#define CORDON_INCOMING_H

#include "base.h"

/* A plan that arrives through a pipe. */
struct incoming {
  struct slice text;
  size_t capacity;
};

enum incoming_state { INCOMING_MORE, INCOMING_WAIT, INCOMING_END };

/* Whether a plan has come to its `end`, and whether nothing has come behind. */
bool incoming_has_plan(const struct incoming *incoming);
bool incoming_is_whole(const struct incoming *incoming);
void incoming_add(struct incoming *incoming, struct slice more);
enum incoming_state incoming_take(struct incoming *incoming, int fd);

#endif
