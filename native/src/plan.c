#include "plan.h"

#include <string.h>

struct reader {
  char *at, *end;
  size_t line;
  struct fields fields;
  bool is_second;
};

static _Noreturn void refuse_line(const struct reader *reader, const char *what, const char *more) {
  refuse("plan line ", decimal(reader->line), ": ", what, more, NULL);
}

static const char *field_error_text(enum field_error error) {
  switch (error) {
    case FIELD_EMPTY: return "an empty field (written \\e) or a space too many";
    case FIELD_CONTROL_BYTE: return "a raw control byte";
    default: return "a bad escape";
  }
}

static char *line_end(const struct reader *reader) {
  char *newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
  return newline ? newline : reader->end;
}

/* Comments are for people with `cat`: they must not be able to steer the terminal either. */
static bool skip_line(struct reader *reader) {
  if (*reader->at != '#' && *reader->at != '\n') return false;
  char *end = line_end(reader);
  for (const char *at = reader->at; at < end; at++)
    if ((unsigned char)*at < 0x20 || *at == 0x7f) refuse_line(reader, "a raw control byte", NULL);
  reader->at = end + 1;
  return true;
}

/* Whether something is left to read; lines that say nothing are passed over. */
static bool find_line(struct reader *reader) {
  while (reader->at < reader->end) {
    reader->line++;
    if (!skip_line(reader)) return true;
  }
  return false;
}

/* Whether the line is just this; if so it is behind us. */
static bool take_line(struct reader *reader, const char *text) {
  if (*reader->at != *text) return false;
  size_t length = strlen(text), left = (size_t)(reader->end - reader->at);
  if (left < length || memcmp(reader->at, text, length) != 0) return false;
  if (left > length && reader->at[length] != '\n') return false;
  reader->at += length + 1;
  return true;
}

static size_t word_length(const struct reader *reader) {
  const char *at = reader->at;
  while (at < reader->end && *at != ' ' && *at != '\n') at++;
  return (size_t)(at - reader->at);
}

static const struct instruction *read_word(struct reader *reader) {
  size_t length = word_length(reader);
  const struct instruction *instruction = instruction_find(reader->at, length);
  if (!instruction) refuse_line(reader, "unknown instruction ", allot_text(reader->at, length > 64 ? 64 : length));
  reader->at += length;
  return instruction;
}

static void read_fields(struct reader *reader) {
  reader->fields.count = 0;
  bool has_fields = reader->at < reader->end && *reader->at == ' ';
  reader->at++;
  if (!has_fields) return;
  enum field_error error = decode_fields(&reader->fields, &reader->at, reader->end);
  if (error != FIELD_OK) refuse_line(reader, field_error_text(error), NULL);
}

/* How the sandbox is made was settled by the first text. */
static bool may_come_later(const char *word) {
  static const char *const words[] = {"set", "command", "arg", "launch", "audit", "audit-head", "warn-dir"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], word) == 0) return true;
  return false;
}

static void read_instruction(struct reader *reader, struct plan *plan) {
  const struct instruction *instruction = read_word(reader);
  if (reader->is_second && !may_come_later(instruction->word)) refuse_line(reader, "too late for ", instruction->word);
  read_fields(reader);
  if (reader->fields.count < instruction->least || reader->fields.count > instruction->most)
    refuse_line(reader, "wrong number of fields for ", instruction->word);
  const char *wrong = instruction->apply(plan, reader->fields.items, reader->fields.count);
  if (wrong) refuse_line(reader, wrong, NULL);
}

static void read_header(struct reader *reader) {
  if (find_line(reader) && take_line(reader, "cordon-plan 2")) return;
  refuse_line(reader, "`cordon-plan 2` was expected here: not a plan, or one of another version", NULL);
}

static void read_instructions(struct reader *reader, struct plan *plan) {
  while (find_line(reader)) {
    if (!take_line(reader, "end")) {
      read_instruction(reader, plan);
      continue;
    }
    if (reader->at < reader->end) refuse_line(reader, "something follows `end`", NULL);
    return;
  }
  refuse("the plan was cut short: it has no `end`", NULL);
}

static void check_whole(const struct plan *plan) {
  bool says_what_runs = plan->command || plan->args.count || plan->setting_count || plan->rules.count;
  if (plan->later && says_what_runs) refuse("the plan has `later`, and says what runs all the same", NULL);
  if (!plan->command && !plan->later) refuse("the plan has no `command`", NULL);
  if (!plan->args.count && !plan->later) refuse("the plan has no `arg`", NULL);
  if (plan->isolation == ISOLATION_UNSAID) refuse("the plan has no `isolation`", NULL);
  const char *wrong = check_places(plan);
  if (wrong) refuse("the plan ", wrong, NULL);
  if (!plan->audit != !plan->audit_head) refuse("`audit` and `audit-head` belong together", NULL);
}

/* Only what says how it is written anew: the rest is in words that this version does not know. */
bool plan_of_other_version(struct plan *plan, struct slice text) {
  static const char start[] = "cordon-plan ";
  struct reader reader = {.at = text.text, .end = text.text + text.length};
  *plan = (struct plan){.text = text};
  if (!find_line(&reader) || take_line(&reader, "cordon-plan 2")) return false;
  if ((size_t)(reader.end - reader.at) < sizeof start || memcmp(reader.at, start, sizeof start - 1) != 0) return false;
  for (reader.at = line_end(&reader) + 1; reader.at < reader.end && find_line(&reader);) {
    const char *word = reader.at;
    size_t length = word_length(&reader);
    bool known = (length == 7 && memcmp(word, "rebuild", 7) == 0) || (length == 12 && memcmp(word, "rebuild-keep", 12) == 0);
    if (known) read_instruction(&reader, plan);
    else reader.at = line_end(&reader) + 1;
  }
  return true;
}

void plan_go_on(struct plan *plan, struct slice text) {
  struct reader reader = {.at = text.text, .end = text.text + text.length, .is_second = true};
  plan->later = false;
  read_header(&reader);
  read_instructions(&reader, plan);
  check_whole(plan);
}

void plan_parse(struct plan *plan, struct slice text) {
  struct reader reader = {.at = text.text, .end = text.text + text.length};
  *plan = (struct plan){.text = text};
  read_header(&reader);
  read_instructions(&reader, plan);
  check_whole(plan);
  rules_index(&plan->rules);
}
