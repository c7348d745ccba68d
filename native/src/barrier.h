#ifndef CORDON_BARRIER_H
#define CORDON_BARRIER_H

#include "aside.h"
#include "keeper.h"
#include "launch.h"
#include "outside.h"
#include "terminal.h"
#include "watch.h"

struct barrier {
  struct watch watch;
  struct aside aside;
  struct outside outside;
  struct keeper keeper;
  struct terminal terminal;
  int control, errors;
  pid_t child;
  uint32_t continued;
  bool greeted, ended, is_bubblewrap;
  int status;
  /* What the inner process has to tell in the end. */
  char met_inside[512];
};

/* namespaces.c: forks, and the child makes the barrier; false with the reason where there can be none. */
bool start_in_namespaces(struct barrier *barrier, struct launch *launch, struct text *reason);

/* bubblewrap.c: forks, and the child becomes bubblewrap with the inner process in it. */
void start_bubblewrap(struct barrier *barrier, const struct launch *launch);

#endif
