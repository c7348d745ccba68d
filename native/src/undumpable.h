#ifndef CORDON_UNDUMPABLE_H
#define CORDON_UNDUMPABLE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Executing a program makes a process readable for others of the same user again, and the program is Node, which can't take that back.
 * So its parent does, as its tracer, before the program's first instruction: from then on no other process of the user reads its memory,
 * its environment or its descriptors, or traces it.
 */

/* In the child, right before it executes. */
void undumpable_offer(void);
/* In its parent. Where tracing is not to be had the program runs as any other, and finds out itself
   (src/network/main.ts). False where the child is gone. */
bool undumpable_make(pid_t child);

#endif
