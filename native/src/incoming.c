#include "incoming.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST = 64 << 20, CHUNK = 64 << 10 };
static const char last[] = "\nend\n";

/* One byte more than was read is always there: the parser ends its last field in it. */
static void make_room(struct incoming *incoming, size_t more) {
  if (incoming->text.length + more < incoming->capacity) return;
  while (incoming->capacity <= incoming->text.length + more) incoming->capacity = incoming->capacity ? incoming->capacity * 2 : 4 * CHUNK;
  char *larger = allot(incoming->capacity, 1);
  if (incoming->text.length) memcpy(larger, incoming->text.text, incoming->text.length);
  incoming->text.text = larger;
}

enum incoming_state incoming_take(struct incoming *incoming, int fd) {
  make_room(incoming, CHUNK);
  ssize_t got = read(fd, incoming->text.text + incoming->text.length, CHUNK);
  if (got < 0 && errno == EINTR) return INCOMING_MORE;
  if (got < 0 && errno == EAGAIN) return INCOMING_WAIT;
  if (got < 0) refuse("the plan could not be read: ", error_text(errno), NULL);
  incoming->text.length += (size_t)got;
  if (incoming->text.length > LARGEST) refuse("the plan is too large", NULL);
  return got ? INCOMING_MORE : INCOMING_END;
}

void incoming_add(struct incoming *incoming, struct slice more) {
  if (!more.length) return;
  make_room(incoming, more.length);
  memcpy(incoming->text.text + incoming->text.length, more.text, more.length);
  incoming->text.length += more.length;
}

bool incoming_has_plan(const struct incoming *incoming) {
  return incoming->text.length && memmem(incoming->text.text, incoming->text.length, last, sizeof last - 1);
}

bool incoming_is_whole(const struct incoming *incoming) {
  const struct slice *text = &incoming->text;
  size_t length = sizeof last - 1;
  return text->length >= length && memcmp(text->text + text->length - length, last, length) == 0;
}
