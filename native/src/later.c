#include "later.h"

#include "protocol.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char word[] = "\nlater\n", last[] = "\nend\n";
enum { CHUNK = 32 << 10 };

static struct incoming rest;

/* No field has a newline in it, so nothing but the instruction looks like this. */
static char *end_of_first(const struct incoming *plan) {
  char *text = plan->text.text;
  char *end = plan->text.length ? memmem(text, plan->text.length, last, sizeof last - 1) : NULL;
  return end && memmem(text, (size_t)(end - text) + 1, word, sizeof word - 1) ? end + sizeof last - 1 : NULL;
}

bool later_has_first(const struct incoming *plan) { return end_of_first(plan) != NULL; }

void later_split(struct incoming *plan) {
  char *end = end_of_first(plan);
  if (!end) return;
  size_t length = (size_t)(end - plan->text.text);
  incoming_add(&rest, (struct slice){end, plan->text.length - length});
  explicit_bzero(end, plan->text.length - length);
  plan->text.length = length;
}

/* As it came: it is decoded in place, once on either side. Where nobody listens any more, that is noticed soon. */
static void hand_on(int control) {
  size_t length = rest.text.length;
  send(control, &length, sizeof length, MSG_NOSIGNAL);
  for (size_t at = 0; at < length; at += CHUNK)
    if (send(control, rest.text.text + at, length - at < CHUNK ? length - at : CHUNK, MSG_NOSIGNAL) < 0) return;
}

bool later_take(struct launch *launch, int control) {
  while (incoming_take(&rest, status_descriptor()) != INCOMING_END) continue;
  if (!rest.text.length) return false;
  clock_gettime(CLOCK_MONOTONIC, &launch->started);
  hand_on(control);
  plan_go_on(&launch->plan, rest.text);
  launch_equip(launch, NULL, 0);
  launch_note(launch);
  return true;
}

static bool receive(int control, char *bytes, size_t length) {
  for (size_t got = 0; got < length;) {
    ssize_t more = recv(control, bytes + got, length - got, 0);
    if (more <= 0) return false;
    got += (size_t)more;
  }
  return true;
}

void later_hear(struct launch *launch, int control) {
  struct report ready = {.kind = REPORT_READY};
  size_t length;
  if (send(control, &ready, sizeof ready, MSG_NOSIGNAL) != (ssize_t)sizeof ready) _exit(EXIT_OWN_FAILURE);
  if (!receive(control, (char *)&length, sizeof length)) _exit(EXIT_OWN_FAILURE);
  struct slice text = {.text = allot(length + 1, 1), .length = length};
  if (!receive(control, text.text, length)) _exit(EXIT_OWN_FAILURE);
  plan_go_on(&launch->plan, text);
  launch_equip(launch, NULL, 0);
}
