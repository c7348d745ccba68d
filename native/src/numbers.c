#include "plan.h"

#include <string.h>

enum { NO_DIGIT = 0xff, NO_DIGIT_BIT = 0x80 };

static void fill_digits(unsigned char *values) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  memset(values, NO_DIGIT, 256);
  for (unsigned char i = 0; i < 64; i++) values[(unsigned char)alphabet[i]] = i;
}

static size_t padding_of(const struct slice *text) {
  if (text->length < 2 || text->text[text->length - 1] != '=') return 0;
  return text->text[text->length - 2] == '=' ? 2 : 1;
}

/* Four digits are three bytes. A digit that is none has a bit that no digit has. */
bool decode_base64(struct slice *text) {
  if (text->length % 4) return false;
  unsigned char values[256], *in = (unsigned char *)text->text, *out = in;
  size_t padding = padding_of(text);
  unsigned seen = 0;
  fill_digits(values);
  if (padding) memset(in + text->length - padding, 'A', padding);
  for (const unsigned char *end = in + text->length; in < end; in += 4, out += 3) {
    unsigned a = values[in[0]], b = values[in[1]], c = values[in[2]], d = values[in[3]];
    seen |= a | b | c | d;
    out[0] = (unsigned char)(a << 2 | b >> 4);
    out[1] = (unsigned char)(b << 4 | c >> 2);
    out[2] = (unsigned char)(c << 6 | d);
  }
  text->length = text->length / 4 * 3 - padding;
  text->text[text->length] = '\0';
  return !(seen & NO_DIGIT_BIT);
}

bool parse_number(const char *text, uint64_t *number) {
  uint64_t sum = 0;
  if (!*text || (text[0] == '0' && text[1])) return false;
  for (; *text; text++) {
    if (*text < '0' || *text > '9') return false;
    uint64_t digit = (uint64_t)(*text - '0');
    if (sum > (UINT64_MAX - digit) / 10) return false;
    sum = sum * 10 + digit;
  }
  *number = sum;
  return true;
}
