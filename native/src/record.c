#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WAITING = 256 * 1024, LAST_LINE = 64 };
static const char first_line[] = "cordon-changes 1\n";

void record_begin(struct record *record, int folder, const char *launch, uint64_t room) {
  *record = (struct record){.file = -1, .folder = folder, .room = room, .error = folder < 0 ? -folder : 0};
  snprintf(record->name, sizeof record->name, "%s", launch);
  snprintf(record->partial, sizeof record->partial, ".part-%s", launch);
}

/* The first reason is the reason. */
static void fail(struct record *record) {
  if (!record->error) record->error = errno ? errno : EIO;
}

static void write_waiting(struct record *record) {
  if (record->waiting.length && !write_whole(record->file, record->waiting.data, record->waiting.length)) fail(record);
  record->waiting.length = 0;
}

static void put(struct record *record, const char *bytes, size_t length) {
  if (record->waiting.length + length > WAITING) write_waiting(record);
  if (length > WAITING) {
    if (!write_whole(record->file, bytes, length)) fail(record);
  } else {
    text_add_bytes(&record->waiting, bytes, length);
  }
  record->at += length;
}

static bool begin_file(struct record *record) {
  if (record->file >= 0 || record->error) return !record->error;
  record->file = openat(record->folder, record->partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (record->file < 0) {
    fail(record);
    return false;
  }
  text_make_room(&record->waiting, WAITING);
  put(record, first_line, sizeof first_line - 1);
  return true;
}

bool record_content(struct record *record, int file, uint64_t size, uint64_t *at) {
  static char bytes[64 * 1024];
  if (!begin_file(record) || size > record->room) return false;
  *at = record->at;
  for (uint64_t left = size; left;) {
    ssize_t got = pread(file, bytes, left < sizeof bytes ? (size_t)left : sizeof bytes, (off_t)(size - left));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    put(record, bytes, (size_t)got);
    left -= (uint64_t)got;
  }
  record->room -= size;
  return !record->error;
}

static void add_key(struct record *record, const char *key) {
  text_add(&record->lines, record->lines.length && record->lines.data[record->lines.length - 1] != '\n' ? ",\"" : "{\"");
  text_add(&record->lines, key);
  text_add(&record->lines, "\":");
}

/* One character for each byte, so that any name can be had back as it was. */
void record_text(struct record *record, const char *key, const char *bytes) {
  static const char digits[] = "0123456789abcdef";
  add_key(record, key);
  text_add(&record->lines, "\"");
  for (; *bytes; bytes++) {
    unsigned char byte = (unsigned char)*bytes;
    char escaped[6] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
    bool is_plain = byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
    text_add_bytes(&record->lines, is_plain ? bytes : escaped, is_plain ? 1 : sizeof escaped);
  }
  text_add(&record->lines, "\"");
}

void record_number(struct record *record, const char *key, uint64_t number) {
  add_key(record, key);
  text_add_number(&record->lines, number);
}

static void add_time(struct record *record, const char *key, const struct timespec *time) {
  text_add(&record->lines, key);
  text_add_number(&record->lines, (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec);
  text_add(&record->lines, "\"");
}

static const char *kind_of(mode_t mode) {
  if (S_ISREG(mode)) return "file";
  if (S_ISDIR(mode)) return "folder";
  return S_ISLNK(mode) ? "link" : "other";
}

void record_identity(struct record *record, const char *key, const struct stat *found) {
  add_key(record, key);
  text_add(&record->lines, "{\"kind\":\"");
  text_add(&record->lines, kind_of(found->st_mode));
  text_add(&record->lines, "\",\"device\":");
  text_add_number(&record->lines, (uint64_t)found->st_dev);
  text_add(&record->lines, ",\"inode\":\"");
  text_add_number(&record->lines, (uint64_t)found->st_ino);
  text_add(&record->lines, "\",\"size\":");
  text_add_number(&record->lines, (uint64_t)found->st_size);
  text_add(&record->lines, ",\"mode\":");
  text_add_number(&record->lines, found->st_mode & 07777);
  add_time(record, ",\"modified\":\"", &found->st_mtim);
  add_time(record, ",\"changed\":\"", &found->st_ctim);
  text_add(&record->lines, "}");
}

void record_end_line(struct record *record) {
  text_add(&record->lines, "}\n");
  record->count++;
}

/* Not synced to the disk: a file that a power cut shortened has no last line, and is said to be damaged. */
bool record_finish(struct record *record) {
  char last[LAST_LINE + 1];
  if (!record->count) return true;
  if (begin_file(record)) {
    uint64_t lines_at = record->at;
    put(record, record->lines.data, record->lines.length);
    snprintf(last, sizeof last, "end %020llu %020llu                  \n", (unsigned long long)lines_at, (unsigned long long)record->count);
    put(record, last, LAST_LINE);
    write_waiting(record);
  }
  if (!record->error && renameat(record->folder, record->partial, record->folder, record->name) != 0) fail(record);
  if (record->file >= 0) close(record->file);
  if (record->error && record->file >= 0) unlinkat(record->folder, record->partial, 0);
  text_free(&record->lines);
  text_free(&record->waiting);
  return !record->error;
}
