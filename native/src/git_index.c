#include "git.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Which folders git takes for repositories of their own: `git status` starts a git in each, which then reads settings from there.
 * The index alone says which they are. And it says which files `git checkout .` writes, without a look at their names.
 */

enum { LARGEST_INDEX = 1 << 30, HEADER = 12, MODE_AT = 24, ID_AT = 40, HAS_MORE_FLAGS = 0x4000, LONGEST_ID = 32 };
/* An entry is a name of at most PATH_MAX and less than a hundred bytes more. */
enum { WINDOW = 64 << 10, LARGEST_ENTRY = PATH_MAX + 1024 };

static uint32_t number(const unsigned char *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* One part after the other is read into the same memory: that of a whole index would be new, which costs more than all the rest. */
static unsigned char window[WINDOW];

/* Where a block of entries begins, as an extension says: with several threads git reads each by itself. */
struct blocks {
  size_t at, end;
  uint32_t left;
};

struct index {
  int fd;
  size_t size, at, length;
  /* What of the file the window holds. */
  size_t from, to;
  uint32_t version;
  char name[PATH_MAX];
  /* The name of the file that holds the other part of a split one, as its bytes. */
  unsigned char other[LONGEST_ID];
  /* An entry here says that one of the other part, which alone has its name, is a repository. */
  bool has_nameless;
  /* Of the other part: each may be one. */
  bool takes_all;
  struct blocks blocks;
  bool begins_block;
  /* A name that is none of a file in a tree: git writes the file all the same. */
  bool leads_out;
};

static bool fill_window(struct index *index, size_t at) {
  size_t wanted = index->size - at < WINDOW ? index->size - at : WINDOW, got = 0;
  for (ssize_t more; got < wanted && (more = pread(index->fd, window + got, wanted - got, (off_t)(at + got))) > 0;) got += (size_t)more;
  index->from = at;
  index->to = at + got;
  return got == wanted;
}

/* What stands there, and how much can be seen of it: a whole entry, or all that is left. NULL behind the end. */
static const unsigned char *look_at(struct index *index, size_t at, size_t *seen) {
  if (at > index->size) return NULL;
  bool is_in = at >= index->from && at <= index->to && (index->to == index->size || index->to - at >= LARGEST_ENTRY);
  if (!is_in && !fill_window(index, at)) return NULL;
  *seen = index->to - at;
  return window + (at - index->from);
}

/* How much of the last name is not this one's; as git packs numbers. */
static bool shorten(struct index *index, const unsigned char **from, const unsigned char *end) {
  size_t less = 0;
  for (bool more = true; more;) {
    if (*from == end || less > PATH_MAX) return false;
    unsigned char byte = *(*from)++;
    more = byte & 128;
    less = (less << 7) + (byte & 127) + more;
  }
  if (less > index->length) return false;
  index->length -= less;
  /* Whoever begins to read there knows no name before. */
  return !index->begins_block || !index->length;
}

/* Whether it leads out of the tree, or into git's own files; a folder's ends in a slash. */
static bool is_no_name(const char *name, size_t length, bool is_folder) {
  for (const char *end = name + length, *next; name <= end; name = next + 1) {
    next = memchr(name, '/', (size_t)(end - name));
    if (!next) next = end;
    size_t part = (size_t)(next - name);
    if (!part) return !(is_folder && next == end && length);
    if (name[0] == '.' && (part == 1 || (part == 2 && name[1] == '.') || (part == 4 && strncasecmp(name, ".git", 4) == 0))) return true;
  }
  return false;
}

/* The name that begins there; how long its entry is, or 0. Only a name that is asked for, or that the next one may be made of, is kept. */
static size_t read_name(struct index *index, const unsigned char *entry, size_t fixed, size_t seen, bool is_wanted, bool is_folder) {
  const unsigned char *from = entry + fixed, *end = entry + seen;
  if (index->version < 4) index->length = 0;
  else if (!shorten(index, &from, end)) return 0;
  index->begins_block = false;
  const unsigned char *last = from < end ? memchr(from, '\0', (size_t)(end - from)) : NULL;
  size_t length = last ? (size_t)(last - from) : 0;
  if (!last || index->length + length >= sizeof index->name) return 0;
  if (is_wanted || index->version >= 4) memcpy(index->name + index->length, from, length + 1);
  index->length += length;
  if (index->length) index->leads_out |= is_no_name(index->version < 4 ? (const char *)from : index->name, index->length, is_folder);
  size_t used = (size_t)(last - entry);
  return index->version < 4 ? (used + 8) / 8 * 8 : used + 1;
}

enum part { WHOLE, SPLIT, ODD };

/* The extensions lie between the entries and the checksum. Of a split index the other part is in another file, which one of them names. */
static enum part part_of(struct index *index, size_t id_size) {
  const unsigned char *extension;
  enum part part = WHOLE;
  size_t at = index->at, seen, end = index->size < id_size ? 0 : index->size - id_size;
  while (at < end) {
    if (!(extension = look_at(index, at, &seen)) || seen < 8) return ODD;
    size_t length = number(extension + 4);
    if (length > end - at - 8) return ODD;
    if (memcmp(extension, "link", 4) == 0) {
      if (length < id_size || seen < 8 + id_size || part == SPLIT) return ODD;
      memcpy(index->other, extension + 8, id_size);
      part = SPLIT;
    }
    /* Where it begins with them, if it is asked to. */
    if (memcmp(extension, "EOIE", 4) == 0 && (length < 4 || seen < 12 || number(extension + 8) != index->at)) return ODD;
    if (memcmp(extension, "IEOT", 4) == 0) {
      if (length < 4 || index->blocks.at) return ODD;
      index->blocks = (struct blocks){.at = at + 12, .end = at + 8 + length};
    }
    at += 8 + length;
  }
  return at == end ? part : ODD;
}

static bool next_block(struct index *index, struct blocks *blocks, size_t offset) {
  size_t seen;
  if (blocks->left) return blocks->left--, true;
  const unsigned char *block = blocks->at + 8 <= blocks->end ? look_at(index, blocks->at, &seen) : NULL;
  if (!block || seen < 8 || number(block) != offset || !number(block + 4)) return false;
  blocks->at += 8;
  blocks->left = number(block + 4) - 1;
  index->begins_block = true;
  return true;
}

static enum part read_entries(struct index *index, size_t id_size, git_link *take, void *context, struct blocks *blocks) {
  size_t seen, length;
  const unsigned char *entry = look_at(index, 0, &seen);
  uint32_t count = entry ? number(entry + 8) : 0;
  if (!entry) return ODD;
  index->at = HEADER;
  index->length = 0;
  for (uint32_t i = 0; i < count; i++, index->at += length) {
    size_t fixed = ID_AT + id_size + 2;
    if (blocks && !next_block(index, blocks, index->at)) return ODD;
    if (!(entry = look_at(index, index->at, &seen)) || seen < fixed + 2) return ODD;
    uint32_t kind = number(entry + MODE_AT) & S_IFMT;
    bool is_link = kind == (S_IFDIR | S_IFLNK) || index->takes_all;
    if (entry[fixed - 2] & (HAS_MORE_FLAGS >> 8)) fixed += 2;
    if (!(length = read_name(index, entry, fixed, seen, is_link || kind == S_IFDIR, kind == S_IFDIR))) return ODD;
    if (!is_link && kind != S_IFREG && kind != S_IFLNK && kind != S_IFDIR) return ODD;
    if (blocks) continue;
    if (!index->length) index->has_nameless |= is_link;
    if ((!is_link && kind != S_IFDIR) || !index->length) continue;
    if (!take(context, index->name, kind == S_IFDIR)) return ODD;
    /* It has an index of its own, which was in the window since. */
    index->from = index->to = 0;
  }
  if (blocks) return blocks->left || blocks->at != blocks->end ? ODD : WHOLE;
  return part_of(index, id_size);
}

static int open_index(int git, const char *name, struct index *index) {
  struct stat found;
  size_t seen;
  int fd = openat(git, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return -1;
  *index = (struct index){.fd = fd};
  bool is_one = fstat(fd, &found) == 0 && S_ISREG(found.st_mode) && found.st_size >= HEADER && found.st_size <= LARGEST_INDEX;
  index->size = is_one ? (size_t)found.st_size : 0;
  const unsigned char *header = is_one ? look_at(index, 0, &seen) : NULL;
  index->version = header && memcmp(header, "DIRC", 4) == 0 ? number(header + 4) : 0;
  if (index->version >= 2 && index->version <= 4) return fd;
  close(fd);
  return -1;
}

static enum part read_whole(struct index *index, size_t id_size, git_link *take, void *context) {
  enum part part = read_entries(index, id_size, take, context, NULL);
  struct blocks blocks = index->blocks;
  return part != ODD && blocks.at && read_entries(index, id_size, take, context, &blocks) == ODD ? ODD : part;
}

/* An empty name is no entry of it but one that stands in for another: in a part that is whole git has none. */
static bool read_other(int git, const struct index *first, size_t id_size, git_link *take, void *context) {
  static const char digits[] = "0123456789abcdef";
  char name[sizeof "sharedindex." + 2 * LONGEST_ID] = "sharedindex.";
  struct index index;
  bool is_named = false;
  for (size_t i = 0, at = strlen(name); i < id_size; i++) {
    is_named |= first->other[i] != 0;
    name[at++] = digits[first->other[i] >> 4];
    name[at++] = digits[first->other[i] & 15];
  }
  if (!is_named) return !first->has_nameless;
  if (open_index(git, name, &index) < 0) return false;
  index.takes_all = first->has_nameless;
  bool whole = read_whole(&index, id_size, take, context) == WHOLE && !index.has_nameless;
  close(index.fd);
  return whole && !index.leads_out;
}

/* How long ids are; 0 where that is said more than once, or in a way that git does not know: what it then takes may change with its version. */
static size_t id_size_in(int folder) {
  struct git_config config;
  struct slice text = git_read_through(folder, git_configurations[0]);
  size_t size = 0;
  if (!text.text) return faccessat(folder, git_configurations[0], F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : 20;
  if (!git_parse(text, &config)) return 0;
  for (size_t i = 0; i < config.count; i++) {
    const struct git_entry *entry = &config.entries[i];
    if (strcmp(entry->stem, "extensions.") != 0 || strcmp(entry->key, "objectformat") != 0) continue;
    bool is_long = entry->value && strcmp(entry->value, "sha256") == 0;
    if (size || (!is_long && !(entry->value && strcmp(entry->value, "sha1") == 0))) return 0;
    size = is_long ? 32 : 20;
  }
  return size ? size : 20;
}

/* The one reading that git takes too. What names lead to would be another thing in another. */
bool git_links(int git, int common, git_link *take, void *context) {
  struct stat found;
  struct index index;
  if (fstatat(git, "index", &found, AT_SYMLINK_NOFOLLOW) != 0) return true;
  if (open_index(git, "index", &index) < 0) return false;
  size_t id_size = id_size_in(common);
  enum part part = id_size ? read_whole(&index, id_size, take, context) : ODD;
  close(index.fd);
  if (part == ODD || index.leads_out) return false;
  return part == SPLIT ? read_other(git, &index, id_size, take, context) : !index.has_nameless;
}
