#ifndef CORDON_KEEPER_H
#define CORDON_KEEPER_H

#include "cover.h"

#include <sys/socket.h>
#include <sys/types.h>

/*
 * A cover goes with the file that it lies over, and editors save by putting another one in its place. So a process outside, in the
 * sandbox's tree of mounts but out of its sight, waits for that and puts the cover back.
 */

/* What it takes: the list of covers, the watch over their folders, the staging folder, and the two namespaces. */
enum { KEEPER_LIST, KEEPER_WATCH, KEEPER_STAGING, KEEPER_USERS, KEEPER_MOUNTS, KEEPER_DESCRIPTORS };

struct keeper {
  int descriptors[KEEPER_DESCRIPTORS];
  bool wanted;
  pid_t pid;
};

/* inside: before a cover is put in place, and once all of them are */
void keeper_note(const struct cover *cover);
void keeper_send(const struct view *view, int control);

/* outside */
/* False where the message is not what it should be. */
bool keeper_take(struct keeper *keeper, struct msghdr *packet);
void keeper_start(struct keeper *keeper);
/* Says so where it is gone. */
void keeper_look(struct keeper *keeper);
/* Before anything that needs the sandbox's mounts to be gone. */
void keeper_end(struct keeper *keeper);

#endif
