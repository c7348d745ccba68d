#include "written.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LAYERS = 4, MOST_FILES = 1000, MOST_DEPTH = 16, LONGEST_EXAMPLE = 1024, LONGEST_SHOWN = 200 };

static struct {
  int folders[MOST_LAYERS];
  char *targets[MOST_LAYERS];
  size_t count, files;
  char example[LONGEST_EXAMPLE];
} written;

void written_note(int upper, const char *target) {
  if (written.count == MOST_LAYERS || !isatty(STDERR_FILENO)) return;
  written.folders[written.count] = fcntl(upper, F_DUPFD_CLOEXEC, 3);
  written.targets[written.count++] = text_keep(target);
}

int written_keep_open(int first) {
  for (size_t i = 0; i < written.count; i++) {
    int moved = fcntl(written.folders[i], F_DUPFD_CLOEXEC, first + 2 * MOST_LAYERS);
    if (moved < 0 || dup3(moved, first + (int)i, O_CLOEXEC) < 0) refuse("the layer could not be set up: ", error_text(errno), NULL);
    written.folders[i] = first + (int)i;
  }
  return first + (int)written.count;
}

/* Programs write these by themselves, and nobody misses them. */
static bool is_of_programs(const char *name) {
  static const char *const names[] = {".cache", ".npm", ".local", ".config", ".cargo", ".rustup", ".gradle", ".m2", ".pyenv"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], name) == 0) return true;
  return strstr(name, "hist") != NULL;
}

static void count_in(int at, const char *name, const char *path, size_t depth) {
  int folder = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR *listing = folder < 0 ? NULL : fdopendir(folder);
  if (!listing) return;
  for (struct dirent *entry; written.files < MOST_FILES && (entry = readdir(listing));) {
    struct stat found;
    char whole[LONGEST_EXAMPLE];
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || (!depth && is_of_programs(entry->d_name))) continue;
    if (fstatat(folder, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if ((size_t)snprintf(whole, sizeof whole, "%s/%s", path, entry->d_name) >= sizeof whole) continue;
    if (S_ISDIR(found.st_mode) && depth < MOST_DEPTH) count_in(folder, entry->d_name, whole, depth + 1);
    if (!S_ISREG(found.st_mode)) continue;
    if (!written.files++) memcpy(written.example, whole, sizeof whole);
  }
  closedir(listing);
}

void written_tell(void (*tell)(const char *line)) {
  char line[400];
  for (size_t i = 0; i < written.count; i++) count_in(written.folders[i], ".", written.targets[i], 0);
  if (!written.files) return;
  snprintf(line, sizeof line, "%zu%s file%s written outside the workspace %s not kept: %.*s%s (--write FOLDER keeps what is written there)",
           written.files, written.files == MOST_FILES ? " or more" : "", written.files == 1 ? "" : "s",
           written.files == 1 ? "is" : "are", LONGEST_SHOWN, written.example, written.files > 1 ? ", ..." : "");
  tell(line);
}
