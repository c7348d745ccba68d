#include "kernel.h"
#include "plan.h"

#include <string.h>
#include <sys/resource.h>

#define APPLY(name) static const char *name(struct plan *plan, const struct slice *fields, size_t count)
#define UNUSED_COUNT (void)count

static const char said_twice[] = "said twice";
static const char not_absolute[] = "an absolute path was expected";
static const char bad_name[] = "not a variable's name";

static const char *set_once(char **place, const struct slice *field) {
  if (*place) return said_twice;
  *place = field->text;
  return NULL;
}

static const char *set_path_once(char **place, const struct slice *field) {
  return field->text[0] == '/' ? set_once(place, field) : not_absolute;
}

static const char *set_flag(bool *place) {
  if (*place) return said_twice;
  *place = true;
  return NULL;
}

static bool is_name(const struct slice *field) { return field->length && !memchr(field->text, '=', field->length); }

static const char *add_names(struct plan *plan, enum rule_kind kind, const struct slice *fields, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!is_name(&fields[i])) return bad_name;
    pattern_of_name(&rules_add(&plan->rules, kind)->pattern, fields[i]);
  }
  return NULL;
}

static const char *add_patterns(struct plan *plan, enum rule_kind kind, const struct slice *fields, size_t count) {
  const char *wrong = NULL;
  for (size_t i = 0; i < count && !wrong; i++) wrong = pattern_compile(&rules_add(&plan->rules, kind)->pattern, fields[i]);
  return wrong;
}

APPLY(apply_replace) { return add_names(plan, RULE_REPLACE, fields, count); }
APPLY(apply_control) { return add_names(plan, RULE_CONTROL, fields, count); }
APPLY(apply_hold) { return add_names(plan, RULE_HOLD, fields, count); }
APPLY(apply_never) { return add_patterns(plan, RULE_NEVER, fields, count); }
APPLY(apply_allow) { return add_patterns(plan, RULE_ALLOW, fields, count); }

APPLY(apply_check) {
  UNUSED_COUNT;
  static const char *const words[] = {[CHECK_LOCALE] = "locale", [CHECK_TZ] = "tz", [CHECK_TERM] = "term"};
  for (enum value_check check = CHECK_LOCALE; check <= CHECK_TERM; check++) {
    if (strcmp(fields[0].text, words[check]) != 0) continue;
    struct rule *rule = rules_add(&plan->rules, RULE_CHECK);
    rule->check = check;
    return pattern_compile(&rule->pattern, fields[1]);
  }
  return "`locale`, `tz` or `term` was expected";
}

APPLY(apply_deny) {
  struct rule *rule = rules_add(&plan->rules, RULE_DENY);
  const char *wrong = pattern_compile(&rule->pattern, fields[0]);
  rule->exception_count = (uint32_t)(count - 1);
  rule->exceptions = allot(count - 1, sizeof *rule->exceptions);
  for (size_t i = 1; i < count && !wrong; i++) wrong = pattern_compile(&rule->exceptions[i - 1], fields[i]);
  return wrong;
}

/* The two fields lie behind each other with one NUL between them, which becomes the `=`. */
APPLY(apply_set) {
  UNUSED_COUNT;
  if (!is_name(&fields[0])) return bad_name;
  fields[0].text[fields[0].length] = '=';
  plan->settings =
      allot_more(plan->settings, plan->setting_count, &plan->setting_capacity, sizeof *plan->settings);
  plan->settings[plan->setting_count++] = (struct setting){fields[0].text, fields[0].length};
  return NULL;
}

APPLY(apply_command) {
  UNUSED_COUNT;
  if (!plan->search.count && !strchr(fields->text, '/')) return "a path with a `/` was expected";
  return set_once(&plan->command, fields);
}

APPLY(apply_isolation) {
  UNUSED_COUNT;
  static const char *const words[] = {
      [ISOLATION_FILTER] = "filter", [ISOLATION_BARRIER] = "barrier", [ISOLATION_AUTO] = "auto"};
  if (plan->isolation != ISOLATION_UNSAID) return said_twice;
  for (enum isolation mode = ISOLATION_FILTER; mode <= ISOLATION_AUTO; mode++)
    if (strcmp(fields->text, words[mode]) == 0) plan->isolation = mode;
  return plan->isolation == ISOLATION_UNSAID ? "`filter`, `barrier` or `auto` was expected" : NULL;
}

