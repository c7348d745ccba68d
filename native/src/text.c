#include "base.h"

#include <stdlib.h>
#include <string.h>

static void reserve(struct text *text, size_t more) {
  if (text->capacity - text->length >= more) return;
  if (more > SIZE_MAX / 2 - text->length) refuse("out of memory", NULL);
  size_t capacity = (text->length + more) * 2;
  char *data = realloc(text->data, capacity);
  if (!data) refuse("out of memory", NULL);
  text->data = data;
  text->capacity = capacity;
}

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

/* For a terminal: beyond printable ASCII nothing is trusted, since C1 controls and direction marks hide there too. */
void text_add_shown(struct text *text, const char *bytes, size_t length) {
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)bytes[i];
    if (is_printable(byte)) text_add_bytes(text, &bytes[i], 1);
    else add_hex(text, "\\x", byte);
  }
}

/* A JSON string whose text is the same as on a terminal, so that odd names read alike everywhere. */
void text_add_json(struct text *text, const char *bytes, size_t length) {
  text_add(text, "\"");
  for (size_t i = 0; i < length; i++) {
    unsigned char byte = (unsigned char)bytes[i];
    if (byte == '"' || byte == '\\') text_add(text, "\\");
    if (is_printable(byte)) text_add_bytes(text, &bytes[i], 1);
    else add_hex(text, "\\\\x", byte);
  }
  text_add(text, "\"");
}

void text_add_number(struct text *text, uint64_t number) {
  char digits[20];
  size_t at = sizeof digits;
  do digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  text_add_bytes(text, digits + at, sizeof digits - at);
}

void text_free(struct text *text) {
  free(text->data);
  *text = (struct text){0};
}
