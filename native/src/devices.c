#include "mount.h"
#include "view.h"

#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

/* ── /dev ── */

static int bound(const char *path) {
  int fd = openat(AT_FDCWD, path, O_PATH | O_NOFOLLOW | O_CLOEXEC), tree = fd < 0 ? -1 : tree_of(fd, false);
  if (fd >= 0) close(fd);
  return tree;
}

static const char *const device_names[DEVICES] = {"null", "zero", "full", "random", "urandom", "tty"};

static void add_device(struct devices *devices, size_t i, const char *path) {
  devices->trees[i] = bound(path);
  if (devices->trees[i] < 0 && errno != ENOENT) refuse(path, ": ", error_text(errno), NULL);
}

/* The terminal the command talks to is a device of the machine's own terminals, which it does not see otherwise. */
static int own_terminal_tree(void) {
  char path[64];
  for (int fd = 0; fd <= STDERR_FILENO; fd++)
    if (isatty(fd) && ttyname_r(fd, path, sizeof path) == 0) return bound(path);
  return -1;
}

void open_devices(struct devices *devices) {
  for (size_t i = 0; i < DEVICES; i++) add_device(devices, i, joined("/dev", device_names[i]));
  devices->console = own_terminal_tree();
}

static void link_to(int folder, const char *text, const char *name) {
  if (symlinkat(text, folder, name) != 0) refuse("/dev/", name, ": ", error_text(errno), NULL);
}

static void place_device(int dev, const char *name, int tree) {
  if (tree < 0) return;
  int made = openat(dev, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (made < 0) refuse("/dev/", name, ": ", error_text(errno), NULL);
  close(made);
  tree_place(tree, openat(dev, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
}

static void require(int result, const char *what) {
  if (result == 0) return;
  if (errno == EPERM || errno == EACCES) lack(what, ": ", error_text(errno), NULL);
  refuse("the barrier could not be set up: ", what, ": ", error_text(errno), NULL);
}

void place_dev(const struct view *view, const struct devices *devices, uint64_t shared_memory) {
  tree_place(private_folder(view, 0755, 0), open_target("/dev", true));
  int dev = openat(AT_FDCWD, "/dev", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (size_t i = 0; i < DEVICES; i++) place_device(dev, device_names[i], devices->trees[i]);
  place_device(dev, "console", devices->console);
  mkdirat(dev, "pts", 0755);
  mkdirat(dev, "shm", 0755);
  mkdirat(dev, "mqueue", 0755);
  require(mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620"), "devpts");
  tree_place(private_folder(view, 01777, shared_memory), openat(dev, "shm", O_PATH | O_CLOEXEC));
  if (mount("mqueue", "/dev/mqueue", "mqueue", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) unlinkat(dev, "mqueue", AT_REMOVEDIR);
  link_to(dev, "pts/ptmx", "ptmx");
  link_to(dev, "/proc/self/fd", "fd");
  link_to(dev, "fd/0", "stdin");
  link_to(dev, "fd/1", "stdout");
  link_to(dev, "fd/2", "stderr");
  close(dev);
  struct mount_attributes read_only = {.set = MOUNT_ATTR_RDONLY_};
  syscall(SYS_mount_setattr_, AT_FDCWD, "/dev", 0, &read_only, sizeof read_only);
}

/* ── /proc ── */

/* Parts that root could steer the machine with. For others they are closed anyway, and covering them would keep nested sandboxes from a /proc of their own. */
const char *const steering[STEERING] = {"/proc/sys", "/proc/sysrq-trigger", "/proc/fs", "/proc/acpi", "/proc/scsi", "/proc/irq", "/proc/bus"};

void place_proc(void) {
  require(mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL), "a /proc of its own");
}

void close_proc_to_root(void) {
  for (size_t i = 0; i < STEERING && getuid() == 0; i++) {
    int tree = bound(steering[i]);
    if (tree < 0) continue;
    tree_restrict(tree, false, MOUNT_ATTR_RDONLY_);
    tree_place(tree, openat(AT_FDCWD, steering[i], O_PATH | O_NOFOLLOW | O_CLOEXEC));
  }
}

/* ── /run ── */

/* Of /run only what programs need: no daemon is asked through it. */
const char *const needed_in_run[NEEDED_IN_RUN] = {"/run/current-system", "/run/booted-system", "/run/wrappers", "/run/opengl-driver"};

void open_run(struct view *view) {
  for (size_t i = 0; i < NEEDED_IN_RUN; i++) {
    int fd = openat(AT_FDCWD, needed_in_run[i], O_PATH | O_CLOEXEC), tree = fd < 0 ? -1 : tree_of(fd, true);
    if (tree < 0) continue;
    tree_restrict(tree, true, MOUNT_ATTR_RDONLY_);
    add_place_at(view, PLACE_READ, (char *)needed_in_run[i], tree)->is_folder = true;
    close(fd);
  }
  if (view->plan->places.network == NETWORK_NAMES) return;
  int resolver = openat(AT_FDCWD, "/etc/resolv.conf", O_PATH | O_CLOEXEC);
  char *path = resolver < 0 ? NULL : path_of(resolver);
  struct stat found;
  if (path && below("/run", path) && fstat(resolver, &found) == 0 && S_ISREG(found.st_mode)) {
    int tree = tree_of(resolver, false);
    if (tree >= 0) tree_restrict(tree, false, MOUNT_ATTR_RDONLY_);
    if (tree >= 0) add_place_at(view, PLACE_READ, path, tree);
  }
  if (resolver >= 0) close(resolver);
}

void place_run(const struct view *view) {
  char user[32];
  tree_place(private_folder(view, 0755, 0), open_target("/run", true));
  snprintf(user, sizeof user, "/run/user/%u", (unsigned)getuid());
  if (mkdir("/run/user", 0755) != 0 || mkdir(user, 0700) != 0 || mkdir("/run/lock", 01777) != 0)
    refuse("/run: ", error_text(errno), NULL);
  if (symlink("/dev/shm", "/run/shm") != 0) refuse("/run: ", error_text(errno), NULL);
}
