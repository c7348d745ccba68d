#include "barrier.h"

#include "changes.h"
#include "ending.h"
#include "frozen.h"
#include "git.h"
#include "input.h"
#include "keeper.h"
#include "kernel.h"
#include "later.h"
#include "masks.h"
#include "mount.h"
#include "protocol.h"
#include "said.h"
#include "trace.h"
#include "view.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_NEWCGROUP
#define CLONE_NEWCGROUP 0x02000000
#endif

enum { LARGEST_MAP = 4096 };

/* As they are outside: inside they are nobody's until they are mapped. */
static uid_t own_uid;
static gid_t own_gid;

/*
 * An ordinary user is the one id inside, under its own number. A program that makes a namespace in there to be root of it may copy
 * the map of the namespace that it is in, if it can (podman does), and is not root then. So there is one more around this one, with
 * nothing else in it, where the id has another number: what can be read inside names nobody there, and cannot be copied.
 */
enum { NUMBER_AROUND = 0 };
static bool is_around;

/* ── who is who inside ── */

static bool write_in(int folder, const char *name, const char *text) {
  int fd = openat(folder, name, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool written = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
  int error = errno;
  close(fd);
  errno = error;
  return written;
}

static bool write_to(const char *path, const char *text) { return write_in(AT_FDCWD, path, text); }

/* Every id that exists here, as itself: root keeps the files it has, without what makes it root. */
static bool map_all(pid_t pid, const char *kind) {
  char path[64], known[LARGEST_MAP], map[LARGEST_MAP];
  snprintf(path, sizeof path, "/proc/self/%s", kind);
  int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? -1 : read(fd, known, sizeof known - 1);
  if (fd >= 0) close(fd);
  if (got <= 0) return false;
  known[got] = '\0';
  size_t length = 0;
  for (char *line = known; line && *line && length < sizeof map - 64;) {
    unsigned inside, outside, count;
    if (sscanf(line, "%u %u %u", &inside, &outside, &count) != 3) return false;
    length += (size_t)snprintf(map + length, sizeof map - length, "%u %u %u\n", inside, inside, count);
    line = strchr(line, '\n');
    line = line ? line + 1 : NULL;
  }
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, kind);
  return write_to(path, map);
}

/* One id, which has this number here. */
static bool map_self(unsigned uid, unsigned gid) {
  char map[64];
  unsigned outer_uid = is_around ? NUMBER_AROUND : (unsigned)own_uid, outer_gid = is_around ? NUMBER_AROUND : (unsigned)own_gid;
  /* The files are root's while nobody may look into this process. What it holds, the command itself is about to hold. */
  prctl(PR_SET_DUMPABLE, 1);
  bool mapped = write_to("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "%u %u 1", uid, outer_uid);
  mapped = mapped && write_to("/proc/self/uid_map", map);
  snprintf(map, sizeof map, "%u %u 1", gid, outer_gid);
  mapped = mapped && write_to("/proc/self/gid_map", map);
  int error = errno;
  prctl(PR_SET_DUMPABLE, 0);
  errno = error;
  return mapped;
}

static char hear_from_supervisor(void) {
  char said;
  if (recv(CONTROL_FD, &said, 1, 0) != 1) _exit(EXIT_OWN_FAILURE);
  return said;
}

static void take_ids(void) {
  if (hear_from_supervisor() == MAP_YOURSELF && !map_self((unsigned)own_uid, (unsigned)own_gid)) lack("ids cannot be mapped in a user namespace: ", error_text(errno), NULL);
}

/* ── limits, so that one sandbox cannot use up what all of a user's share ── */

static bool cap(int limits, const char *name, const char *most) { return write_in(limits, name, most) || errno == ENOENT; }

/*
 * A namespace of control groups lets those be mounted that the command is in, together with the shell outside, or with the limits of a
 * session. They are root's: it could end and stop all that is in them, and lift those limits. Others own none, or, where a service
 * manager gave them some, none that can be written from such a namespace; and sandboxes that they start inside ask for one.
 */
static bool cap_namespaces(void) {
  static const char *const names[] = {"max_user_namespaces", "max_pid_namespaces", "max_mnt_namespaces", "max_net_namespaces",
                                      "max_ipc_namespaces", "max_uts_namespaces", "max_time_namespaces"};
  int limits = openat(AT_FDCWD, "/proc/sys/user", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (limits < 0) return false;
  bool capped = cap(limits, "max_cgroup_namespaces", own_uid == 0 ? "0" : "256");
  for (size_t i = 0; i < sizeof names / sizeof *names && capped; i++) capped = cap(limits, names[i], "256");
  int error = errno;
  if (capped) {
    write_in(limits, "max_inotify_instances", "64");
    write_in(limits, "max_inotify_watches", "262144");
  }
  close(limits);
  errno = error;
  return capped;
}

/*
 * What is covered in a folder that can be written is moved by whoever has a tree of mounts without the cover, to where another mount of the same
 * folder shows it. So nobody inside gets mounts of its own there. Where all of the machine can be written, nothing is kept from it by this.
 */
static void forbid_sandboxes_inside(const struct view *view) {
  if (view->plan->places.root == ROOT_WRITABLE || !(view->covered.count || view->kept_as_is.count)) return;
  int limits = openat(AT_FDCWD, "/proc/sys/user", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (limits < 0 || !cap(limits, "max_user_namespaces", "0")) refuse("what is hidden where the command can write cannot be kept hidden: ", error_text(errno), NULL);
  close(limits);
  /* The folders that are held for it come first. */
  const struct strings *held = view->covered.count ? &view->covered : &view->kept_as_is;
  const char *path = held->items[held->count - 1];
  ending_note_cover(path, view->workspace && below(view->workspace, path));
}

static void raise_loopback(void) {
  struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) != 0) refuse("the loopback device could not be set up: ", error_text(errno), NULL);
  close(fd);
}

/* ── no privileges, now or by any exec ── */

static void drop_capabilities(void) {
  enum { NOROOT = 3, NO_SETUID_FIXUP = 3 << 2, KEEP_CAPS_LOCKED = 1 << 5, NO_AMBIENT = 3 << 6 };
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) refuse("cannot give up privileges: ", error_text(errno), NULL);
  prctl(PR_SET_SECUREBITS, NOROOT | NO_SETUID_FIXUP | KEEP_CAPS_LOCKED | NO_AMBIENT, 0, 0, 0);
  for (int capability = 0; capability <= LAST_CAPABILITY; capability++)
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
      if (errno != EINVAL) refuse("cannot give up capabilities: ", error_text(errno), NULL);
      break;
    }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  struct capability_header header = {.version = CAPABILITY_VERSION_3};
  struct capability_data none[2] = {0};
  if (syscall(SYS_capset, &header, none) != 0) refuse("cannot give up capabilities: ", error_text(errno), NULL);
}

