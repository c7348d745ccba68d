#include "git.h"

#include <ctype.h>
#include <string.h>

/* ── reading, step for step as git does: where the two differ a program could be started unseen ── */

struct reader {
  const char *start, *at, *end;
  /* Texts are never longer than what they are made from. */
  char *out;
  bool is_over;
};

/* The end counts as the end of a line. */
static int next(struct reader *reader) {
  if (reader->at == reader->end) {
    reader->is_over = true;
    return '\n';
  }
  int byte = (unsigned char)*reader->at++;
  if (byte != '\r' || reader->at == reader->end || *reader->at != '\n') return byte;
  reader->at++;
  return '\n';
}

static bool is_space(int byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }
static bool is_letter(int byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); }
static bool is_key(int byte) { return is_letter(byte) || (byte >= '0' && byte <= '9') || byte == '-'; }
static char lower(int byte) { return (char)(byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte); }

static bool read_subsection(struct reader *reader, int byte) {
  while (is_space(byte)) {
    if (byte == '\n') return false;
    byte = next(reader);
  }
  if (byte != '"') return false;
  *reader->out++ = '.';
  while ((byte = next(reader)) != '"') {
    if (byte == '\\') byte = next(reader);
    if (byte == '\n') return false;
    *reader->out++ = (char)byte;
  }
  return next(reader) == ']';
}

static const char *read_section(struct reader *reader) {
  char *stem = reader->out;
  for (int byte; (byte = next(reader)) != ']';) {
    if (reader->is_over) return NULL;
    if (is_space(byte)) {
      if (!read_subsection(reader, byte)) return NULL;
      break;
    }
    if (!is_key(byte) && byte != '.') return NULL;
    *reader->out++ = lower(byte);
  }
  if (reader->out == stem) return NULL;
  *reader->out++ = '.';
  *reader->out++ = '\0';
  return stem;
}

static bool unescape(int *byte) {
  switch (*byte) {
    case 't': *byte = '\t'; return true;
    case 'b': *byte = '\b'; return true;
    case 'n': *byte = '\n'; return true;
    case '\\':
    case '"': return true;
    default: return false;
  }
}

static const char *read_value(struct reader *reader) {
  char *value = reader->out, *end = value;
  bool quoted = false, comment = false;
  for (int byte;;) {
    byte = next(reader);
    if (byte == '\n') break;
    if (comment) continue;
    if (is_space(byte) && !quoted) {
      if (reader->out > value) *reader->out++ = (char)byte;
      continue;
    }
    if (!quoted && (byte == ';' || byte == '#')) {
      comment = true;
      continue;
    }
    if (byte == '"') quoted = !quoted;
    else if (byte != '\\') *reader->out++ = (char)byte;
    else if ((byte = next(reader)) != '\n') {
      if (!unescape(&byte)) return NULL;
      *reader->out++ = (char)byte;
    }
    end = reader->out;
  }
  if (quoted) return NULL;
  *end = '\0';
  reader->out = end + 1;
  return value;
}

static bool read_entry(struct reader *reader, int byte, struct git_entry *entry) {
  entry->start = (size_t)(reader->at - 1 - reader->start);
  entry->key = reader->out;
  for (; is_key(byte); byte = next(reader)) *reader->out++ = lower(byte);
  *reader->out++ = '\0';
  while (byte == ' ' || byte == '\t') byte = next(reader);
  entry->value = NULL;
  if (byte != '\n' && (byte != '=' || !(entry->value = read_value(reader)))) return false;
  entry->end = (size_t)(reader->at - reader->start);
  return true;
}

bool git_parse(struct slice text, struct git_config *config) {
  static const char mark[] = "\xef\xbb\xbf";
  struct reader reader = {.start = text.text, .at = text.text, .end = text.text + text.length};
  struct git_entry entry = {.stem = ""};
  bool comment = false;
  *config = (struct git_config){0};
  if (memchr(text.text, '\0', text.length)) return false;
  reader.out = allot(2 * text.length + 16, 1);
  if (text.length >= 3 && memcmp(text.text, mark, 3) == 0) reader.at += 3;
  while (!reader.is_over) {
    int byte = next(&reader);
    if (byte == '\n') comment = false;
    if (comment || is_space(byte)) continue;
    if (byte == '#' || byte == ';') {
      comment = true;
    } else if (byte == '[') {
      if (!(entry.stem = read_section(&reader))) return false;
    } else {
      if (!is_letter(byte) || !read_entry(&reader, byte, &entry)) return false;
      config->entries = allot_more(config->entries, config->count, &config->capacity, sizeof *config->entries);
      config->entries[config->count++] = entry;
    }
  }
  return true;
}

