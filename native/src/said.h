#ifndef CORDON_SAID_H
#define CORDON_SAID_H

#include "view.h"

/*
 * Where an agent keeps what was said: transcripts and logs, which are written for real. The agent outside goes on with them later, and
 * writes through whatever stands there. So nothing but plain files and folders that a command made keeps its name in them.
 */

/* Notes what is no plain file in this folder or file, which is named without links; while the machine's own tree is in sight. */
void said_note(const struct view *view, const char *path);
/* On the disk, for the launch after one that was killed with all that would have looked at its end. */
void said_write_down(void);
int said_keep_open(int first);

/* When nobody else is left inside; each line that a person should read goes to `tell`. */
void said_settle(void (*tell)(const char *line));

/* ── projects.c ── */

/* Calls `take` for the folders of this workspace and this working folder in one that has a folder for each project; it closes them. */
typedef void take_project(void *context, int folder, const char *path);
void each_project(const struct view *view, const struct operation *operation, take_project *take, void *context);
/* For `write-project`: those folders as places to be written, what is to be put aside in them as layers. */
void compose_projects(struct view *view, const struct operation *operation);

#endif
