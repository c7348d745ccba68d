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

/* What the command finds where. docs/plan-format.md says it in sentences. */
enum operation_kind {
  OP_HOME,          /* a layer of which only what is shown is there */
  OP_LAYER,         /* a layer of the whole folder */
  OP_CUT,           /* read-only, and its sockets and pipes lead nowhere */
  OP_READ,
  OP_WRITE,
  OP_TRY_READ,
  OP_TRY_WRITE,
  OP_WRITE_PLAIN,   /* the same, and only plain files and folders stay there that the command made */
  OP_WRITE_PROJECT, /* likewise, of a folder that has one for each project those of the workspace and the working folder */
  OP_EXPOSE_READ,
  OP_EXPOSE_WRITE,
  OP_PRIVATE,
  OP_FOLDER,
  OP_LINK,
  OP_DATA,
  OP_TRY_DATA,      /* the same over what is there, and nothing where it isn't */
  OP_PROC,
  OP_DEV,
  OP_RUN,
  OP_WORKSPACE,     /* where the workspace stands in the order of things */
};

struct operation {
  enum operation_kind kind;
  char *path, *target;
  struct slice text;
  uint64_t mode, size;
  /* In it, what is put aside. */
  struct strings names;
};

enum root_kind { ROOT_UNSAID, ROOT_MACHINE, ROOT_WRITABLE, ROOT_EMPTY };
enum workspace_mode { WORKSPACE_NONE, WORKSPACE_REAL, WORKSPACE_ASIDE, WORKSPACE_READ_ONLY };

enum network { NETWORK_ON, NETWORK_OFF, NETWORK_NAMES };
enum { MAX_PORTS = 200, MAX_LOCAL = 64, MAX_OUTSIDE_WORDS = 8 };

struct local {
  uint32_t address;
  unsigned bits;
};

struct places {
  enum root_kind root;
  struct operation *operations;
  size_t count, capacity;
  struct strings show, hide, keep_out, keep_read, come_back, save;
  bool show_programs, mention, ipc_host;
  enum network network;
  /* With names: ports of the sandbox that are listened on, addresses its loopback device has, a socket, and who lets connections through. */
  uint64_t ports[MAX_PORTS];
  size_t port_count;
  struct local local[MAX_LOCAL];
  size_t local_count;
  char *socket;
  struct strings outside;
  struct slice outside_task;
  /* In a container: the socket of whoever wanted the command, who has both. */
  char *outside_at;
  /* What programs are to trust: this text with what the files at these paths hold of certificates, at the first and at all that are there. */
  struct slice certificates;
  struct strings bundles;
  enum workspace_mode workspace;
  /* NULL: the launcher looks around the working folder. */
  char *workspace_path, *workspace_target, *aside, *folder, *changes, *kept, *kept_policy, *git_notes;
  uint64_t quota, changes_days, changes_bytes;
};

struct expectation {
  enum entry_kind kind;
  char *path;
};

struct source {
  char *path;
  uint64_t device, inode, size, modified_ns;
};

enum { MAX_LIMITS = 7, LONGEST_LAUNCH = 64 };

/* HOME, the account's, and the folders of settings, data, state and caches that variables move. */
enum { MAX_HOMES = 16 };

struct plan {
  struct slice text;
  char *name, *launch, *command, *bwrap, *explicit_reason, *audit, *audit_head, *warn_dir, *debug_head;
  struct rules rules;
  struct setting *settings;
  size_t setting_count, setting_capacity;
  /* Folders in which a command without a slash is looked for, as a shell does. */
  struct strings search;
  struct strings args, rebuild, rebuild_keep;
  /* Variables that say where things are: the SHA-256 of what they said when this was written, and their names. */
  struct strings variables;
  struct places places;
  bool append_args, supervise, landlock_scope;
  /* What runs, with which variables, and what is recorded, is said in a second text. */
  bool later;
  /* The arguments are paths, of which is told what the command would find there; nothing is started. */
  bool look;
  /* What is only good to know is left out. */
  bool quiet;
  /* At the end is told what the policy kept away, also of a command that succeeded. */
  bool summary;
  /* Standard error is a pipe, and whoever reads it shows it on a terminal. */
  bool on_terminal;
  /* The file that the list of what is tried goes to. */
  char *trace;
  enum isolation isolation;
  struct slice seccomp;
  struct limit limits[MAX_LIMITS];
  size_t limit_count;
  pid_t parent;
  struct expectation *expectations;
  size_t expectation_count, expectation_capacity;
  struct source *sources;
  size_t source_count, source_capacity;
};

/* Takes the text over: fields are decoded in place. Refuses the whole plan at the first mistake. */
void plan_parse(struct plan *plan, struct slice text);
/* Adds the second text, where the first has `later`. */
void plan_go_on(struct plan *plan, struct slice text);
/* Whether another version of Cordon wrote it; then `plan` holds only how it is written anew. */
bool plan_of_other_version(struct plan *plan, struct slice text);

/* field.c */
struct fields {
  struct slice *items;
  size_t count, capacity;
};
enum field_error { FIELD_OK, FIELD_EMPTY, FIELD_CONTROL_BYTE, FIELD_BAD_ESCAPE };
/* Splits and decodes the rest of a line, at least one field, and moves `at` behind its newline. */
enum field_error decode_fields(struct fields *fields, char **at, char *end);

/* instructions.c: NULL, or what is wrong with the line. */
struct instruction {
  const char *word;
  size_t word_length;
  size_t least, most;
  const char *(*apply)(struct plan *plan, const struct slice *fields, size_t count);
};
#define ANY SIZE_MAX
#define WORD(text) text, sizeof text - 1
const struct instruction *instruction_find(const char *word, size_t length);

/* place_instructions.c: those about places, looked up where the others are. */
extern const struct instruction place_instructions[];
extern const size_t place_instruction_count;
const char *check_places(const struct plan *plan);

/* numbers.c: base64 is decoded in place. */
bool decode_base64(struct slice *text);
bool parse_number(const char *text, uint64_t *number);

#endif