/* ── inside ── */

static void keep_only(int control, int reason) {
  control = fcntl(control, F_DUPFD_CLOEXEC, 64);
  reason = fcntl(reason, F_DUPFD_CLOEXEC, 64);
  dup3(control, CONTROL_FD, O_CLOEXEC);
  dup3(reason, CONTROL_FD + 1, O_CLOEXEC);
  close_descriptors_from((unsigned)trace_keep_open(CONTROL_FD + 2));
  trace_raise();
}

/* So would a folder that is standard input or output. */
static void refuse_folders(void) {
  static const char *const names[] = {"standard input", "standard output", "standard error"};
  struct stat found;
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    if (fstat(fd, &found) == 0 && S_ISDIR(found.st_mode))
      refuse(names[fd], " is a folder, which would lead past the barrier; give it a file, for example /dev/null", NULL);
}

/* By its name once more: what was opened in the machine's own tree of mounts cannot be a layer in this one. */
static int open_aside(const struct barrier *barrier, const struct plan *plan) {
  if (barrier->aside.folder < 0) return -1;
  int parent = openat(AT_FDCWD, plan->places.aside, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int folder = parent < 0 ? -1 : openat(parent, barrier->aside.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (parent >= 0) close(parent);
  return folder;
}

/* The home is a fall-back that nearly always is there; the root always is. */
static void enter_folder(const struct view *view) {
  const char *wanted = view->plan->places.folder ? view->plan->places.folder : view->started_in;
  if (chdir(wanted) == 0) return;
  const char *instead = view->workspace && !view->plan->places.workspace_target ? view->workspace : "/";
  if (chdir(instead) != 0) instead = "/";
  if (chdir(instead) != 0) refuse("/: ", error_text(errno), NULL);
  say(wanted, " is not shown inside: the command starts in ", instead, NULL);
}

static void tell_about_layers(const struct view *view) {
  if (view->is_read_only)
    say("warning: this machine cannot put writes aside: outside the workspace nothing can be written", NULL);
}

/* With no more rights than there are in the end, so that what can be read now can be then. */
static void note_git(const struct view *view) {
  const struct places *places = &view->plan->places;
  const char *workspace = places->workspace_target ? places->workspace_target : view->workspace;
  frozen_note(view);
  if (view->workspace && places->workspace == WORKSPACE_REAL) git_note(workspace, view->shared_git, places->workspace_target ? view->workspace : NULL);
}

static _Noreturn void live_inside(const struct barrier *barrier, struct launch *launch, int control, int reason) {
  sigset_t all;
  struct view view;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0) _exit(EXIT_OWN_FAILURE);
  /* An inherited folder of the machine would lead past every mount. */
  keep_only(control, reason);
  refuse_folders();
  reason_pipe = CONTROL_FD + 1;
  take_ids();
  ending_begin(launch->plan.quiet);
  syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING_, NULL);
  if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) lack("mounts of its own are not allowed: ", error_text(errno), NULL);
  input_take();
  if (launch->plan.places.network != NETWORK_ON) raise_loopback();
  struct arguments_shown shown;
  note_arguments(&shown, launch);
  /* The machine's /proc may be closed, as in a container; its own is not. */
  bool capped = cap_namespaces();
  build_view(&view, launch, open_aside(barrier, &launch->plan));
  if (!capped && !cap_namespaces()) refuse("the number of namespaces inside could not be limited: ", error_text(errno), NULL);
  forbid_sandboxes_inside(&view);
  close_proc_to_root();
  /* A socket with a path lies in the view. */
  if (launch->plan.places.network == NETWORK_NAMES) outside_hand_out(CONTROL_FD, &launch->plan.places);
  enter_folder(&view);
  tell_about_layers(&view);
  mention_arguments(&shown, launch, &view);
  keeper_send(&view, CONTROL_FD);
  drop_capabilities();
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) _exit(EXIT_OWN_FAILURE);
  changes_send(CONTROL_FD);
  /* First those with the lowest numbers, last those that may be any number: none must reach what another has yet to move. */
  close_descriptors_from((unsigned)said_keep_open(input_keep_open(trace_keep_open(keep_masks_open(git_ledger_keep(CONTROL_FD + 1))))));
  if (launch->plan.later) later_hear(launch, CONTROL_FD);
  note_git(&view);
  /* The planner, which holds the caller's environment, is gone by then. */
  if (hear_from_supervisor() != GO_ON) _exit(EXIT_OWN_FAILURE);
  /* From now on the end of the supervisor is noticed on the socket, and git's files are put back even then. */
  prctl(PR_SET_PDEATHSIG, 0);
  inner_begin(launch, &barrier->watch, barrier->terminal.is_lent);
}

