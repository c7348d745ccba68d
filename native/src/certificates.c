#include "mount.h"
#include "view.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In an image nobody outside can read. Its own certificates stay trusted: who works there may have servers of its own. */

enum { LARGEST = 4 << 20 };
static const char begin[] = "-----BEGIN CERTIFICATE-----", end[] = "-----END CERTIFICATE-----";

/* A file may hold a key as well, which was not asked for. */
static void add_blocks(struct text *whole, const char *text, size_t length) {
  const char *last = text + length;
  for (const char *at; (at = memmem(text, (size_t)(last - text), begin, sizeof begin - 1)); ) {
    const char *until = memmem(at, (size_t)(last - at), end, sizeof end - 1);
    if (!until) return;
    text = until + sizeof end - 1;
    text_add_bytes(whole, at, (size_t)(text - at));
    text_add(whole, "\n");
  }
}

static bool read_blocks(struct text *whole, int fd) {
  struct stat found;
  if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode) || found.st_size > LARGEST) return false;
  char *text = allot((size_t)found.st_size + 1, 1);
  size_t length = 0;
  for (ssize_t got; length < (size_t)found.st_size && (got = read(fd, text + length, (size_t)found.st_size - length)) > 0;) length += (size_t)got;
  add_blocks(whole, text, length);
  return true;
}

static bool is_among(const struct strings *known, const char *path) {
  for (size_t i = 0; i < known->count; i++)
    if (strcmp(known->items[i], path) == 0) return true;
  return false;
}

/* An image can make any of these a link: what the policy hides is read through none of them. */
static void take_bundle(const struct view *view, const char *path, struct strings *there, struct text *whole) {
  int fd = openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  char *real = fd < 0 ? NULL : path_of(fd);
  if (real && !is_among(there, real) && !view_hides(view, real) && read_blocks(whole, fd)) strings_add(there, real);
  if (fd >= 0) close(fd);
}

void add_certificates(struct view *view) {
  const struct places *places = &view->plan->places;
  struct strings there = {0};
  struct text whole = {0};
  if (!places->certificates.text) return;
  for (size_t i = 1; i < places->bundles.count; i++) take_bundle(view, places->bundles.items[i], &there, &whole);
  text_add_bytes(&whole, places->certificates.text, places->certificates.length);
  strings_add(&there, places->bundles.items[0]);
  for (size_t i = 0; i < there.count; i++) add_file(view, there.items[i], (struct slice){whole.data, whole.length});
}
