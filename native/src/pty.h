#ifndef CORDON_PTY_H
#define CORDON_PTY_H

/*
 * Stands between a terminal and the command, so that what the command writes can be looked at before it is shown: the
 * command gets a terminal of its own, so colours, window size and line editing stay. What it writes goes to our
 * stdout, what is typed goes to it. Returns in the process that becomes the launcher; the other one relays, then exits
 * as the launcher did. `plan_fd` is for the launcher alone. The caller closes descriptor 4 once it has shown all: only
 * then is its terminal put back, which would otherwise change how the last lines look.
 */
enum { SHOWN_FD = 4 };

void enter_own_terminal(int plan_fd);

#endif
