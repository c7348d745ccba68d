#include "git.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Which folders git takes for repositories of their own: `git status` starts a git in each, which then reads settings from there.
 * The index alone says which they are.
 */

enum { LARGEST_INDEX = 64 << 20, HEADER = 12, MODE_AT = 24, ID_AT = 40, HAS_MORE_FLAGS = 0x4000 };

static uint32_t number(const unsigned char *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

struct index {
  const unsigned char *bytes;
  size_t size, at, length;
  uint32_t version;
  char name[PATH_MAX];
};

/* How much of the last name is not this one's; as git packs numbers. */
static bool shorten(struct index *index) {
  size_t less = 0;
  for (bool more = true; more;) {
    if (index->at == index->size || less > PATH_MAX) return false;
    unsigned char byte = index->bytes[index->at++];
    more = byte & 128;
    less = (less << 7) + (byte & 127) + more;
  }
  if (less > index->length) return false;
  index->length -= less;
  return true;
}

static bool read_name(struct index *index, size_t start) {
  if (index->version < 4) index->length = 0;
  else if (!shorten(index)) return false;
  const unsigned char *from = index->bytes + index->at;
  const unsigned char *end = index->at < index->size ? memchr(from, '\0', index->size - index->at) : NULL;
  size_t length = end ? (size_t)(end - from) : 0;
  if (!end || index->length + length >= sizeof index->name) return false;
  memcpy(index->name + index->length, from, length);
  index->length += length;
  index->name[index->length] = '\0';
  index->at += length + 1;
  if (index->version < 4) index->at = start + (index->at - 1 - start + 8) / 8 * 8;
  return true;
}

/* The other part of a split index is in another file, and entries here may have no name. */
static bool is_split(const struct index *index, size_t id_size) {
  for (size_t at = index->at; at < index->size && index->size - at >= id_size + 8; at += 8 + (size_t)number(index->bytes + at + 4))
    if (memcmp(index->bytes + at, "link", 4) == 0) return true;
  return false;
}

static bool read_entries(struct index *index, size_t id_size, git_link *take, void *context) {
  size_t fixed = ID_AT + id_size + 2;
  uint32_t count = number(index->bytes + 8);
  index->at = HEADER;
  index->length = 0;
  for (uint32_t i = 0; i < count; i++) {
    size_t start = index->at;
    if (start > index->size || index->size - start < fixed + 2) return false;
    uint32_t kind = number(index->bytes + start + MODE_AT) & S_IFMT;
    bool more = index->bytes[start + fixed - 2] & (HAS_MORE_FLAGS >> 8);
    index->at += fixed + (more ? 2 : 0);
    if (!read_name(index, start) || !index->length) return false;
    if (kind == (S_IFDIR | S_IFLNK)) take(context, index->name);
    else if (kind != S_IFREG && kind != S_IFLNK && kind != S_IFDIR) return false;
  }
  return !is_split(index, id_size);
}

/* With both sizes of object names: which it is stands in settings that the command could have changed. */
static bool read_index(int fd, size_t size, git_link *take, void *context) {
  unsigned char *bytes = malloc(size);
  struct index index = {.bytes = bytes, .size = size};
  size_t got = 0;
  for (ssize_t more; bytes && got < size && (more = read(fd, bytes + got, size - got)) > 0;) got += (size_t)more;
  bool known = bytes && got == size && memcmp(bytes, "DIRC", 4) == 0;
  if (known) index.version = number(bytes + 4);
  known = known && index.version >= 2 && index.version <= 4;
  bool is_short = known && read_entries(&index, 20, take, context), is_long = known && read_entries(&index, 32, take, context);
  free(bytes);
  return is_short || is_long;
}

bool git_links(int git, git_link *take, void *context) {
  struct stat found;
  int fd = openat(git, "index", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return fstatat(git, "index", &found, AT_SYMLINK_NOFOLLOW) != 0;
  bool whole = fstat(fd, &found) == 0 && S_ISREG(found.st_mode) && found.st_size >= HEADER && found.st_size <= LARGEST_INDEX &&
               read_index(fd, (size_t)found.st_size, take, context);
  close(fd);
  return whole;
}
