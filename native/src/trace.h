#ifndef CORDON_TRACE_H
#define CORDON_TRACE_H

#include "base.h"

/*
 * What the command and all that it starts try to open, write, execute and connect to, as a list of paths, each once. It is
 * watched by a second filter whose calls the kernel announces to the first process of the sandbox; that one writes the path
 * down and lets every call go on. Nothing is decided by what it reads, so that a command that lies to it gains nothing; the
 * filter that holds the command comes before, since the stricter answer of two filters counts.
 */

/* Opens the file for the list, in the machine's own mounts. NULL: nothing is traced. */
void trace_open(const char *path);
/* Gives it the number `first`; says which number is free next. */
int trace_keep_open(int first);
/* Out of the way of the others that are kept. */
void trace_raise(void);
bool trace_is_on(void);
/* In the command, right before it is executed: sends the announcements to the other end of `channel`. */
void trace_begin(int channel);
/* In the first process: takes them over; the descriptor to wait on, or -1. */
int trace_take(int channel);
void trace_answer(int listener);
void trace_end(void);

#endif
