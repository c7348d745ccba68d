#include "env.h"

#include "names.h"

#include <string.h>

static size_t count_entries(char **block) {
  size_t count = 0;
  while (block[count]) count++;
  return count;
}

/* 1 unusable name, 2 a later one of several, 3 a function as value, 4 the first rule that applies, 5 nothing applied. */
static void decide(struct decision *decision, const struct plan *plan, struct names *seen, const char *entry) {
  const char *equals = strchr(entry, '=');
  *decision = (struct decision){.name = entry, .outcome = OUTCOME_BAD_NAME};
  decision->name_length = equals ? (size_t)(equals - entry) : strlen(entry);
  if (!equals || equals == entry) return;
  decision->outcome = OUTCOME_DUPLICATE;
  if (!names_add(seen, entry, decision->name_length)) return;
  decision->outcome = OUTCOME_FUNCTION;
  if (value_is_function(equals + 1)) return;
  decision->rule = rules_find(&plan->rules, entry, decision->name_length, equals + 1);
  decision->outcome = !decision->rule                        ? OUTCOME_NO_RULE
                      : decision->rule->kind == RULE_ALLOW ? OUTCOME_PASSED
                                                           : OUTCOME_BY_RULE;
}

static struct names names_of_settings(const struct plan *plan) {
  struct names set = names_for(plan->setting_count);
  for (size_t i = 0; i < plan->setting_count; i++)
    if (!names_add(&set, plan->settings[i].entry, plan->settings[i].name_length))
      refuse("the plan sets a variable twice", NULL);
  return set;
}

/* What the plan sets is final: a variable of the parent that a rule let through under that name gives way. */
void seal_env(struct sealed_env *sealed, const struct plan *plan, char **parent) {
  size_t count = count_entries(parent), passed = 0;
  struct names seen = names_for(count), set = names_of_settings(plan);
  sealed->decisions = allot(count, sizeof *sealed->decisions);
  sealed->decision_count = count;
  sealed->entries = allot(count + plan->setting_count + 1, sizeof *sealed->entries);
  for (size_t i = 0; i < count; i++) {
    struct decision *decision = &sealed->decisions[i];
    decide(decision, plan, &seen, parent[i]);
    if (decision->outcome != OUTCOME_PASSED) continue;
    if (names_has(&set, decision->name, decision->name_length)) decision->outcome = OUTCOME_SET_INSTEAD;
    else sealed->entries[passed++] = parent[i];
  }
  for (size_t i = 0; i < plan->setting_count; i++) sealed->entries[passed++] = plan->settings[i].entry;
  sealed->entries[passed] = NULL;
}

/* The same words as `cordon explain` has. */
void text_add_reason(struct text *text, const struct decision *decision) {
  static const char *const words[] = {
      [OUTCOME_PASSED] = "allow",           [OUTCOME_BY_RULE] = "rule",        [OUTCOME_NO_RULE] = "default",
      [OUTCOME_BAD_NAME] = "unusable name", [OUTCOME_DUPLICATE] = "duplicate", [OUTCOME_FUNCTION] = "value () {",
      [OUTCOME_SET_INSTEAD] = "set"};
  text_add(text, "\"");
  if (decision->outcome == OUTCOME_BY_RULE) {
    const struct slice *pattern = &decision->rule->pattern.text;
    text_add(text, rule_word(decision->rule->kind));
    text_add(text, " ");
    text_add_json_part(text, pattern->text, pattern->length);
  } else {
    text_add(text, words[decision->outcome]);
  }
  text_add(text, "\"");
}
