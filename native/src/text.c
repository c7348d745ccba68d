#include "base.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_CAPACITY = 2048, SPARE_SIZE = 128 * 1024 };

/* What a launch remembers, its record above all. Setting up a heap would cost more than all that is written here. */
static char spare[SPARE_SIZE];
static size_t spare_kept;
static bool spare_is_taken;

static char *spare_text(void) { return spare + spare_kept; }

static char *larger(struct text *text, size_t capacity) {
  if (text->data != spare_text()) return realloc(text->data, capacity);
  char *data = malloc(capacity);
  if (data) memcpy(data, text->data, text->length);
  return data;
}

static void reserve(struct text *text, size_t more) {
  if (text->capacity - text->length >= more) return;
  if (more > SIZE_MAX / 2 - text->length) refuse("out of memory", NULL);
  size_t capacity = (text->length + more) * 2, room = SPARE_SIZE - spare_kept;
  if (capacity < LEAST_CAPACITY) capacity = LEAST_CAPACITY;
  bool takes_spare = !text->data && !spare_is_taken && capacity <= room;
  char *data = takes_spare ? spare_text() : larger(text, capacity);
  if (!data) refuse("out of memory", NULL);
  text->data = data;
  text->capacity = takes_spare ? room : capacity;
  spare_is_taken = spare_is_taken || takes_spare;
}

char *text_keep(const char *string) {
  if (!string) return NULL;
  size_t length = strlen(string) + 1;
  bool fits = !spare_is_taken && length <= SPARE_SIZE - spare_kept;
  char *copy = fits ? spare_text() : malloc(length);
  if (!copy) refuse("out of memory", NULL);
  if (fits) spare_kept += length;
  return memcpy(copy, string, length);
}

void text_make_room(struct text *text, size_t length) { reserve(text, length); }

void text_add_bytes(struct text *text, const char *bytes, size_t length) {
  reserve(text, length);
  if (length) memcpy(text->data + text->length, bytes, length);
  text->length += length;
}

void text_add(struct text *text, const char *string) { text_add_bytes(text, string, strlen(string)); }

static void add_hex(struct text *text, const char *prefix, unsigned char byte) {
  static const char digits[] = "0123456789abcdef";
  char hex[2] = {digits[byte >> 4], digits[byte & 15]};
  text_add(text, prefix);
  text_add_bytes(text, hex, 2);
}

static bool is_printable(unsigned char byte) { return byte >= 0x20 && byte < 0x7f; }

/* Names are nearly always plain from end to end, and there may be hundreds: they are taken over in runs. */
static size_t plain_run(const char *bytes, size_t length, const char *special) {
  size_t i = 0;
  while (i < length && is_printable((unsigned char)bytes[i]) && bytes[i] != special[0] && bytes[i] != special[1]) i++;
  return i;
}

static void add_escaped(struct text *text, const char *bytes, size_t length, const char *special, const char *hex) {
  for (size_t at = 0; at < length; at++) {
    size_t run = plain_run(bytes + at, length - at, special);
    text_add_bytes(text, bytes + at, run);
    at += run;
    if (at == length) return;
    if (!is_printable((unsigned char)bytes[at])) {
      add_hex(text, hex, (unsigned char)bytes[at]);
      continue;
    }
    text_add(text, "\\");
    text_add_bytes(text, bytes + at, 1);
  }
}

/* For a terminal: beyond printable ASCII nothing is trusted, since C1 controls and direction marks hide there too. */
void text_add_shown(struct text *text, const char *bytes, size_t length) { add_escaped(text, bytes, length, "\n\n", "\\x"); }

/* A JSON string whose text is the same as on a terminal, so that odd names read alike everywhere. */
void text_add_json(struct text *text, const char *bytes, size_t length) {
  text_add(text, "\"");
  text_add_json_part(text, bytes, length);
  text_add(text, "\"");
}

/* Without the quotes, for a string that is put together. */
void text_add_json_part(struct text *text, const char *bytes, size_t length) {
  add_escaped(text, bytes, length, "\"\\", "\\\\x");
}

void text_add_number(struct text *text, uint64_t number) {
  char digits[20];
  size_t at = sizeof digits;
  do digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  text_add_bytes(text, digits + at, sizeof digits - at);
}

void text_free(struct text *text) {
  if (text->data != spare_text()) free(text->data);
  else spare_is_taken = false;
  *text = (struct text){0};
}
