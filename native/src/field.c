#include "plan.h"

#include <string.h>

struct decoder {
  char *in, *end, *out;
};

static int hex_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

static bool decode_hex(struct decoder *d) {
  if (d->end - d->in < 2) return false;
  int high = hex_value(d->in[0]), low = hex_value(d->in[1]);
  if (high < 0 || low < 0 || (high | low) == 0) return false;
  *d->out++ = (char)(high << 4 | low);
  d->in += 2;
  return true;
}

static bool decode_escape(struct decoder *d) {
  static const char letters[] = "stnr\\", bytes[] = " \t\n\r\\";
  if (d->in == d->end) return false;
  char letter = *d->in++;
  if (letter == 'x') return decode_hex(d);
  const char *place = memchr(letters, letter, sizeof letters - 1);
  if (!place) return false;
  *d->out++ = bytes[place - letters];
  return true;
}

/* Most fields are nothing else, and lie already where they are to be. */
static void take_plain(struct decoder *d) {
  char *start = d->in, *end = start;
  while (end < d->end && byte_is((unsigned char)*end, BYTE_PLAIN)) end++;
  size_t length = (size_t)(end - start);
  if (d->out != start) memmove(d->out, start, length);
  d->in = end;
  d->out += length;
}

static bool at_field_end(const struct decoder *d) { return d->in == d->end || *d->in == ' ' || *d->in == '\n'; }

static bool is_written_empty(const struct decoder *d) {
  struct decoder behind = *d;
  behind.in += 2;
  return d->end - d->in >= 2 && d->in[0] == '\\' && d->in[1] == 'e' && at_field_end(&behind);
}

static enum field_error decode_one(struct decoder *d) {
  if (at_field_end(d)) return FIELD_EMPTY;
  if (*d->in == '\\' && is_written_empty(d)) {
    d->in += 2;
    return FIELD_OK;
  }
  for (;;) {
    take_plain(d);
    if (at_field_end(d)) return FIELD_OK;
    if (*d->in != '\\') return FIELD_CONTROL_BYTE;
    d->in++;
    if (!decode_escape(d)) return FIELD_BAD_ESCAPE;
  }
}

/* What is decoded is never longer than what was written, so it is put behind the reading position, field after field. */
enum field_error decode_fields(struct fields *fields, char **at, char *end) {
  struct decoder d = {.in = *at, .end = end, .out = *at};
  fields->count = 0;
  for (;;) {
    struct slice field = {.text = d.out};
    enum field_error error = decode_one(&d);
    if (error != FIELD_OK) return error;
    field.length = (size_t)(d.out - field.text);
    bool more = d.in < d.end && *d.in == ' ';
    d.in++;
    *d.out++ = '\0';
    fields->items = allot_more(fields->items, fields->count, &fields->capacity, sizeof *fields->items);
    fields->items[fields->count++] = field;
    *at = d.in;
    if (!more) return FIELD_OK;
  }
}