/* ── outside ── */

static int namespaces_of(const struct plan *plan) {
  int flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID;
  if (!plan->places.ipc_host) flags |= CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  return plan->places.network != NETWORK_ON ? flags | CLONE_NEWNET : flags;
}

/* The kernel says ENOSPC both where namespaces are switched off and where they are used up. */
static bool are_switched_off(void) {
  char text[16] = "";
  int fd = openat(AT_FDCWD, "/proc/sys/user/max_user_namespaces", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  return got > 0 && strcmp(text, "0\n") == 0;
}

static bool is_lacking(int error) {
  return error == EPERM || error == ENOSYS || error == EINVAL || (error == ENOSPC && are_switched_off());
}

struct inner_ends {
  int control, reason;
};

static pid_t clone_inside(const struct barrier *barrier, struct launch *launch, struct inner_ends ends, int more) {
  int flags = namespaces_of(&launch->plan) | more | SIGCHLD;
  pid_t pid = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
  /* In a sandbox none of control groups is to be had, and the one that it has is nobody's to use. */
  if (pid < 0 && errno == ENOSPC) pid = (pid_t)syscall(SYS_clone, flags & ~CLONE_NEWCGROUP, NULL, NULL, NULL, NULL);
  if (pid == 0) live_inside(barrier, launch, ends.control, ends.reason);
  return pid;
}

static pid_t made_inside;

static _Noreturn void live_around(const struct barrier *barrier, struct launch *launch, struct inner_ends ends) {
  if (unshare(CLONE_NEWUSER) != 0 || !map_self(NUMBER_AROUND, NUMBER_AROUND)) _exit(EXIT_OWN_FAILURE);
  is_around = true;
  made_inside = clone_inside(barrier, launch, ends, CLONE_PARENT);
  _exit(0);
}

/* Its parent is ours, so that it is our child; -1 where it could not be made this way. The one in between shares our memory, which is
   not worth a copy for what it does. */
static pid_t clone_from_around(const struct barrier *barrier, struct launch *launch, struct inner_ends ends) {
  made_inside = -1;
  pid_t around = vfork();
  if (around == 0) live_around(barrier, launch, ends);
  while (around > 0 && waitpid(around, NULL, 0) < 0 && errno == EINTR) continue;
  is_around = false;
  return made_inside;
}

bool start_in_namespaces(struct barrier *barrier, struct launch *launch, struct text *reason) {
  int control[2], reasons[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0 || pipe2(reasons, O_CLOEXEC | O_NONBLOCK) != 0)
    refuse("cannot set up the sandbox: ", error_text(errno), NULL);
  /* Here, since a mount that is written to cannot be made read-only. */
  trace_open(launch->plan.trace);
  own_uid = geteuid();
  own_gid = getegid();
  struct inner_ends ends = {control[1], reasons[1]};
  barrier->child = own_uid == 0 ? -1 : clone_from_around(barrier, launch, ends);
  if (barrier->child < 0) barrier->child = clone_inside(barrier, launch, ends, 0);
  int error = errno;
  close(control[1]);
  close(reasons[1]);
  barrier->control = control[0];
  barrier->errors = reasons[0];
  if (barrier->child < 0) {
    if (!is_lacking(error)) refuse("namespaces could not be made: ", error_text(error), error == ENOSPC ? " (user.max_user_namespaces is used up)" : "", NULL);
    text_add(reason, "user namespaces are not allowed here: ");
    text_add(reason, error_text(error));
    close(control[0]);
    close(reasons[0]);
    return false;
  }
  bool mapped = own_uid == 0 && map_all(barrier->child, "uid_map") && map_all(barrier->child, "gid_map");
  send(barrier->control, &(char){mapped ? MAPPED_OUTSIDE : MAP_YOURSELF}, 1, MSG_NOSIGNAL);
  return true;
}
