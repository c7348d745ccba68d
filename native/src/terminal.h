#ifndef CORDON_TERMINAL_H
#define CORDON_TERMINAL_H

#include "base.h"

#include <sys/types.h>

/*
 * A program that lends the terminal to another one, as a debugger and a shell do, gives it back to its own process group afterwards, by
 * number. The caller's group has none behind the barrier. So a command that has the terminal to itself gets a group of its own inside,
 * led by the first process there, and the launcher does for it what it does not see itself: it passes the terminal to it and back.
 */
struct terminal {
  /* The one that our group is in the foreground of, or -1. */
  int fd;
  /* The command has a group of its own. */
  bool is_lent;
  /* It was continued while another group had the terminal. */
  bool in_background;
};

/* Outside. */
void terminal_begin(struct terminal *terminal);
/* Whether our group has it, from which the command's may take it. */
bool terminal_is_ours(const struct terminal *terminal);
void terminal_take_back(const struct terminal *terminal);
void terminal_end(const struct terminal *terminal);

/* Inside: a descriptor of the terminal that is for nobody else, in a group that this process leads. */
int lead_group(void);
/* The group that has the terminal, or 0 where it has no number inside. */
pid_t group_in_front(int terminal);
bool put_in_front(int terminal, pid_t group);

#endif
