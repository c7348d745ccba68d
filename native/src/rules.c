#include "rules.h"

#include <string.h>

const char *rule_word(enum rule_kind kind) {
  static const char *const words[] = {"replace", "control", "never", "hold", "check", "deny", "allow"};
  return words[kind];
}

static struct shelf *add_shelf(struct rules *rules) {
  struct shelf *shelf = allot(1, sizeof *shelf);
  shelf->next = NULL;
  shelf->count = 0;
  if (rules->last) rules->last->next = shelf;
  else rules->first = shelf;
  return rules->last = shelf;
}

struct rule *rules_add(struct rules *rules, enum rule_kind kind) {
  struct shelf *shelf = rules->last;
  if (!shelf || shelf->count == RULES_A_SHELF) shelf = add_shelf(rules);
  struct rule *rule = &shelf->rules[shelf->count++];
  *rule = (struct rule){.kind = kind};
  rules->count++;
  return rule;
}

/* Each rule goes to where those of its kind begin, behind the ones before it. */
static void place_shelf(struct rules *rules, struct shelf *shelf, const size_t *starts, size_t *next) {
  for (size_t i = 0; i < shelf->count; i++) {
    struct rule *rule = &shelf->rules[i];
    rule->number = (uint32_t)(next[rule->kind] - starts[rule->kind]);
    rules->ordered[next[rule->kind]++] = rule;
  }
}

static void order_by_kind(struct rules *rules) {
  size_t starts[RULE_KINDS + 1] = {0}, next[RULE_KINDS];
  for (const struct shelf *shelf = rules->first; shelf; shelf = shelf->next)
    for (size_t i = 0; i < shelf->count; i++) starts[shelf->rules[i].kind + 1]++;
  for (size_t kind = 0; kind < RULE_KINDS; kind++) starts[kind + 1] += starts[kind];
  memcpy(next, starts, sizeof next);
  rules->ordered = allot(rules->count, sizeof *rules->ordered);
  for (struct shelf *shelf = rules->first; shelf; shelf = shelf->next) place_shelf(rules, shelf, starts, next);
}

static unsigned char first_byte(const struct rule *rule) { return (unsigned char)rule->pattern.text.text[0]; }

static void add_floating(struct rules *rules, uint32_t place) {
  const struct glob *glob = rules->ordered[place]->pattern.glob;
  rules->floating_pairs[rules->floating_count] = glob ? glob->pairs : 0;
  rules->floating[rules->floating_count++] = place;
}

/* A rule with a literal beginning is looked at only for names with that first byte; the others float and are always asked. */
void rules_index(struct rules *rules) {
  order_by_kind(rules);
  uint32_t *starts = rules->first_byte_starts, next[256];
  size_t floating = 0;
  memset(starts, 0, sizeof rules->first_byte_starts);
  for (size_t i = 0; i < rules->count; i++) {
    if (rules->ordered[i]->pattern.literal_length) starts[first_byte(rules->ordered[i]) + 1]++;
    else floating++;
  }
  for (size_t byte = 0; byte < 256; byte++) starts[byte + 1] += starts[byte];
  memcpy(next, starts, sizeof next);
  rules->by_first_byte = allot(rules->count - floating, sizeof *rules->by_first_byte);
  rules->floating = allot(floating, sizeof *rules->floating);
  rules->floating_pairs = allot(floating, sizeof *rules->floating_pairs);
  rules->floating_count = 0;
  for (uint32_t i = 0; i < rules->count; i++) {
    const struct rule *rule = rules->ordered[i];
    if (rule->pattern.literal_length) rules->by_first_byte[next[first_byte(rule)]++] = i;
    else add_floating(rules, i);
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

static size_t next_floating(const struct rules *rules, size_t at, uint64_t pairs) {
  while (at < rules->floating_count && (rules->floating_pairs[at] & ~pairs)) at++;
  return at;
}

const struct rule *rules_find(const struct rules *rules, const char *name, size_t length, const char *value) {
  const uint32_t *anchored = rules->by_first_byte + rules->first_byte_starts[(unsigned char)name[0]];
  const uint32_t *anchored_end = rules->by_first_byte + rules->first_byte_starts[(unsigned char)name[0] + 1];
  uint64_t pairs = rules->floating_count ? pairs_of(name, length) : 0;
  size_t floating = next_floating(rules, 0, pairs);
  while (anchored < anchored_end || floating < rules->floating_count) {
    bool floats = floating < rules->floating_count;
    bool take_anchored = !floats || (anchored < anchored_end && *anchored < rules->floating[floating]);
    const struct rule *rule = rules->ordered[take_anchored ? *anchored++ : rules->floating[floating]];
    if (!take_anchored) floating = next_floating(rules, floating + 1, pairs);
    if (applies(rule, name, length, value)) return rule;
  }
  return NULL;
}
