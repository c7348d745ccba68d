#include "plan.h"

static int digit_value(char digit) {
  if (digit >= 'A' && digit <= 'Z') return digit - 'A';
  if (digit >= 'a' && digit <= 'z') return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9') return digit - '0' + 52;
  return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

static size_t padding_of(const struct slice *text) {
  if (text->length < 2 || text->text[text->length - 1] != '=') return 0;
  return text->text[text->length - 2] == '=' ? 2 : 1;
}

bool decode_base64(struct slice *text) {
  if (text->length % 4) return false;
  size_t padding = padding_of(text), digits = text->length - padding, out = 0;
  uint32_t bits = 0;
  for (size_t i = 0; i < digits; i++) {
    int value = digit_value(text->text[i]);
    if (value < 0) return false;
    bits = bits << 6 | (uint32_t)value;
    if (i % 4 == 0) continue;
    text->text[out++] = (char)(bits >> (6 - 2 * (i % 4)));
  }
  text->length = out;
  text->text[out] = '\0';
  return true;
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
