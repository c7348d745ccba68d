#include "base.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

void (*on_refusal)(void);

static char name_shown[256] = "launch";

void set_subject(const char *name) {
  size_t length = strnlen(name, sizeof name_shown - 1);
  memcpy(name_shown, name, length);
  name_shown[length] = '\0';
}

const char *subject(void) { return name_shown; }

/* Several may stand in one message, hence a few buffers in turn. */
const char *decimal(uint64_t number) {
  static char buffers[4][24];
  static unsigned turn;
  char *buffer = buffers[turn++ % 4];
  char *at = buffer + sizeof buffers[0] - 1;
  *at = '\0';
  do *--at = (char)('0' + number % 10);
  while (number /= 10);
  return at;
}

const char *error_text(int error) { return strerror(error); }

/* No allocation and one write: a message must come out whole even when memory is what failed. */
static void print(const char *part, va_list parts) {
  char line[4096];
  size_t length = 0;
  struct text shown = {.data = line, .capacity = sizeof line};
  const char *head[] = {"cordon: ", name_shown, ": "};
  bool is_said = !name_shown[0] || (part && strcmp(part, name_shown) == 0);
  for (size_t i = 0; i < (is_said ? 1 : 3); i++) text_add_shown(&shown, head[i], strlen(head[i]));
  for (; part; part = va_arg(parts, const char *)) {
    size_t room = (sizeof line - 1 - shown.length) / 4;
    length = strnlen(part, room);
    text_add_shown(&shown, part, length);
  }
  line[shown.length] = '\n';
  write_whole(STDERR_FILENO, line, shown.length + 1);
}

void say(const char *part, ...) {
  va_list parts;
  va_start(parts, part);
  print(part, parts);
  va_end(parts);
}

void leave(int exit_code, const char *part, ...) {
  va_list parts;
  va_start(parts, part);
  if (on_refusal) on_refusal();
  print(part, parts);
  va_end(parts);
  _exit(exit_code);
}

void refuse(const char *part, ...) {
  va_list parts;
  va_start(parts, part);
  if (on_refusal) on_refusal();
  print(part, parts);
  va_end(parts);
  _exit(EXIT_OWN_FAILURE);
}
