#include "pattern.h"

#include <string.h>

struct compiler {
  const unsigned char *at, *end;
  uint32_t *atoms;
  size_t atom_count;
  struct byte_set *sets;
  size_t set_count;
  struct segment *segments;
  size_t segment_count;
};

static void set_add(struct byte_set *set, unsigned char byte) { set->bits[byte >> 6] |= 1ull << (byte & 63); }

static const unsigned char *set_end(const unsigned char *at, const unsigned char *end) {
  if (at < end && *at == '!') at++;
  if (at < end && *at == ']') at++;
  return at < end ? memchr(at, ']', (size_t)(end - at)) : NULL;
}

/* `at` is behind the `[`. A range written backwards holds nothing, as in fnmatch. */
static struct byte_set read_set(const unsigned char *at, const unsigned char *close) {
  struct byte_set set = {{0}};
  bool negated = *at == '!';
  if (negated) at++;
  while (at < close) {
    bool range = close - at >= 3 && at[1] == '-';
    unsigned last = range ? at[2] : *at;
    for (unsigned byte = *at; byte <= last; byte++) set_add(&set, (unsigned char)byte);
    at += range ? 3 : 1;
  }
  for (size_t i = 0; negated && i < 4; i++) set.bits[i] = ~set.bits[i];
  return set;
}

static bool compile_set(struct compiler *c) {
  const unsigned char *close = set_end(c->at, c->end);
  if (!close) return false;
  c->sets[c->set_count] = read_set(c->at, close);
  c->atoms[c->atom_count++] = ATOM_SET + (uint32_t)c->set_count++;
  c->at = close + 1;
  return true;
}

static void compile_run(struct compiler *c, struct segment *segment) {
  const unsigned char *run = c->at;
  while (c->at < c->end && !memchr("*?[", *c->at, 3)) c->atoms[c->atom_count++] = *c->at++;
  size_t length = (size_t)(c->at - run);
  if (length <= segment->run_length) return;
  segment->run = (const char *)run;
  segment->run_length = length;
  segment->run_offset = (size_t)(c->atoms + c->atom_count - segment->atoms) - length;
}

static bool compile_segment(struct compiler *c) {
  struct segment segment = {.atoms = c->atoms + c->atom_count, .run = ""};
  for (compile_run(c, &segment); c->at < c->end && *c->at != '*'; compile_run(c, &segment)) {
    if (*c->at++ == '?') c->atoms[c->atom_count++] = ATOM_ANY;
    else if (!compile_set(c)) return false;
  }
  segment.length = (size_t)(c->atoms + c->atom_count - segment.atoms);
  if (segment.length) c->segments[c->segment_count++] = segment;
  return true;
}

static bool compile_segments(struct compiler *c) {
  while (c->at < c->end) {
    if (!compile_segment(c)) return false;
    while (c->at < c->end && *c->at == '*') c->at++;
  }
  return true;
}

static uint64_t pairs_in(const struct segment *segment) {
  uint64_t pairs = 0;
  for (size_t i = 1; i < segment->length; i++) {
    uint32_t first = segment->atoms[i - 1], second = segment->atoms[i];
    if (first < ATOM_ANY && second < ATOM_ANY) pairs |= pair_bit((unsigned char)first, (unsigned char)second);
  }
  return pairs;
}

static size_t count_of(struct slice text, char byte) {
  size_t count = 0;
  for (size_t i = 0; i < text.length; i++) count += text.text[i] == byte;
  return count;
}

/* Room for as much as there can be, and no more: sparse memory costs more than counting. */
static struct compiler compiler_for(struct slice text) {
  const unsigned char *at = (const unsigned char *)text.text;
  struct compiler c = {.at = at, .end = at + text.length};
  c.atoms = allot(text.length, sizeof *c.atoms);
  c.sets = allot(count_of(text, '['), sizeof *c.sets);
  c.segments = allot(count_of(text, '*') + 1, sizeof *c.segments);
  return c;
}

static const char *compile_glob(struct pattern *pattern) {
  struct compiler c = compiler_for(pattern->text);
  const unsigned char *text = c.at;
  if (!compile_segments(&c)) return "`[` without its `]`";
  struct glob *glob = allot(1, sizeof *glob);
  *glob = (struct glob){.segments = c.segments,
                        .count = c.segment_count,
                        .sets = c.sets,
                        .shortest = c.atom_count,
                        .open_start = text[0] == '*',
                        .open_end = c.end[-1] == '*'};
  for (size_t i = 0; i < glob->count; i++) glob->pairs |= pairs_in(&glob->segments[i]);
  pattern->glob = glob;
  return NULL;
}

void pattern_of_name(struct pattern *pattern, struct slice name) {
  *pattern = (struct pattern){.kind = PATTERN_EXACT, .literal_length = (uint32_t)name.length, .text = name};
}

static size_t plain_length(struct slice text) {
  size_t length = 0;
  while (length < text.length && byte_is((unsigned char)text.text[length], BYTE_LITERAL)) length++;
  return length;
}

const char *pattern_compile(struct pattern *pattern, struct slice text) {
  if (!text.length) return "an empty pattern";
  pattern_of_name(pattern, text);
  size_t plain = plain_length(text);
  if (plain == text.length) return NULL;
  pattern->literal_length = (uint32_t)plain;
  pattern->kind = plain == text.length - 1 && text.text[plain] == '*' ? PATTERN_PREFIX : PATTERN_GLOB;
  return pattern->kind == PATTERN_GLOB ? compile_glob(pattern) : NULL;
}
