#include "launch.h"

#include <sys/stat.h>

static enum entry_kind kind_of(const char *path) {
  struct stat found;
  if (lstat(path, &found) != 0) return ENTRY_ABSENT;
  return S_ISREG(found.st_mode) ? ENTRY_FILE : S_ISDIR(found.st_mode) ? ENTRY_DIR : ENTRY_OTHER;
}

static bool is_same(const struct source *source) {
  struct stat now;
  if (stat(source->path, &now) != 0) return false;
  uint64_t modified_ns = (uint64_t)now.st_mtim.tv_sec * 1000000000u + (uint64_t)now.st_mtim.tv_nsec;
  return now.st_dev == source->device && now.st_ino == source->inode && (uint64_t)now.st_size == source->size &&
         modified_ns == source->modified_ns;
}

const char *stale_path(const struct plan *plan) {
  for (size_t i = 0; i < plan->source_count; i++)
    if (!is_same(&plan->sources[i])) return plan->sources[i].path;
  for (size_t i = 0; i < plan->expectation_count; i++)
    if (kind_of(plan->expectations[i].path) != plan->expectations[i].kind) return plan->expectations[i].path;
  return NULL;
}
