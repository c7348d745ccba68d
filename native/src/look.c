#include "look.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static char *mounts;

static char *whole_file(const char *path) {
  struct text text = {0};
  char part[4096];
  int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  for (ssize_t got; fd >= 0 && (got = read(fd, part, sizeof part)) > 0;) text_add_bytes(&text, part, (size_t)got);
  if (fd >= 0) close(fd);
  text_add_bytes(&text, "", 1);
  return text.data;
}

static const char *kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return "file";
    case S_IFDIR: return "folder";
    case S_IFLNK: return "link";
    case S_IFSOCK: return "socket";
    case S_IFIFO: return "pipe";
    default: return "device";
  }
}

/* Also a name behind a folder that may not be entered: nobody inside can tell what is there. */
static const char *kind_at(const char *path) {
  struct stat found;
  if (fstatat(AT_FDCWD, path, &found, 0) == 0) return kind_of(found.st_mode);
  if (errno == EACCES) return "closed";
  return fstatat(AT_FDCWD, path, &found, AT_SYMLINK_NOFOLLOW) == 0 ? "link" : "absent";
}

static bool may(const char *path, int access) { return faccessat(AT_FDCWD, path, access, AT_EACCESS) == 0; }

/* The nearest folder on the way that is there. */
static char *nearest_of(const char *path) {
  char *at = allot_text(path, strlen(path));
  struct stat found;
  while (fstatat(AT_FDCWD, at, &found, 0) != 0) {
    char *slash = strrchr(at, '/');
    if (!slash || slash == at) return (char *)"/";
    *slash = '\0';
  }
  return at;
}

static long mount_number(const char *path) {
  char name[64];
  int fd = openat(AT_FDCWD, path, O_PATH | O_CLOEXEC);
  if (fd < 0) return -1;
  snprintf(name, sizeof name, "/proc/self/fdinfo/%d", fd);
  char *info = whole_file(name), *line = strstr(info, "mnt_id:");
  long number = line ? strtol(line + 7, NULL, 10) : -1;
  free(info);
  close(fd);
  return number;
}

/* A space, tab, newline or backslash stands as three octal digits there. */
static void add_unescaped(struct text *text, const char *field, size_t length) {
  struct text plain = {0};
  for (size_t i = 0; i < length; i++) {
    char byte = field[i];
    if (byte == '\\' && i + 3 < length) {
      byte = (char)((field[i + 1] - '0') << 6 | (field[i + 2] - '0') << 3 | (field[i + 3] - '0'));
      i += 3;
    }
    text_add_bytes(&plain, &byte, 1);
  }
  text_add_json(text, plain.data ? plain.data : "", plain.length);
  text_free(&plain);
}

/* `36 35 98:0 /root /point options - type source options` */
static void add_mount(struct text *line, const char *path) {
  long wanted = mount_number(path);
  for (char *at = mounts; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
    if (strtol(at, NULL, 10) != wanted) continue;
    const char *point = at;
    for (int i = 0; i < 4; i++) point += strcspn(point, " ") + 1;
    const char *type = strstr(point, " - ");
    if (!type) return;
    type += 3;
    text_add(line, ",\"mount\":");
    add_unescaped(line, point, strcspn(point, " "));
    text_add(line, ",\"filesystem\":");
    text_add_json(line, type, strcspn(type, " "));
    return;
  }
}

static void add_answer(struct text *line, const char *path) {
  const char *near = nearest_of(path);
  text_add(line, "{\"kind\":\"");
  text_add(line, kind_at(path));
  text_add(line, "\",\"read\":");
  text_add(line, may(path, R_OK) ? "true" : "false");
  text_add(line, ",\"write\":");
  text_add(line, may(near, W_OK) ? "true" : "false");
  text_add(line, ",\"near\":");
  text_add_json(line, near, strlen(near));
  add_mount(line, near);
  text_add(line, "}\n");
}

_Noreturn void look(const char *isolation, char **paths) {
  struct text lines = {0};
  /* Its own files in /proc are closed to a process that nobody may look into; this one ends right away. */
  prctl(PR_SET_DUMPABLE, 1);
  mounts = whole_file("/proc/self/mountinfo");
  text_add(&lines, "{\"isolation\":\"");
  text_add(&lines, isolation);
  text_add(&lines, "\"}\n");
  for (; *paths; paths++) add_answer(&lines, *paths);
  _exit(write_whole(STDOUT_FILENO, lines.data, lines.length) ? 0 : EXIT_OWN_FAILURE);
}
