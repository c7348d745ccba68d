#include "rules.h"

#include <string.h>

const char *rule_word(enum rule_kind kind) {
  static const char *const words[] = {"replace", "control", "never", "hold", "check", "deny", "allow"};
  return words[kind];
}

struct rule *rules_add(struct rules *rules, enum rule_kind kind) {
  rules->items = allot_more(rules->items, rules->count, &rules->capacity, sizeof *rules->items);
  struct rule *rule = &rules->items[rules->count++];
  *rule = (struct rule){.kind = kind};
  return rule;
}

static void order_by_kind(struct rules *rules) {
  size_t starts[RULE_KINDS + 1] = {0}, next[RULE_KINDS];
  for (size_t i = 0; i < rules->count; i++) starts[rules->items[i].kind + 1]++;
  for (size_t kind = 0; kind < RULE_KINDS; kind++) starts[kind + 1] += starts[kind];
  memcpy(next, starts, sizeof next);
  rules->ordered = allot(rules->count, sizeof *rules->ordered);
  for (size_t i = 0; i < rules->count; i++) {
    struct rule *rule = &rules->items[i];
    rule->number = (uint32_t)(next[rule->kind] - starts[rule->kind]);
    rules->ordered[next[rule->kind]++] = rule;
  }
}

static unsigned char first_byte(const struct rule *rule) { return (unsigned char)rule->pattern.text.text[0]; }

/* A rule with a literal beginning is looked at only for names with that first byte; the others float and are always asked. */
void rules_index(struct rules *rules) {
  order_by_kind(rules);
  uint32_t *starts = rules->first_byte_starts, next[256];
  memset(starts, 0, sizeof rules->first_byte_starts);
  rules->by_first_byte = allot(rules->count, sizeof *rules->by_first_byte);
  rules->floating = allot(rules->count, sizeof *rules->floating);
  rules->floating_count = 0;
  for (size_t i = 0; i < rules->count; i++)
    if (rules->items[i].pattern.literal_length) starts[first_byte(&rules->items[i]) + 1]++;
  for (size_t byte = 0; byte < 256; byte++) starts[byte + 1] += starts[byte];
  memcpy(next, starts, sizeof next);
  for (uint32_t i = 0; i < rules->count; i++) {
    const struct rule *rule = rules->ordered[i];
    if (rule->pattern.literal_length) rules->by_first_byte[next[first_byte(rule)]++] = i;
    else rules->floating[rules->floating_count++] = i;
  }
}

static bool is_excepted(const struct rule *rule, const char *name, size_t length) {
  for (size_t i = 0; i < rule->exception_count; i++)
    if (pattern_matches(&rule->exceptions[i], name, length)) return true;
  return false;
}

static bool applies(const struct rule *rule, const char *name, size_t length, const char *value) {
  if (!pattern_matches(&rule->pattern, name, length)) return false;
  if (rule->kind == RULE_CHECK) return value_is_unsafe(rule->check, value);
  return !is_excepted(rule, name, length);
}

const struct rule *rules_find(const struct rules *rules, const char *name, size_t length, const char *value) {
  const uint32_t *anchored = rules->by_first_byte + rules->first_byte_starts[(unsigned char)name[0]];
  const uint32_t *anchored_end = rules->by_first_byte + rules->first_byte_starts[(unsigned char)name[0] + 1];
  const uint32_t *floating = rules->floating, *floating_end = floating + rules->floating_count;
  uint64_t pairs = rules->floating_count ? pairs_of(name, length) : 0;
  while (anchored < anchored_end || floating < floating_end) {
    bool take_anchored = floating == floating_end || (anchored < anchored_end && *anchored < *floating);
    const struct rule *rule = rules->ordered[take_anchored ? *anchored++ : *floating++];
    if (!take_anchored && (rule->pattern.pairs & ~pairs)) continue;
    if (applies(rule, name, length, value)) return rule;
  }
  return NULL;
}