/* ── what may be set from inside: everything that is not here could start a program, now or in a later git ── */

enum subsection { ALONE = 1, NAMED = 2 };
enum value_kind { ANY, ADDRESS, REMOTE, UPDATE, RECURSE, SUBMODULE_FILES };

static const struct harmless {
  const char *section;
  unsigned subsection;
  /* Between spaces; "*": all but those that by their name lead to a program or to files. */
  const char *keys;
  enum value_kind value;
} all_harmless[] = {
    {"user", ALONE, " name email signingkey useconfigonly ", ANY},
    /* Editors and forges keep notes of their own about a branch. */
    {"branch", ALONE | NAMED, "*", REMOTE},
    {"remote", NAMED, " url pushurl ", ADDRESS},
    {"remote", NAMED, " fetch prune prunetags tagopt push mirror partialclonefilter promisor ", ANY},
    {"core", ALONE,
     " repositoryformatversion filemode bare logallrefupdates ignorecase symlinks precomposeunicode autocrlf eol safecrlf quotepath"
     " sparsecheckout sparsecheckoutcone trustctime checkstat abbrev whitespace commentchar compression untrackedcache preloadindex ",
     ANY},
    {"core", ALONE, " worktree ", SUBMODULE_FILES},
    {"submodule", NAMED, " url ", ADDRESS},
    {"submodule", NAMED, " active branch ignore shallow ", ANY},
    {"submodule", NAMED, " update ", UPDATE},
    {"extensions", ALONE, " noop objectformat compatobjectformat refstorage preciousobjects relativeworktrees worktreeconfig ", ANY},
    {"extensions", ALONE, " partialclone ", REMOTE},
    {"gc", ALONE | NAMED,
     " aggressivedepth aggressivewindow auto autodetach autopacklimit bigpackthreshold cruftpacks logexpiry packrefs pruneexpire reflogexpire"
     " reflogexpireunreachable rerereresolved rerereunresolved worktreepruneexpire writecommitgraph ",
     ANY},
    {"push", ALONE, " default followtags autosetupremote gpgsign negotiate usebitmaps useforceifincludes ", ANY},
    {"push", ALONE, " recursesubmodules ", RECURSE},
    {"pull", ALONE, " ff rebase ", ANY},
    {"fetch", ALONE, " all fsckobjects negotiationalgorithm output parallel prune prunetags showforcedupdates unpacklimit writecommitgraph ", ANY},
    {"fetch", ALONE, " recursesubmodules ", RECURSE},
    /* Not instructionformat: what it writes into the list of steps may be a line of its own, and that a program. */
    {"rebase", ALONE, " abbreviatecommands autosquash autostash backend forkpoint missingcommitscheck rebasemerges reschedulefailedexec stat updaterefs ", ANY},
    {"init", ALONE, " defaultbranch defaultobjectformat defaultrefformat ", ANY},
    {"status", ALONE,
     " relativepaths short branch aheadbehind displaycommentprefix renamelimit renames showstash showuntrackedfiles submodulesummary ", ANY},
    {"color", ALONE | NAMED, "*", ANY},
    {"column", ALONE, " ui branch clean status tag ", ANY},
    {"advice", ALONE, "*", ANY},
    {"index", ALONE, " recordendofindexentries recordoffsettable skiphash sparse threads version ", ANY},
    {"pack", ALONE,
     " compression deltacachelimit deltacachesize depth indexversion packsizelimit threads usebitmaps usesparse window windowmemory writebitmaps"
     " writereverseindex ",
     ANY},
    {"rerere", ALONE, " enabled autoupdate ", ANY},
    {"log", ALONE, " abbrevcommit date decorate diffmerges follow graphcolors mailmap showroot ", ANY},
    {"feature", ALONE, " experimental manyfiles ", ANY},
    {"tag", ALONE, " sort gpgsign ", ANY},
    {"commit", ALONE, " gpgsign verbose cleanup ", ANY},
    {"diff", ALONE, " algorithm renames context colormoved noprefix mnemonicprefix ", ANY},
    {"merge", ALONE, " ff conflictstyle renames log ", ANY},
    {"maintenance", ALONE, " auto strategy ", ANY},
    {"lfs", ALONE, " repositoryformatversion ", ANY},
};

static bool is_among(const char *words, const char *word) {
  size_t length = strlen(word);
  for (const char *at = words; length && (at = strstr(at, word)); at++)
    if (at > words && at[-1] == ' ' && at[length] == ' ') return true;
  return false;
}

