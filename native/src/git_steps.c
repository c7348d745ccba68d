#include "git.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* What a rebase or the like has still to do stands in files that `--continue` obeys, wherever they come from. */

bool git_is_word(const char *text, size_t length, const char *words) {
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
  return git_is_word(line + start, end - start, words);
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

/* ── options of programs that git starts ── */

/* Each word that stands there, quoted or not. Git takes off quotes, and so what it takes for a word has no others than these in it. */
static bool all_words(const char *text, size_t length, bool (*is_fine)(const char *word, size_t length)) {
  struct text word = {0};
  bool fine = true;
  text_make_room(&word, length + 1);
  for (size_t i = 0; i <= length && fine; i++) {
    char letter = i < length ? text[i] : ' ';
    if (letter == '\\' || letter == '\0') fine = false;
    else if (letter == '\'' || letter == '"') continue;
    else if (!strchr(" \t\r\n", letter)) text_add_bytes(&word, &letter, 1);
    else if (word.length) fine = is_fine(word.data, word.length), word.length = 0;
  }
  text_free(&word);
  return fine;
}

/* One of these; of those that end in `=`, with a value behind it. */
static bool is_option(const char *word, size_t length, const char *words) {
  const char *equals = memchr(word, '=', length);
  return git_is_word(word, equals ? (size_t)(equals - word) + 1 : length, words);
}

/* A strategy that is a program of its own hands these on to others, which know one that writes a file. */
static bool is_strategy_option(const char *word, size_t length) {
  static const char words[] =
      "ours theirs patience histogram minimal renormalize no-renormalize no-renames find-renames find-renames= rename-threshold= subtree subtree= "
      "diff-algorithm= ignore-space-change ignore-all-space ignore-space-at-eol ignore-cr-at-eol";
  bool is_long = length > 2 && strncmp(word, "--", 2) == 0;
  return is_option(word + (is_long ? 2 : 0), length - (is_long ? 2 : 0), words);
}

/* `--unsafe-paths` and `--build-fake-ancestor=` write wherever a patch says. */
static bool is_apply_option(const char *word, size_t length) {
  static const char words[] =
      "--whitespace= --ignore-whitespace --ignore-space-change --3way --no-3way --reject --keep-cr --directory= --include= --exclude= -3 -l";
  bool has_number = length > 2 && word[0] == '-' && (word[1] == 'p' || word[1] == 'C');
  for (size_t i = 2; i < length && has_number; i++) has_number = isdigit((unsigned char)word[i]);
  return has_number || is_option(word, length, words);
}

/* Git starts `git-merge-` and the name, which may be any program of git's, or with a slash any file. */
static bool is_strategy(const char *word, size_t length) { return git_is_word(word, length, "ort recursive resolve octopus ours subtree"); }

static bool keep_if(bool is_fine, struct slice now, struct text *left) {
  text_make_room(left, now.length + 1);
  text_add_bytes(left, now.text, now.length);
  return is_fine;
}

bool git_clean_strategy(struct slice old, struct slice now, struct text *left) {
  (void)old;
  return keep_if(all_words(now.text, now.length, is_strategy), now, left);
}

bool git_clean_strategy_options(struct slice old, struct slice now, struct text *left) {
  (void)old;
  return keep_if(all_words(now.text, now.length, is_strategy_option), now, left);
}

bool git_clean_apply_options(struct slice old, struct slice now, struct text *left) {
  (void)old;
  return keep_if(all_words(now.text, now.length, is_apply_option), now, left);
}

static bool is_harmless_entry(const struct git_entry *entry) {
  size_t length = entry->value ? strlen(entry->value) : 0;
  if (strcmp(entry->key, "strategy") == 0) return all_words(entry->value, length, is_strategy);
  if (strcmp(entry->key, "strategy-option") == 0) return all_words(entry->value, length, is_strategy_option);
  return true;
}

bool git_clean_options(struct slice old, struct slice now, struct text *left) {
  struct git_config config;
  (void)old;
  bool is_fine = git_parse(now, &config);
  for (size_t i = 0; is_fine && i < config.count; i++) is_fine = is_harmless_entry(&config.entries[i]);
  return keep_if(is_fine, now, left);
}

/* ── conflicts whose solutions git knows ── */

/* A path of the tree, as git itself writes it: nothing before it, and no step out of it or into git's own files. */
static bool is_in_tree(const char *path) {
  for (const char *part = path;; part++) {
    size_t length = strcspn(part, "/");
    if (!length || git_is_word(part, length, ". ..") || (length == 4 && strncasecmp(part, ".git", 4) == 0)) return false;
    part += length;
    if (!*part) return true;
  }
}

/* `ID[.NUMBER]`, a tab, the path of a file that git writes the solution to, NUL. A number below zero would do so to any file. */
static bool is_conflict(const char *line) {
  size_t length = strspn(line, "0123456789abcdef");
  const char *at = line + length;
  if (length != 40 && length != 64) return false;
  if (*at == '.') at += 1 + strspn(at + 1, "0123456789");
  return *at == '\t' && is_in_tree(at + 1);
}

bool git_clean_conflicts(struct slice old, struct slice now, struct text *left) {
  bool is_fine = !now.length || now.text[now.length - 1] == '\0';
  (void)old;
  for (size_t at = 0; is_fine && at < now.length; at += strlen(now.text + at) + 1) is_fine = is_conflict(now.text + at);
  return keep_if(is_fine, now, left);
}
