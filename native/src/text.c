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

/* What no font shows, what changes the direction of the text around it, what is nobody's letter: as escapes, as in host/bytes.ts. */
static bool is_shown_letter(uint32_t point) {
  static const struct {
    uint32_t first, last;
  } unseen[] = {{0x80, 0x9f},     {0xad, 0xad},     {0x34f, 0x34f},     {0x600, 0x605},     {0x61c, 0x61c},     {0x6dd, 0x6dd},
                {0x70f, 0x70f},   {0x890, 0x891},   {0x8e2, 0x8e2},     {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
                {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0x3164, 0x3164},   {0xe000, 0xf8ff},   {0xfdd0, 0xfdef},
                {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb},   {0xfffe, 0xffff},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
                {0x13430, 0x1345f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0x1fffe, 0x1ffff}, {0x2fffe, 0x2ffff}, {0x323b0, 0x10ffff}};
  for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++)
    if (point >= unseen[i].first && point <= unseen[i].last) return false;
  return true;
}

/* How many bytes a letter beyond ASCII takes in UTF-8 that is valid; 0: it is none, or none to be shown. */
static size_t letter_at(const char *bytes, size_t length) {
  unsigned char first = (unsigned char)bytes[0];
  size_t wanted = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (!wanted || wanted > length) return 0;
  uint32_t point = first & (0xffu >> (wanted + 1));
  for (size_t i = 1; i < wanted; i++) {
    unsigned char byte = (unsigned char)bytes[i];
    if ((byte & 0xc0) != 0x80) return 0;
    point = point << 6 | (byte & 0x3f);
  }
  bool is_valid = point >= least[wanted] && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  return is_valid && is_shown_letter(point) ? wanted : 0;
}

static void add_escaped(struct text *text, const char *bytes, size_t length, const char *special, const char *hex) {
  for (size_t at = 0; at < length; at++) {
    size_t run = plain_run(bytes + at, length - at, special);
    text_add_bytes(text, bytes + at, run);
    at += run;
    if (at == length) return;
    size_t letter = letter_at(bytes + at, length - at);
    if (letter) {
      text_add_bytes(text, bytes + at, letter);
      at += letter - 1;
      continue;
    }
    if (!is_printable((unsigned char)bytes[at])) {
      add_hex(text, hex, (unsigned char)bytes[at]);
      continue;
    }
    text_add(text, "\\");
    text_add_bytes(text, bytes + at, 1);
  }
}

/* For a terminal: what is no letter is not trusted, since C1 controls and direction marks hide there too. */
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