/* Newer versions of git have more keys than are known here: gc.recentObjectsHook came so. */
static bool leads_to_program(const char *key) {
  static const char *const ends[] = {"hook", "command", "cmd", "program", "helper", "driver", "editor", "pager", "dir", "path", "file", "options", "format"};
  size_t length = strlen(key);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (length >= strlen(ends[i]) && strcmp(key + length - strlen(ends[i]), ends[i]) == 0) return true;
  return false;
}

/* `helper::address` starts git-remote-helper, of which `ext` runs anything; what begins with a dash is taken for an option. */
static bool is_plain_address(const char *value) {
  size_t length = 0;
  if (value[0] == '-') return false;
  while (isalnum((unsigned char)value[length]) || (length && strchr("+-.", value[length]) && value[length])) length++;
  if (strncmp(value + length, "::", 2) != 0) return true;
  static const char *const known[] = {"http", "https", "ssh", "git", "file"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i]) == length && strncmp(value, known[i], length) == 0) return true;
  return false;
}

/* As git tells a path from what goes over a network. */
static bool is_path(const char *address) {
  const char *colon = strchr(address, ':'), *slash = strchr(address, '/');
  return !colon || (slash && slash < colon) || strncasecmp(address, "file:", 5) == 0;
}

/*
 * A repository that a command can write has hooks, which run when something is pushed to it. Where a path leads is not asked: a link or a
 * name that git finds another way may lead elsewhere the next time. Who has no remote yet may have one here.
 */
static bool is_harmless_address(const struct git_judge *judge, const char *value) {
  return is_plain_address(value) && !(judge->had_remote && is_path(value));
}

static bool is_url(const struct git_entry *entry) { return strncmp(entry->stem, "remote.", 7) == 0 && strcmp(entry->key, "url") == 0; }

bool git_has_remote(const struct git_config *config) {
  for (size_t i = 0; i < config->count; i++)
    if (is_url(&config->entries[i])) return true;
  return false;
}

static bool is_same(const struct git_entry *a, const struct git_entry *b) {
  if (strcmp(a->key, b->key) != 0 || strcmp(a->stem, b->stem) != 0 || !a->value != !b->value) return false;
  return !a->value || strcmp(a->value, b->value) == 0;
}

static bool is_known(const struct git_config *before, const struct git_entry *entry) {
  for (size_t i = 0; i < before->count; i++)
    if (is_same(&before->entries[i], entry)) return true;
  return false;
}

/* By its name, or this repository itself. One without an address that may stand is an address: that of a folder here. */
static bool is_remote(const struct git_judge *judge, const char *name) {
  size_t length = strlen(name);
  if (name[0] == '-') return false;
  for (size_t i = 0; i < judge->all->count; i++) {
    const struct git_entry *entry = &judge->all->entries[i];
    if (!is_url(entry) || strncmp(entry->stem + 7, name, length) != 0 || strcmp(entry->stem + 7 + length, ".") != 0) continue;
    if (is_known(judge->old, entry) || is_harmless_address(judge, entry->value ? entry->value : "")) return true;
  }
  return strcmp(name, ".") == 0;
}

const char *submodule_files(const char *folder, const char *value) {
  for (const char *at = folder; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL, value += 3)
    if (strncmp(value, "../", 3) != 0) return NULL;
  for (const char *at = value; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL) {
    size_t length = strcspn(at, "/");
    if (!length || (length <= 2 && strspn(at, ".") >= length) || (length == 4 && strncasecmp(at, ".git", 4) == 0)) return NULL;
  }
  return value;
}

static bool is_value_harmless(const struct git_judge *judge, enum value_kind kind, const struct git_entry *entry) {
  const char *value = entry->value ? entry->value : "";
  switch (kind) {
    case ADDRESS: return is_harmless_address(judge, value);
    case REMOTE: return (strcmp(entry->key, "partialclone") != 0 && !strstr(entry->key, "remote")) || is_remote(judge, value) || is_harmless_address(judge, value);
    /* What git goes to then, only the history names. */
    case RECURSE: return value[0] && is_among(" no false off 0 ", value);
    case UPDATE: return value[0] && is_among(" checkout rebase merge none ", value);
    case SUBMODULE_FILES:
      value = judge->folder ? submodule_files(judge->folder, value) : NULL;
      return value && judge->is_own_tree(value);
    default: return true;
  }
}

