#ifndef CORDON_BEGUN_H
#define CORDON_BEGUN_H

#include "kept.h"

#include <sys/types.h>

/*
 * An engine takes its time until a container is there, and so does the planner until it knows what is to be in it. So the engine's
 * client is begun with what the same `run --in` was begun with the last time, while the planner decides as ever. It takes the client
 * over only when it would have begun the very same; nothing is handed to any other, and its container ends as it began, empty.
 * No value lies in what is kept.
 */
struct begun {
  /* Who waits for the client; 0: nothing was begun. */
  pid_t starter;
  /* What the planner gets: where the launcher inside will ask for its plan, the line to the starter, the client's input or -1. */
  int listener, line, input;
};

void begun_start(struct begun *begun, const struct kept *kept, char **env);
/* In the planner: they are those that it knows, the first at `first`. Returns the first that is free. */
int begun_hand_over(const struct begun *begun, int first);
/* In the front, once the planner has them. */
void begun_let_go(struct begun *begun);
/* When the planner is gone: what it did not take over is over before the caller goes on. */
void begun_await(const struct begun *begun);

#endif
