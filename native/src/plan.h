#ifndef CORDON_PLAN_H
#define CORDON_PLAN_H

#include "rules.h"

#include <sys/types.h>

enum isolation { ISOLATION_UNSAID, ISOLATION_FILTER, ISOLATION_BARRIER, ISOLATION_AUTO };
enum entry_kind { ENTRY_ABSENT, ENTRY_FILE, ENTRY_DIR, ENTRY_OTHER };

/* A variable the plan adds, as NAME=VALUE. */
struct setting {
  char *entry;
  size_t name_length;
};

struct limit {
  int resource;
  uint64_t value;
};

struct placeholder {
  enum entry_kind kind;
  char *path;
  struct slice content;
};

/* A file whose content the command finds at the path instead of what the host has there. */
struct data {
  char *path;
  struct slice content;
};

struct expectation {
  enum entry_kind kind;
  char *path;
};

struct source {
  char *path;
  uint64_t device, inode, size, modified_ns;
};

enum { MAX_LIMITS = 7 };

struct plan {
  struct slice text;
  char *name, *command, *bwrap, *explicit_reason, *lock, *audit, *audit_head, *warn_dir, *debug_head;
  struct rules rules;
  struct setting *settings;
  size_t setting_count, setting_capacity;
  struct strings args, sandbox, rebuild, rebuild_keep, not_above, not_within;
  bool append_args, supervise, landlock_scope;
  enum isolation isolation;
  struct slice seccomp;
  struct limit limits[MAX_LIMITS];
  size_t limit_count;
  pid_t parent;
  struct placeholder *placeholders;
  size_t placeholder_count, placeholder_capacity;
  struct data *data;
  size_t data_count, data_capacity;
  struct expectation *expectations;
  size_t expectation_count, expectation_capacity;
  struct source *sources;
  size_t source_count, source_capacity;
};

/* Takes the text over: fields are decoded in place. Refuses the whole plan at the first mistake. */
void plan_parse(struct plan *plan, struct slice text);

/* field.c */
struct fields {
  struct slice *items;
  size_t count, capacity;
};
enum field_error { FIELD_OK, FIELD_EMPTY, FIELD_CONTROL_BYTE, FIELD_BAD_ESCAPE, FIELD_NO_FOLDER };
/* Splits and decodes the rest of a line, at least one field, and moves `at` behind its newline; `folder_allowed` admits \c. */
enum field_error decode_fields(struct fields *fields, char **at, char *end, bool folder_allowed);

/* instructions.c: NULL, or what is wrong with the line. */
struct instruction {
  const char *word;
  size_t word_length;
  size_t least, most;
  const char *(*apply)(struct plan *plan, const struct slice *fields, size_t count);
};
const struct instruction *instruction_find(const char *word, size_t length);
bool instruction_takes_folder(const struct instruction *instruction);

/* numbers.c: base64 is decoded in place. */
bool decode_base64(struct slice *text);
bool parse_number(const char *text, uint64_t *number);

#endif
