#include "plan.h"

#include <string.h>

struct reader {
  char *at, *end;
  size_t line;
  struct fields fields;
};

static _Noreturn void refuse_line(const struct reader *reader, const char *what, const char *more) {
  refuse("plan line ", decimal(reader->line), ": ", what, more, NULL);
}

static const char *field_error_text(enum field_error error) {
  switch (error) {
    case FIELD_EMPTY: return "an empty field (written \\e) or a space too many";
    case FIELD_CONTROL_BYTE: return "a raw control byte";
    case FIELD_NO_FOLDER: return "the working folder is gone or unreachable";
    default: return "a bad escape";
  }
}

/* The next line as [start, end); false when nothing is left. */
static bool next_line(struct reader *reader, char **start, char **end) {
  if (reader->at >= reader->end) return false;
  char *newline = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
  *start = reader->at;
  *end = newline ? newline : reader->end;
  reader->at = newline ? newline + 1 : reader->end;
  reader->line++;
  return true;
}

/* Comments are for people with `cat`: they must not be able to steer the terminal either. */
static bool is_skipped(const struct reader *reader, const char *start, const char *end) {
  if (start == end) return true;
  if (*start != '#') return false;
  for (; start < end; start++)
    if ((unsigned char)*start < 0x20 || *start == 0x7f) refuse_line(reader, "a raw control byte", NULL);
  return true;
}

static void read_instruction(struct reader *reader, struct plan *plan, char *start, char *end) {
  char *space = memchr(start, ' ', (size_t)(end - start));
  size_t length = (size_t)((space ? space : end) - start);
  const struct instruction *instruction = instruction_find(start, length);
  if (!instruction) refuse_line(reader, "unknown instruction ", allot_text(start, length > 64 ? 64 : length));
  reader->fields.count = 0;
  if (space) {
    enum field_error error = decode_fields(&reader->fields, space + 1, end, instruction_takes_folder(instruction));
    if (error != FIELD_OK) refuse_line(reader, field_error_text(error), NULL);
  }
  if (reader->fields.count < instruction->least || reader->fields.count > instruction->most)
    refuse_line(reader, "wrong number of fields for ", instruction->word);
  const char *wrong = instruction->apply(plan, reader->fields.items, reader->fields.count);
  if (wrong) refuse_line(reader, wrong, NULL);
}

static bool is_line(const char *start, const char *end, const char *text) {
  size_t length = strlen(text);
  return (size_t)(end - start) == length && memcmp(start, text, length) == 0;
}

static void read_header(struct reader *reader) {
  char *start, *end;
  while (next_line(reader, &start, &end)) {
    if (is_skipped(reader, start, end)) continue;
    if (is_line(start, end, "cordon-plan 1")) return;
    break;
  }
  refuse_line(reader, "`cordon-plan 1` was expected here: not a plan, or one of another version", NULL);
}

static void read_instructions(struct reader *reader, struct plan *plan) {
  char *start, *end;
  while (next_line(reader, &start, &end)) {
    if (is_skipped(reader, start, end)) continue;
    if (!is_line(start, end, "end")) {
      read_instruction(reader, plan, start, end);
      continue;
    }
    if (reader->at != reader->end) refuse_line(reader, "something follows `end`", NULL);
    return;
  }
  refuse("the plan was cut short: it has no `end`", NULL);
}

static void check_whole(const struct plan *plan) {
  if (!plan->command) refuse("the plan has no `command`", NULL);
  if (!plan->args.count) refuse("the plan has no `arg`", NULL);
  if (plan->isolation == ISOLATION_UNSAID) refuse("the plan has no `isolation`", NULL);
  if (plan->placeholder_count && !plan->lock) refuse("the plan has a `placeholder` but no `lock`", NULL);
  if (plan->bwrap && !plan->sandbox.count) refuse("the plan has a `bwrap` but no `sandbox`", NULL);
  if (!plan->audit != !plan->audit_head) refuse("`audit` and `audit-head` belong together", NULL);
}

/* Room for as many rules as there are lines, taken at once: arrays that are outgrown cost pages that are touched for nothing. */
static void expect_rules(struct plan *plan, struct slice text) {
  size_t lines = 1;
  for (size_t i = 0; i < text.length; i++) lines += text.text[i] == '\n';
  plan->rules.items = allot(lines, sizeof *plan->rules.items);
  plan->rules.capacity = lines;
}

void plan_parse(struct plan *plan, struct slice text) {
  struct reader reader = {.at = text.text, .end = text.text + text.length};
  *plan = (struct plan){.text = text};
  expect_rules(plan, text);
  read_header(&reader);
  read_instructions(&reader, plan);
  check_whole(plan);
  rules_index(&plan->rules);
}
