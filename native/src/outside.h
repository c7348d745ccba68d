#ifndef CORDON_OUTSIDE_H
#define CORDON_OUTSIDE_H

#include "plan.h"
#include "watch.h"

#include <poll.h>
#include <sys/socket.h>

/*
 * The network by name. The sandbox has a loopback device and nothing else; listeners on it are made inside and handed to
 * the supervisor, which starts a process outside at the first connection. Nothing listens on the machine itself.
 */

/* Resolver over UDP and TCP, proxy; then one for each port that the plan names, and a socket with a path where it names one. The kernel
   takes 253 descriptors at once. */
enum { FIXED_LISTENERS = 3, MAX_LISTENERS = FIXED_LISTENERS + MAX_PORTS + 1, RESOLVER_PORT = 53, PROXY_PORT = 17080 };

struct outside {
  int listeners[MAX_LISTENERS];
  size_t count;
  /* What it is told, and how it tells of what was refused; its end of the line closed means it is gone. */
  int task, line;
  /* In a container: where the listeners go, and who takes them has the other end of the line. */
  const char *at;
  struct slice pages;
  char **argv;
  pid_t pid;
  bool wanted, started, lost;
  char said[1024];
  size_t said_length;
  struct text refused;
  size_t refused_count;
};

/* inside: makes the listeners and sends them over the control channel */
void outside_hand_out(int control, const struct places *places);

/* outside */
void outside_begin(struct outside *outside, const struct places *places);
/* False where the message is not what it should be. */
bool outside_take(struct outside *outside, struct msghdr *packet);
bool outside_is_ready(const struct outside *outside);
/* Before what the plan says is wiped. */
void outside_keep(struct outside *outside, const struct places *places, const char *id);
/* Which descriptors are waited for, and what then happens. */
size_t outside_sources(const struct outside *outside, struct pollfd *sources);
void outside_act(struct outside *outside, const struct watch *watch, const struct pollfd *sources, size_t count);
/* At the end of the command: waits for what it still has to say. */
void outside_end(struct outside *outside);
/* On the machine, for a command in a container: takes its listeners at this path, once, and starts the program at the first connection. */
_Noreturn void outside_serve(const char *path, char **words);
/* The hosts that were refused, as they are shown; empty without any. */
const char *outside_refused(const struct outside *outside);

#endif
