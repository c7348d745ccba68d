#ifndef CORDON_ASIDE_H
#define CORDON_ASIDE_H

#include "base.h"

/* The folder of one launch, in which its layers keep what is written; held by a lock while the launch lives. */
struct aside {
  /* -1: there is none, and what is written stays in memory. */
  int parent, folder;
  char name[40];
};

/* A folder that is this user's, and that nobody else can look into; -1 where it is not. */
int open_own_folder(const char *path, bool make);
/* No link is followed. */
void remove_tree(int at, const char *name);

void aside_open(struct aside *aside, const char *parent);
/* Removes this launch's folder. */
void aside_remove(struct aside *aside);
/* Removes what launches left that were killed. */
void aside_sweep(const struct aside *aside);

#endif
