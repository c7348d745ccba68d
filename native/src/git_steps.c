#include "git.h"

#include <ctype.h>
#include <string.h>

/* What a rebase or the like has still to do stands in files that `--continue` obeys, wherever they come from. */

static bool is_word(const char *text, size_t length, const char *words) {
  for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
    if (strcspn(at, " ") == length && strncmp(at, text, length) == 0) return true;
  return false;
}

/* Anything that is not here could start a program, now or in a later git: `exec` does. */
static bool is_harmless_step(const char *line, size_t length) {
  static const char words[] =
      "p pick r reword e edit s squash f fixup b break l label t reset m merge u update-ref d drop noop revert";
  size_t start = 0, end;
  while (start < length && (line[start] == ' ' || line[start] == '\t')) start++;
  if (start == length || line[start] == '#' || line[start] == '\r') return true;
  for (end = start; end < length && !strchr(" \t\r", line[end]);) end++;
  return is_word(line + start, end - start, words);
}

static bool has_line(struct slice text, const char *line, size_t length) {
  for (size_t at = 0; at < text.length;) {
    const char *end = memchr(text.text + at, '\n', text.length - at);
    size_t found = end ? (size_t)(end - text.text) - at : text.length - at;
    if (found == length && memcmp(text.text + at, line, length) == 0) return true;
    at += found + 1;
  }
  return false;
}

bool git_clean_steps(struct slice old, struct slice now, struct text *left) {
  text_make_room(left, now.length + 1);
  if (memchr(now.text, '\0', now.length)) return false;
  for (size_t at = 0; at < now.length;) {
    const char *line = now.text + at, *end = memchr(line, '\n', now.length - at);
    size_t length = end ? (size_t)(end - line) : now.length - at;
    if (is_harmless_step(line, length) || has_line(old, line, length)) text_add_bytes(left, line, length + (end ? 1 : 0));
    at += length + 1;
  }
  return true;
}

/* Git starts `git-merge-` and the name, which with a slash would be a file's. */
static bool is_plain_name(const char *text, size_t length) {
  while (length && strchr("\r\n", text[length - 1])) length--;
  for (size_t i = 0; i < length; i++)
    if (!isalnum((unsigned char)text[i]) && text[i] != '-') return false;
  return true;
}

bool git_clean_strategy(struct slice old, struct slice now, struct text *left) {
  (void)old;
  text_make_room(left, now.length + 1);
  text_add_bytes(left, now.text, now.length);
  return is_plain_name(now.text, now.length);
}

bool git_clean_options(struct slice old, struct slice now, struct text *left) {
  struct git_config config;
  (void)old;
  text_make_room(left, now.length + 1);
  text_add_bytes(left, now.text, now.length);
  if (!git_parse(now, &config)) return false;
  for (size_t i = 0; i < config.count; i++)
    if (strcmp(config.entries[i].key, "strategy") == 0 && config.entries[i].value && !is_plain_name(config.entries[i].value, strlen(config.entries[i].value)))
      return false;
  return true;
}
