#ifndef CORDON_ENV_H
#define CORDON_ENV_H

#include "plan.h"

/* Why an inherited variable passes or not. */
enum outcome {
  OUTCOME_PASSED,
  OUTCOME_BY_RULE,
  OUTCOME_NO_RULE,
  OUTCOME_BAD_NAME,
  OUTCOME_DUPLICATE,
  OUTCOME_FUNCTION,
  OUTCOME_SET_INSTEAD,
};

struct decision {
  const char *name;
  size_t name_length;
  enum outcome outcome;
  /* The rule that passed or dropped it, where one did. */
  const struct rule *rule;
};

struct sealed_env {
  char **entries;
  struct decision *decisions;
  size_t decision_count;
};

/* Decides about every entry of the parent and builds the command's block from empty. */
void seal_env(struct sealed_env *sealed, const struct plan *plan, char **parent);

/* The rule in words, for the audit record. */
void text_add_reason(struct text *text, const struct decision *decision);

#endif
