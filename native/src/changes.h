#ifndef CORDON_CHANGES_H
#define CORDON_CHANGES_H

#include "come_back.h"
#include "launch.h"

/*
 * What a command wrote outside its workspace. The inner process tells the supervisor before the command starts where each layer keeps
 * what is written; the supervisor, which lives outside, takes it over when nobody is left who could write.
 */

enum put_aside_kind { PUT_ASIDE_LAYER = 1, PUT_ASIDE_WORKSPACE, PUT_ASIDE_KEPT };

/* Inside: the descriptors go along, `masks` may be -1. Nothing is told where nothing is to be kept. */
void changes_note(enum put_aside_kind kind, const char *path, int upper, int masks);
/* Inside, once: hands over what was noted. */
void changes_send(int control);

/* Outside, before the plan is forgotten: what of it is needed in the end. Lowers the plan's quota to what there is room for. */
void changes_begin(struct launch *launch);
/* A message of changes_send, with the descriptors that came along. False when it is none. */
bool changes_hear(const char *message, size_t length, const int *descriptors, size_t count);
/* Outside, when the command is over. */
void changes_take(const struct launch *launch);
/* Tells what could not be kept. How many files were put aside, caches not counted, and how many looked like credentials. */
struct put_aside_files {
  uint64_t kept, credentials;
};
struct put_aside_files changes_tell(void);

#endif
