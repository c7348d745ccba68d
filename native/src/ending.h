#ifndef CORDON_ENDING_H
#define CORDON_ENDING_H

#include "base.h"

/*
 * What a command met that failed, in one line on a terminal: only what was recorded anyway, and where more is told. It never
 * offers a flag that lifts a credential; `cordon explain` does, with what that gives away.
 */

/* Before standard error is closed here. */
void ending_begin(bool quiet);
bool ending_is_quiet(void);
/* An argument that names something which is not shown. */
void ending_note_argument(const char *path);
void ending_tell(int wait_status, void (*tell)(const char *line));

#endif
