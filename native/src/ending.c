#include "ending.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_NAMED = 3, LONGEST_NAME = 80, LONGEST_LINE = 500 };

static struct {
  bool is_quiet, has_terminal;
  char *arguments[MOST_NAMED];
  size_t count;
} ending;

void ending_begin(bool quiet) {
  ending.is_quiet = quiet;
  ending.has_terminal = isatty(STDERR_FILENO) == 1;
}

bool ending_is_quiet(void) { return ending.is_quiet; }

void ending_note_argument(const char *path) {
  if (ending.count < MOST_NAMED) ending.arguments[ending.count] = text_keep(path);
  ending.count++;
}

static size_t add(char *line, size_t at, const char *text) {
  int length = snprintf(line + at, LONGEST_LINE - at, "%s", text);
  return at + (length > 0 && (size_t)length < LONGEST_LINE - at ? (size_t)length : 0);
}

static size_t add_arguments(char *line, size_t at) {
  at = add(line, at, "not shown inside: ");
  for (size_t i = 0; i < ending.count && i < MOST_NAMED; i++) {
    char name[LONGEST_NAME];
    snprintf(name, sizeof name, "%s%s", i ? ", " : "", ending.arguments[i]);
    at = add(line, at, name);
  }
  if (ending.count > MOST_NAMED) at = add(line, at, ", ...");
  return add(line, at, " (cordon explain PATH tells why); ");
}

void ending_tell(int wait_status, void (*tell)(const char *line)) {
  char line[LONGEST_LINE] = "";
  if (ending.is_quiet || !ending.has_terminal) return;
  if (wait_status == 0 || !ending.count) return;
  size_t at = add(line, 0, "this may be the policy: ");
  at = add_arguments(line, at);
  add(line, at, "cordon run --trace tells all that it kept away");
  tell(line);
}
