#include "ending.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NAMED = 3, LONGEST_NAME = 80, LONGEST_LINE = 500 };

/* ── inside ── */

static struct {
  bool is_quiet;
  char *arguments[MOST_NAMED];
  size_t count;
  char *cover;
  bool cover_in_workspace;
} ending;

void ending_begin(bool quiet) { ending.is_quiet = quiet; }

bool ending_is_quiet(void) { return ending.is_quiet; }

void ending_note_argument(const char *path) {
  if (ending.count < MOST_NAMED) ending.arguments[ending.count] = text_keep(path);
  ending.count++;
}

void ending_note_cover(const char *path, bool in_workspace) {
  ending.cover = text_keep(path);
  ending.cover_in_workspace = in_workspace;
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
  return add(line, at, " (cordon explain PATH); ");
}

/* A program that wants one hears "No space left on device" from the kernel. */
static size_t add_cover(char *line, size_t at) {
  char name[LONGEST_NAME];
  snprintf(name, sizeof name, "%s", ending.cover);
  at = add(line, at, "no sandboxes inside while ");
  at = add(line, at, name);
  at = add(line, at, " is kept away in a folder that the command can write");
  return add(line, at, ending.cover_in_workspace ? " (--workspace aside allows them); " : "; ");
}

const char *ending_met(bool failed) {
  static char line[LONGEST_LINE];
  size_t at = 0;
  if (ending.is_quiet) return "";
  if (ending.count) at = add_arguments(line, at);
  if (ending.cover && failed) add_cover(line, at);
  return line;
}

/* ── outside ── */

static bool is_said(const char *text) { return text && *text; }

static void add_count(struct text *line, uint64_t count, const char *one, const char *many) {
  if (!count) return;
  text_add_number(line, count);
  text_add(line, count == 1 ? one : many);
}

void ending_tell(const struct met *met) {
  struct text line = {0};
  bool network_off = met->failed && met->network_off;
  bool is_any = met->files || met->credentials || is_said(met->refused) || is_said(met->inside) || network_off;
  if (met->is_quiet || !is_any || !met->on_terminal) return;
  if (!met->failed && !met->is_summary) {
    add_count(&line, met->files, " file put aside", " files put aside");
    if (met->files && met->credentials) text_add(&line, ", ");
    add_count(&line, met->credentials, " file looks like a credential and was not kept", " files look like credentials and were not kept");
    text_add_bytes(&line, "", 1);
    if (met->files || met->credentials) say(line.data, ": cordon changes", NULL);
    text_free(&line);
    return;
  }
  if (network_off) text_add(&line, "the network is off (--net on); ");
  if (is_said(met->refused)) {
    text_add(&line, "not let through: ");
    text_add(&line, met->refused);
    text_add(&line, " (cordon net log); ");
  }
  add_count(&line, met->files, " file put aside (cordon changes); ", " files put aside (cordon changes); ");
  add_count(&line, met->credentials, " file looks like a credential and was not kept (cordon changes); ",
            " files look like credentials and were not kept (cordon changes); ");
  if (is_said(met->inside)) text_add(&line, met->inside);
  text_add_bytes(&line, "", 1);
  say(met->failed ? "this may be the policy: " : "kept away: ", line.data, met->is_traced ? "the list below has it all" : "cordon run --trace tells all", NULL);
  text_free(&line);
}
