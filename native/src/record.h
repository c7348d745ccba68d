#ifndef CORDON_RECORD_H
#define CORDON_RECORD_H

#include "base.h"

#include <sys/stat.h>

/*
 * The file in which what one launch put aside is kept. Contents come first, one after the other, then a line for each entry, then
 * a last line that says where the lines begin: without it the file was cut short. docs/changes.md says it in sentences.
 */
struct record {
  /* -1: not begun, which costs nothing. */
  int file;
  int folder;
  char name[80], partial[88];
  struct text lines, waiting;
  /* How far the file is filled, and how far it may be. */
  uint64_t at, room;
  size_t count;
  /* Why it cannot be kept; 0 as long as it can. */
  int error;
};

/* `folder` is where records are kept, or `-error` where there is none. */
void record_begin(struct record *record, int folder, const char *launch, uint64_t room);
/* Takes a file's content over; false when it does not fit or cannot be read, and nothing is kept of it. */
bool record_content(struct record *record, int file, uint64_t size, uint64_t *at);
/* A line is put together with these, and ended. */
void record_text(struct record *record, const char *key, const char *bytes);
void record_number(struct record *record, const char *key, uint64_t number);
void record_identity(struct record *record, const char *key, const struct stat *found);
void record_end_line(struct record *record);
/* Puts it in its place when it is whole; false when nothing could be kept, with why in `error`. */
bool record_finish(struct record *record);

#endif