APPLY(apply_seccomp) {
  UNUSED_COUNT;
  if (plan->seccomp.text) return said_twice;
  struct slice program = *fields;
  size_t one = sizeof(struct bpf_instruction);
  if (!decode_base64(&program) || !program.length || program.length % one || program.length / one > MAX_BPF_INSTRUCTIONS)
    return "not a filter program";
  plan->seccomp = program;
  return NULL;
}

APPLY(apply_limit) {
  UNUSED_COUNT;
  static const struct { const char *word; int resource; } known[MAX_LIMITS] = {
      {"core", RLIMIT_CORE}, {"nproc", RLIMIT_NPROC}, {"as", RLIMIT_AS},
      {"cpu", RLIMIT_CPU}, {"fsize", RLIMIT_FSIZE}, {"nofile", RLIMIT_NOFILE}, {"data", RLIMIT_DATA}};
  struct limit limit = {.resource = -1};
  for (size_t i = 0; i < MAX_LIMITS; i++)
    if (strcmp(fields[0].text, known[i].word) == 0) limit.resource = known[i].resource;
  if (limit.resource < 0) return "no such limit";
  if (!parse_number(fields[1].text, &limit.value)) return "a number was expected";
  for (size_t i = 0; i < plan->limit_count; i++)
    if (plan->limits[i].resource == limit.resource) return said_twice;
  plan->limits[plan->limit_count++] = limit;
  return NULL;
}

APPLY(apply_parent) {
  UNUSED_COUNT;
  uint64_t number;
  if (plan->parent) return said_twice;
  if (!parse_number(fields->text, &number) || !number || number > INT32_MAX) return "a process number was expected";
  plan->parent = (pid_t)number;
  return NULL;
}

static bool parse_kind(const char *word, enum entry_kind *kind) {
  static const char *const words[] = {"absent", "file", "dir", "other"};
  for (enum entry_kind at = ENTRY_ABSENT; at <= ENTRY_OTHER; at++) {
    if (strcmp(word, words[at]) != 0) continue;
    *kind = at;
    return true;
  }
  return false;
}

APPLY(apply_expect) {
  UNUSED_COUNT;
  struct expectation expected = {.path = fields[1].text};
  if (!parse_kind(fields[0].text, &expected.kind)) return "`absent`, `file`, `dir` or `other` was expected";
  if (expected.path[0] != '/') return not_absolute;
  plan->expectations =
      allot_more(plan->expectations, plan->expectation_count, &plan->expectation_capacity, sizeof expected);
  plan->expectations[plan->expectation_count++] = expected;
  return NULL;
}

APPLY(apply_source) {
  UNUSED_COUNT;
  struct source source = {.path = fields[0].text};
  if (source.path[0] != '/') return not_absolute;
  if (!parse_number(fields[1].text, &source.device) || !parse_number(fields[2].text, &source.inode) ||
      !parse_number(fields[3].text, &source.size) || !parse_number(fields[4].text, &source.modified_ns))
    return "a number was expected";
  plan->sources = allot_more(plan->sources, plan->source_count, &plan->source_capacity, sizeof source);
  plan->sources[plan->source_count++] = source;
  return NULL;
}

static const char *add_all(struct strings *list, const struct slice *fields, size_t count) {
  for (size_t i = 0; i < count; i++) strings_add(list, fields[i].text);
  return NULL;
}

APPLY(apply_search) {
  for (size_t i = 0; i < count; i++)
    if (fields[i].text[0] != '/') return not_absolute;
  return plan->search.count ? said_twice : add_all(&plan->search, fields, count);
}

APPLY(apply_arg) { return add_all(&plan->args, fields, count); }
APPLY(apply_rebuild) { return plan->rebuild.count ? said_twice : add_all(&plan->rebuild, fields, count); }
APPLY(apply_variables) { return plan->variables.count ? said_twice : add_all(&plan->variables, fields, count); }
APPLY(apply_rebuild_keep) { return is_name(fields) ? add_all(&plan->rebuild_keep, fields, count) : bad_name; }
APPLY(apply_name) { UNUSED_COUNT; return set_once(&plan->name, fields); }
/* It names a folder too, so it is nothing but a name. */
APPLY(apply_launch) {
  UNUSED_COUNT;
  static const char allowed[] = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  size_t length = fields->length;
  if (!length || length > LONGEST_LAUNCH || fields->text[0] == '-' || strspn(fields->text, allowed) != length)
    return "a launch's id was expected: letters, digits and `-`";
  return set_once(&plan->launch, fields);
}

