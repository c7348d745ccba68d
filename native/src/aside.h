#ifndef CORDON_ASIDE_H
#define CORDON_ASIDE_H

#include "base.h"

/* The folder of one launch, in which its layers keep what is written; held by a lock while the launch lives. */
struct aside {
  /* -1: there is none, and what is written stays in memory. */
  int parent, folder;
  char name[40];
};

void aside_open(struct aside *aside, const char *parent);
/* Removes this launch's folder. */
void aside_remove(struct aside *aside);
/* Removes what launches left that were killed. */
void aside_sweep(const struct aside *aside);

#endif
