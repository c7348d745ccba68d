#ifndef CORDON_MOUNT_H
#define CORDON_MOUNT_H

#include "base.h"

#include <sys/types.h>

/*
 * The kernel's mount calls by descriptor. What they are asked to do either happens or ends this process: with the reason
 * on the pipe to the supervisor where the machine lacks the means, with a message of its own otherwise.
 */

/* Where the supervisor reads why there can be no barrier here. */
extern int reason_pipe;
__attribute__((sentinel)) _Noreturn void lack(const char *part, ...);

/* A mount of its own of what the descriptor stands for; `all`: with the mounts below it. -1 with errno. */
int tree_of(int folder, bool all);
void tree_restrict(int tree, bool all, uint64_t attributes);
/* Our own mount can be written again. */
void tree_unlock(int tree);
/* Onto the descriptor's place; both are closed. */
void tree_place(int tree, int onto);
/* The same; false where it was taken away meanwhile. */
bool tree_place_if_there(int tree, int onto);

int memory_folder(unsigned mode, uint64_t bytes);
/* A new folder with just this mode, opened; -1 with errno. */
int made_folder(int at, const char *name, mode_t mode);

/* Detached, -1 with errno. `upper` and `work` of -1: nothing can be written. The first of the lower ones is on top. */
int overlay(const int *lower, size_t count, int upper, int work, uint64_t attributes);

/* The mount attributes that must not be lost: noexec above all. */
uint64_t attributes_of(int folder);

/* openat2 without links of any kind; -1 with errno. */
int open_without_links(int folder, const char *path, int flags);

/* The number of the mount that a descriptor lies in, as /proc/self/mountinfo has it; 0: the kernel does not tell it this way. */
uint64_t mount_number(int opened);
/* Whether something is mounted right there. */
bool is_mount_root(int opened);

/* Where a descriptor leads, without links; NULL when that cannot be told. */
char *path_of(int fd);

#endif
