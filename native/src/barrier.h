#ifndef CORDON_BARRIER_H
#define CORDON_BARRIER_H

#include "launch.h"
#include "watch.h"

struct barrier {
  struct watch watch;
  int control, errors, lock, terminal;
  pid_t bwrap;
  uint32_t continued;
  bool greeted, ended;
  int status;
};

/* bubblewrap.c: forks, and the child becomes bubblewrap with the inner process in it. */
void start_bubblewrap(struct barrier *barrier, const struct launch *launch);

/* terminal.c: the terminal this group is in the foreground of, or -1. */
int own_terminal(void);
void reclaim_terminal(int terminal);

#endif
