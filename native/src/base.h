#ifndef CORDON_BASE_H
#define CORDON_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes of Cordon itself; everything else is the command's own. */
enum { EXIT_OWN_FAILURE = 125, EXIT_NOT_RUNNABLE = 126, EXIT_NOT_FOUND = 127, EXIT_SIGNAL_BASE = 128 };

/* Bytes with a NUL behind them that is not counted. */
struct slice {
  char *text;
  size_t length;
};

struct strings {
  char **items;
  size_t count, capacity;
};

/* memory.c: everything a plan brings with it lives here, so that one call can wipe it. */
void *allot(size_t count, size_t size);
char *allot_text(const char *text, size_t length);
void *allot_more(void *items, size_t count, size_t *capacity, size_t size);
void strings_add(struct strings *list, char *item);
void wipe_allotted(void);
/* The same for a process that has just been forked from, and shares every page with the other: zeros would be written to copies. */
void drop_allotted(void);
void free_allotted(void);
void wipe_strings(char **block);
/* The process's own arguments, where /proc/PID/cmdline reads them. */
void keep_arguments(char **argv);
void wipe_arguments(void);

/* text.c: text that outlives the wiping. */
struct text {
  char *data;
  size_t length, capacity;
};
void text_make_room(struct text *text, size_t length);
void text_add_bytes(struct text *text, const char *bytes, size_t length);
void text_add(struct text *text, const char *string);
void text_add_shown(struct text *text, const char *bytes, size_t length);
void text_add_json(struct text *text, const char *bytes, size_t length);
void text_add_json_part(struct text *text, const char *bytes, size_t length);
void text_add_number(struct text *text, uint64_t number);
void text_free(struct text *text);
/* A copy for the rest of this process; NULL stays NULL. */
char *text_keep(const char *string);

/* bytes.c: what a byte means where plans and patterns are read. */
enum { BYTE_PLAIN = 1, BYTE_LITERAL = 2 };
extern const unsigned char byte_kinds[256];
static inline bool byte_is(unsigned char byte, unsigned kind) { return byte_kinds[byte] & kind; }

/* message.c: what a person reads. Every part is shown with control sequences escaped. */
void set_subject(const char *name);
const char *subject(void);
const char *decimal(uint64_t number);
const char *error_text(int error);
__attribute__((sentinel)) void say(const char *part, ...);
__attribute__((sentinel)) _Noreturn void refuse(const char *part, ...);
__attribute__((sentinel)) _Noreturn void leave(int exit_code, const char *part, ...);
/* Set by harnesses that must survive a refusal; it does not return. */
extern void (*on_refusal)(void);

/* descriptors.c */
void require_standard_descriptors(void);
void require_room_for_descriptors(void);
void close_descriptors_from(unsigned first);
/* Closes it, for one that has this number or a higher one. */
int move_above(int fd, int number);
/* Under this number, which nothing else may have that is still needed. */
int keep_open_at(int fd, int number, const char *what);
void let_go_of_input_and_output(void);
bool write_whole(int fd, const char *bytes, size_t length);

#endif
