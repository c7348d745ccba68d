#ifndef CORDON_RULES_H
#define CORDON_RULES_H

#include "pattern.h"

/* In the order in which they are asked. */
enum rule_kind { RULE_REPLACE, RULE_CONTROL, RULE_NEVER, RULE_HOLD, RULE_CHECK, RULE_DENY, RULE_ALLOW, RULE_KINDS };

enum value_check { CHECK_LOCALE, CHECK_TZ, CHECK_TERM };

struct rule {
  enum rule_kind kind;
  enum value_check check;
  struct pattern pattern;
  struct pattern *exceptions;
  uint32_t exception_count;
  /* Place among the rules of its kind, as written. */
  uint32_t number;
};

enum { RULES_A_SHELF = 128 };

/* Rules stay where they were put: an array that is outgrown would be copied, and cost pages that are touched for nothing. */
struct shelf {
  struct shelf *next;
  size_t count;
  struct rule rules[RULES_A_SHELF];
};

struct rules {
  struct shelf *first, *last;
  size_t count;
  /* Set by rules_index: the rules in the order in which they are asked, and where to look for a name. */
  struct rule **ordered;
  uint32_t *by_first_byte;
  uint32_t first_byte_starts[257];
  uint32_t *floating;
  /* The pairs of each floating one, side by side, since all of them are asked for every name. */
  uint64_t *floating_pairs;
  size_t floating_count;
};

struct rule *rules_add(struct rules *rules, enum rule_kind kind);
void rules_index(struct rules *rules);

/* The first rule that applies to the variable, or NULL. `value` ends in NUL. */
const struct rule *rules_find(const struct rules *rules, const char *name, size_t length, const char *value);

const char *rule_word(enum rule_kind kind);
bool value_is_unsafe(enum value_check check, const char *value);
bool value_is_function(const char *value);

#endif
