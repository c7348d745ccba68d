#ifndef CORDON_ENDING_H
#define CORDON_ENDING_H

#include "base.h"

/*
 * What a command met, in one line on a terminal when it failed, and when an agent ends: only what was recorded anyway, and where more
 * is told. It never offers a flag that lifts a credential; `cordon explain` does, with what that gives away.
 */

/* Inside. */
void ending_begin(bool quiet);
bool ending_is_quiet(void);
/* An argument that names something which is not shown. */
void ending_note_argument(const char *path);
/* What is hidden or held in a folder that the command can write, so that no sandbox can be made inside. */
void ending_note_cover(const char *path, bool in_workspace);
/* Both in words, as far as there is room; empty where nothing is to be told. */
const char *ending_met(bool failed);

/* Outside. */
struct met {
  /* What the inner process has to tell, hosts that were refused; NULL or empty where there were none. */
  const char *inside, *refused;
  /* What was put aside, and what looks like a credential and was not. */
  uint64_t files, credentials;
  bool failed, network_off, is_quiet, is_summary, is_traced, on_terminal;
};
void ending_tell(const struct met *met);

#endif