static bool is_harmless(const struct git_judge *judge, const struct git_entry *entry) {
  const char *dot = strchr(entry->stem, '.');
  size_t length = dot ? (size_t)(dot - entry->stem) : 0;
  unsigned subsection = dot && dot[1] ? NAMED : ALONE;
  /* Git starts itself with the name of a remote as an argument, which would then be an option. */
  if (subsection == NAMED && dot[1] == '-') return false;
  for (size_t i = 0; i < sizeof all_harmless / sizeof *all_harmless; i++) {
    const struct harmless *one = &all_harmless[i];
    if (!length || strlen(one->section) != length || strncmp(one->section, entry->stem, length) != 0) continue;
    bool listed = one->keys[0] == '*' ? !leads_to_program(entry->key) : is_among(one->keys, entry->key);
    if (listed && (one->subsection & subsection) && is_value_harmless(judge, one->value, entry)) return true;
  }
  return false;
}

/* ── taking out ── */

/* The whole line where nothing else stands on it; behind a section's name the line's end stays. */
static void leave_out(struct slice now, const struct git_entry *entry, size_t *from, size_t *to) {
  *from = entry->start;
  *to = entry->end;
  while (*from && (now.text[*from - 1] == ' ' || now.text[*from - 1] == '\t')) --*from;
  if (!*from || now.text[*from - 1] == '\n') return;
  *from = entry->start;
  if (*to > *from && now.text[*to - 1] == '\n') --*to;
  if (*to > *from && now.text[*to - 1] == '\r') --*to;
}

static void only_harmful(const struct git_judge *judge, struct git_config *config) {
  size_t kept = 0;
  for (size_t i = 0; i < config->count; i++)
    if (!is_harmless(judge, &config->entries[i])) config->entries[kept++] = config->entries[i];
  config->count = kept;
}

static bool are_same(const struct git_config *a, const struct git_config *b) {
  if (a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++)
    if (!is_same(&a->entries[i], &b->entries[i])) return false;
  return true;
}

static bool has_url_of(const struct git_config *config, const char *stem) {
  for (size_t i = 0; i < config->count; i++)
    if (is_url(&config->entries[i]) && strcmp(config->entries[i].stem, stem) == 0) return true;
  return false;
}

/* Without its address a remote's name is one: that of a folder, which the command may have made. */
static void restore_addresses(const struct git_judge *judge, struct slice before, struct text *left) {
  struct git_config cleaned;
  for (size_t i = 0; i < judge->old->count; i++) {
    const struct git_entry *entry = &judge->old->entries[i];
    if (!is_url(entry) || !git_parse((struct slice){left->data, left->length}, &cleaned) || has_url_of(&cleaned, entry->stem)) continue;
    if (left->length && left->data[left->length - 1] != '\n') text_add(left, "\n");
    text_add(left, "[remote \"");
    for (const char *at = entry->stem + 7; at[1]; at++) {
      if (*at == '"' || *at == '\\') text_add(left, "\\");
      text_add_bytes(left, at, 1);
    }
    text_add(left, "\"]\n\t");
    text_add_bytes(left, before.text + entry->start, entry->end - entry->start);
    if (left->data[left->length - 1] != '\n') text_add(left, "\n");
    judge->restored(judge, entry);
  }
}

bool git_clean(struct git_judge *judge, struct slice before, struct slice now, struct text *left) {
  struct git_config old, new, cleaned;
  size_t copied = 0;
  if (!git_parse(now, &new)) return false;
  bool was_readable = git_parse(before, &old);
  if (!was_readable) old.count = 0;
  judge->all = &new;
  judge->old = &old;
  struct git_config known = old;
  text_make_room(left, now.length + 1);
  known.entries = allot(old.count, sizeof *old.entries);
  if (old.count) memcpy(known.entries, old.entries, old.count * sizeof *old.entries);
  only_harmful(judge, &known);
  for (size_t i = 0; i < new.count; i++) {
    if (is_harmless(judge, &new.entries[i]) || is_known(&known, &new.entries[i])) continue;
    size_t from, to;
    leave_out(now, &new.entries[i], &from, &to);
    text_add_bytes(left, now.text + copied, from - copied);
    copied = to;
    judge->removed(judge, &new.entries[i]);
  }
  text_add_bytes(left, now.text + copied, now.length - copied);
  restore_addresses(judge, before, left);
  /* Where all that was added is gone, the bytes are as they were too: no empty section is left behind. */
  if (!copied || !was_readable || !git_parse((struct slice){left->data, left->length}, &cleaned) || !are_same(&cleaned, &old)) return true;
  left->length = 0;
  text_add_bytes(left, before.text, before.length);
  return true;
}