APPLY(apply_bwrap) { UNUSED_COUNT; return set_path_once(&plan->bwrap, fields); }
APPLY(apply_explicit) { UNUSED_COUNT; return set_once(&plan->explicit_reason, fields); }
APPLY(apply_audit) { UNUSED_COUNT; return set_path_once(&plan->audit, fields); }
APPLY(apply_audit_head) { UNUSED_COUNT; return set_once(&plan->audit_head, fields); }
APPLY(apply_warn_dir) { UNUSED_COUNT; return set_path_once(&plan->warn_dir, fields); }
APPLY(apply_debug_head) { UNUSED_COUNT; return set_once(&plan->debug_head, fields); }
APPLY(apply_append_args) { (void)fields; UNUSED_COUNT; return set_flag(&plan->append_args); }
APPLY(apply_supervise) { (void)fields; UNUSED_COUNT; return set_flag(&plan->supervise); }
APPLY(apply_later) { (void)fields; UNUSED_COUNT; return set_flag(&plan->later); }
APPLY(apply_landlock_scope) { (void)fields; UNUSED_COUNT; return set_flag(&plan->landlock_scope); }

APPLY(apply_quiet) { (void)fields; UNUSED_COUNT; return set_flag(&plan->quiet); }
APPLY(apply_summary) { (void)fields; UNUSED_COUNT; return set_flag(&plan->summary); }
APPLY(apply_on_terminal) { (void)fields; UNUSED_COUNT; return set_flag(&plan->on_terminal); }
APPLY(apply_trace) { UNUSED_COUNT; return set_path_once(&plan->trace, fields); }
APPLY(apply_look) { (void)fields; UNUSED_COUNT; return set_flag(&plan->look); }

/* The most frequent first. */
static const struct instruction instructions[] = {
    {WORD("never"), 1, ANY, apply_never},
    {WORD("set"), 2, 2, apply_set},
    {WORD("allow"), 1, ANY, apply_allow},
    {WORD("hold"), 1, ANY, apply_hold},
    {WORD("replace"), 1, 1, apply_replace},
    {WORD("deny"), 1, ANY, apply_deny},
    {WORD("control"), 1, ANY, apply_control},
    {WORD("arg"), 1, 1, apply_arg},
    {WORD("check"), 2, 2, apply_check},
    {WORD("expect"), 2, 2, apply_expect},
    {WORD("name"), 1, 1, apply_name},
    {WORD("launch"), 1, 1, apply_launch},
    {WORD("command"), 1, 1, apply_command},
    {WORD("search"), 1, ANY, apply_search},
    {WORD("append-args"), 0, 0, apply_append_args},
    {WORD("isolation"), 1, 1, apply_isolation},
    {WORD("bwrap"), 1, 1, apply_bwrap},
    {WORD("explicit"), 1, 1, apply_explicit},
    {WORD("supervise"), 0, 0, apply_supervise},
    {WORD("seccomp"), 1, 1, apply_seccomp},
    {WORD("later"), 0, 0, apply_later},
    {WORD("landlock-scope"), 0, 0, apply_landlock_scope},
    {WORD("look"), 0, 0, apply_look},
    {WORD("quiet"), 0, 0, apply_quiet},
    {WORD("summary"), 0, 0, apply_summary},
    {WORD("on-terminal"), 0, 0, apply_on_terminal},
    {WORD("trace"), 1, 1, apply_trace},
    {WORD("limit"), 2, 2, apply_limit},
    {WORD("parent"), 1, 1, apply_parent},
    {WORD("source"), 5, 5, apply_source},
    {WORD("rebuild"), 1, ANY, apply_rebuild},
    {WORD("rebuild-keep"), 1, 1, apply_rebuild_keep},
    {WORD("variables"), 2, ANY, apply_variables},
    {WORD("audit"), 1, 1, apply_audit},
    {WORD("audit-head"), 1, 1, apply_audit_head},
    {WORD("warn-dir"), 1, 1, apply_warn_dir},
    {WORD("debug-head"), 1, 1, apply_debug_head},
};

static const struct instruction *find_among(const struct instruction *known, size_t count, const char *word, size_t length) {
  for (size_t i = 0; i < count; i++)
    if (known[i].word_length == length && memcmp(known[i].word, word, length) == 0) return &known[i];
  return NULL;
}

const struct instruction *instruction_find(const char *word, size_t length) {
  const struct instruction *found = find_among(instructions, sizeof instructions / sizeof *instructions, word, length);
  return found ? found : find_among(place_instructions, place_instruction_count, word, length);
}
