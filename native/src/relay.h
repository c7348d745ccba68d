#ifndef CORDON_RELAY_H
#define CORDON_RELAY_H

/*
 * For an exec into a pod: this process becomes the relay between its standard input and output, which carry frames, and a child,
 * which returns from here with the socket on which it gets its plan. In `folder` lies the mark of the pod's one user.
 */
int relay_beside(const char *folder);

/* What a pod does while nobody calls: nothing, until it is told to end. */
_Noreturn void hold_pod(void);

#endif
