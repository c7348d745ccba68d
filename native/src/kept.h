#ifndef CORDON_KEPT_H
#define CORDON_KEPT_H

#include "launch.h"
#include "sha256.h"

/*
 * The plan of a `cordon run` is kept with everything it came from, so that the same run starts without the planner
 * while all of that is as it was. What does not fit in any way is planned anew. No value lies in the file.
 */
struct kept {
  /* Cordon's state folder; NULL: this run is always planned. */
  const char *state;
  char name[SHA256_HEX + 1];
  /* The command and its arguments, and what `--set` says: from the command line each time. */
  char **command;
  struct strings set;
  /* It is for a container, for which no plan is kept but how its engine's client is begun (begun.h). */
  bool is_in;
};

/* Looks at the arguments behind `cordon`, up to the command. */
void kept_find(struct kept *kept, char **args, char **env);
/* What is kept under its name; nothing where anybody else could have written it. */
struct slice kept_text(const struct kept *kept);
/* True with the plan loaded, when one is kept and everything is as it was. */
bool kept_load(const struct kept *kept, struct launch *launch);
/* What came of looking through files at another start goes into the pipe, if all of them are as they were: for the planner to take. */
void kept_hand_looked(const struct kept *kept, int pipe);
/* What the planner says is to be kept. Best effort. */
void kept_store(const struct kept *kept, struct slice text, char **env);

#endif
