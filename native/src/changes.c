#include "changes.h"

#include "aside.h"
#include "masks.h"
#include "mount.h"
#include "protocol.h"
#include "record.h"
#include "view.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum { MOST_LAYERS = 64, MOST_ENTRIES = 100000, LARGEST_INDEX = 64 << 20, DEEPEST = 200, A_DAY = 24 * 60 * 60 };
/* Masks and stand-ins need some room even where nothing more can be kept. */
#define LEAST_QUOTA (UINT64_C(16) << 20)

struct put_aside {
  enum put_aside_kind kind;
  int upper, masks;
  char *path;
};

static struct {
  struct put_aside layers[MOST_LAYERS];
  size_t count;
  char *workspace;
  /* What the plan says, for the end. Paths one after the other, each ending in NUL. */
  struct text hidden, own, saved, comes_back;
  struct come_back_place back;
  /* Below 0: there is none, for this reason. */
  int store;
  int kept_lock;
  uint64_t days, bytes;
  struct timespec started;
} aside = {.store = -1, .kept_lock = -1};

/* ── inside ── */

struct put_aside_message {
  int32_t kind;
  char path[PATH_MAX];
};

void changes_note(enum put_aside_kind kind, const char *path, int upper, int masks) {
  if (aside.count == MOST_LAYERS || strlen(path) >= PATH_MAX) return;
  aside.layers[aside.count++] = (struct put_aside){kind, upper < 0 ? -1 : fcntl(upper, F_DUPFD_CLOEXEC, 3),
                                                   masks < 0 ? -1 : fcntl(masks, F_DUPFD_CLOEXEC, 3), text_keep(path)};
}

static void send_one(int control, const struct put_aside *layer) {
  static struct put_aside_message message;
  _Alignas(struct cmsghdr) char room[CMSG_SPACE(2 * sizeof(int))] = {0};
  int descriptors[2];
  size_t count = 0, length = strlen(layer->path) + 1;
  if (layer->upper >= 0) descriptors[count++] = layer->upper;
  if (layer->masks >= 0) descriptors[count++] = layer->masks;
  message.kind = (int32_t)layer->kind;
  memcpy(message.path, layer->path, length);
  struct iovec bytes = {&message, offsetof(struct put_aside_message, path) + length};
  struct msghdr header = {.msg_iov = &bytes, .msg_iovlen = 1};
  if (count) {
    header.msg_control = room;
    header.msg_controllen = CMSG_SPACE(count * sizeof(int));
    struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
    *rights = (struct cmsghdr){.cmsg_len = CMSG_LEN(count * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(rights), descriptors, count * sizeof(int));
  }
  if (sendmsg(control, &header, MSG_NOSIGNAL) < 0) refuse("the layer could not be set up: ", error_text(errno), NULL);
  for (size_t i = 0; i < count; i++) close(descriptors[i]);
}

void changes_send(int control) {
  for (size_t i = 0; i < aside.count; i++) send_one(control, &aside.layers[i]);
  aside.count = 0;
}

/* ── outside, before the start ── */

static void keep_paths(struct text *kept, const struct strings *paths) {
  for (size_t i = 0; i < paths->count; i++) text_add_bytes(kept, paths->items[i], strlen(paths->items[i]) + 1);
}

/* What records take up, those aside that are too old: these go. */
static uint64_t size_of_records(int store, uint64_t days) {
  uint64_t size = 0;
  time_t before = time(NULL) - (time_t)days * A_DAY;
  DIR *listing = fdopendir(openat(store, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing) return 0;
  for (struct dirent *entry; (entry = readdir(listing));) {
    struct stat found;
    if (fstatat(store, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(found.st_mode)) continue;
    bool is_left_over = strncmp(entry->d_name, ".part-", 6) == 0 && found.st_mtim.tv_sec < time(NULL) - A_DAY;
    if ((found.st_mtim.tv_sec < before || is_left_over) && unlinkat(store, entry->d_name, 0) == 0) continue;
    size += (uint64_t)found.st_size;
  }
  closedir(listing);
  return size;
}

/* Where the folder around it could not be made either, the reason is that one's. */
static int reason_for(const char *path) {
  int error = errno;
  char *above = allot_text(path, strlen(path));
  for (char *slash; error == ENOENT && (slash = strrchr(above, '/')) && slash != above;) {
    *slash = '\0';
    if (access(above, W_OK) == 0) break;
    error = errno;
  }
  return error ? error : EIO;
}

void changes_begin(struct launch *launch) {
  struct places *places = &launch->plan.places;
  if (!places->changes) return;
  clock_gettime(CLOCK_REALTIME, &aside.started);
  aside.store = open_own_folder(places->changes, true);
  if (aside.store < 0) aside.store = -reason_for(places->changes);
  aside.days = places->changes_days;
  aside.bytes = places->changes_bytes;
  keep_paths(&aside.hidden, &places->hide);
  keep_paths(&aside.hidden, &places->keep_out);
  keep_paths(&aside.own, &places->keep_out);
  keep_paths(&aside.saved, &places->save);
  keep_paths(&aside.comes_back, &places->come_back);
  aside.back = (struct come_back_place){text_keep(places->kept), text_keep(places->kept_policy), NULL};
  uint64_t used = aside.store < 0 ? 0 : size_of_records(aside.store, aside.days);
  uint64_t left = used < aside.bytes ? aside.bytes - used : 0;
  if (left < LEAST_QUOTA) left = LEAST_QUOTA;
  if (!places->quota || places->quota > left) places->quota = left;
}

bool changes_hear(const char *bytes, size_t length, const int *descriptors, size_t count) {
  struct put_aside_message message;
  if (length <= offsetof(struct put_aside_message, path) || length > sizeof message || bytes[length - 1] != '\0') return false;
  memcpy(&message, bytes, length);
  size_t expected = message.kind == PUT_ASIDE_WORKSPACE ? 0 : 1;
  if (message.path[0] != '/' || count < expected || count > 2) return false;
  if (message.kind == PUT_ASIDE_WORKSPACE) {
    aside.workspace = text_keep(message.path);
  } else if (message.kind == PUT_ASIDE_KEPT) {
    aside.kept_lock = descriptors[0];
  } else if (message.kind == PUT_ASIDE_LAYER && aside.count < MOST_LAYERS) {
    aside.layers[aside.count++] = (struct put_aside){PUT_ASIDE_LAYER, descriptors[0], count > 1 ? descriptors[1] : -1, text_keep(message.path)};
  } else {
    return false;
  }
  return true;
}

/* ── what the plan says about a path ── */

/* Whether `path` is at or below the pattern (1), on the way to it (2), or neither (0). */
static int bearing(const char *pattern, const char *path) {
  for (;;) {
    size_t wanted = strcspn(pattern, "/"), length = strcspn(path, "/");
    if (!name_fits(pattern, wanted, path, length)) return 0;
    if (!pattern[wanted]) return 1;
    if (!path[length]) return 2;
    pattern += wanted + 1;
    path += length + 1;
  }
}

/* Of all patterns those that have to do with a folder: most folders have to do with none. */
struct patterns {
  const char **items;
  size_t count;
};

static struct patterns all_patterns(const struct text *paths) {
  struct patterns found = {0};
  for (size_t at = 0; at < paths->length; at += strlen(paths->data + at) + 1) found.count++;
  found.items = calloc(found.count + 1, sizeof *found.items);
  if (!found.items) refuse("out of memory", NULL);
  size_t i = 0;
  for (size_t at = 0; at < paths->length; at += strlen(paths->data + at) + 1) found.items[i++] = paths->data + at;
  return found;
}

static struct patterns patterns_for(const struct patterns *all, const char *path) {
  struct patterns found = {0};
  if (!all->count) return found;
  found.items = calloc(all->count, sizeof *found.items);
  if (!found.items) refuse("out of memory", NULL);
  for (size_t i = 0; i < all->count; i++)
    if (bearing(all->items[i], path)) found.items[found.count++] = all->items[i];
  return found;
}

static bool is_named(const struct patterns *patterns, const char *path) {
  for (size_t i = 0; i < patterns->count; i++)
    if (bearing(patterns->items[i], path) == 1) return true;
  return false;
}

/* ── what looks like a credential ── */

static bool ends_with(const char *name, const char *end) {
  size_t length = strlen(name), wanted = strlen(end);
  return length > wanted && strcmp(name + length - wanted, end) == 0;
}

static bool is_named_like_one(const char *name) {
  static const char *const names[] = {".netrc", "_netrc", ".git-credentials", ".pgpass", ".env", "credentials", "credentials.json",
                                      "credentials.toml", "credentials.yml", "credentials.yaml", ".credentials.json", "auth.json",
                                      "token", "token.json", "tokens.json", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"};
  static const char *const ends[] = {".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ovpn", ".token"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (ends_with(name, ends[i])) return true;
  return false;
}

static bool is_of_a_token(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || byte == '-';
}

static bool holds_one(int file, uint64_t size) {
  static const char *const starts[] = {"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk-ant-", "sk-proj-", "xoxb-",
                                       "xoxp-", "npm_", "AKIA", "ASIA", "AIza", "hf_", "pypi-", "dop_v1_", "tskey-", "sk_live_"};
  static const char key[] = "PRIVATE KEY-----";
  static char bytes[64 * 1024];
  enum { LEAST_TOKEN = 16 };
  ssize_t got = pread(file, bytes, size < sizeof bytes ? (size_t)size : sizeof bytes, 0);
  if (got <= 0) return false;
  if (memmem(bytes, (size_t)got, key, sizeof key - 1)) return true;
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    size_t length = strlen(starts[i]);
    for (const char *at = bytes, *end = bytes + got; (at = memmem(at, (size_t)(end - at), starts[i], length)); at++) {
      const char *rest = at + length;
      while (rest < end && is_of_a_token(*rest)) rest++;
      bool begins = at == bytes || !is_of_a_token(at[-1]);
      if (begins && rest - (at + length) >= LEAST_TOKEN) return true;
    }
  }
  return false;
}

/* What is hidden and no credential: a history of keys, a launch's own records of a launch inside. Nobody misses it, and nothing is said of it. */
static bool is_not_worth_telling(const char *path, const char *name) {
  static const char *const names[] = {".lesshst", ".viminfo", ".histfile", ".history", ".zhistory"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i]) == 0) return true;
  if (ends_with(name, "_history") || ends_with(name, "-history") || ends_with(name, "_hist")) return true;
  for (size_t at = 0; at < aside.own.length; at += strlen(aside.own.data + at) + 1)
    if (bearing(aside.own.data + at, path) == 1) return true;
  return false;
}

/* ── going through what was written ── */

struct taking {
  struct record record;
  struct come_back kept;
  const struct put_aside *layer;
  struct text path;
  bool is_workspace;
  size_t files, credentials, lost;
};

/* One folder: what was written in it, the masks over the real one, and the real one, as far as each is there. */
struct here {
  struct here *above;
  const char *name;
  int upper, masks, real, kept;
  bool is_seen, masks_are_opaque, comes_back;
  struct patterns hidden, comes_back_below, saved;
};

static int open_folder(int at, const char *name) {
  return at < 0 ? -1 : openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool is_whiteout(const struct stat *found) { return S_ISCHR(found->st_mode) && found->st_rdev == 0; }

/* The command decides about modes, and has ended: nobody is in the way. */
static int open_any_folder(int at, const char *name) {
  int folder = open_folder(at, name);
  if (folder < 0 && errno == EACCES && fchmodat(at, name, 0700, 0) == 0) folder = open_folder(at, name);
  return folder;
}

static int open_any_file(int at, const char *name) {
  int file = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0 && errno == EACCES && fchmodat(at, name, 0600, 0) == 0) file = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  return file;
}

static bool same_content(int one, int other, uint64_t size) {
  static char bytes[2][32 * 1024];
  for (uint64_t at = 0; at < size;) {
    size_t wanted = size - at < sizeof bytes[0] ? (size_t)(size - at) : sizeof bytes[0];
    ssize_t got = pread(one, bytes[0], wanted, (off_t)at);
    if (got <= 0 || pread(other, bytes[1], (size_t)got, (off_t)at) != got || memcmp(bytes[0], bytes[1], (size_t)got) != 0) return false;
    at += (uint64_t)got;
  }
  return true;
}

/* ── one entry ── */

/* What the command saw there: the real one, a file that stood in for it, or nothing. */
struct seen {
  struct stat real, stand_in;
  bool has_real, has_stand_in, is_seen;
};

static struct seen look(const struct here *here, const char *name) {
  struct seen seen = {.is_seen = here->is_seen};
  struct stat mask;
  seen.has_real = here->real >= 0 && fstatat(here->real, name, &seen.real, AT_SYMLINK_NOFOLLOW) == 0;
  if (here->masks < 0) return seen;
  if (fstatat(here->masks, name, &mask, AT_SYMLINK_NOFOLLOW) != 0) {
    seen.is_seen = seen.is_seen && !here->masks_are_opaque;
  } else if (S_ISREG(mask.st_mode)) {
    seen.has_stand_in = true;
    seen.stand_in = mask;
  } else if (!S_ISDIR(mask.st_mode)) {
    seen.is_seen = false;
  }
  return seen;
}

static bool too_many(struct taking *taking) {
  if (taking->record.count < MOST_ENTRIES && taking->record.lines.length < LARGEST_INDEX) return false;
  taking->lost++;
  return true;
}

static void begin_line(struct taking *taking, const char *kind, const struct seen *seen) {
  record_text(&taking->record, "path", taking->path.data);
  record_text(&taking->record, "kind", kind);
  if (!seen->has_real) return;
  record_identity(&taking->record, "was", &seen->real);
  /* What was changed while the command ran may be newer than what it started from. */
  const struct timespec *changed = &seen->real.st_ctim;
  bool is_moving = changed->tv_sec > aside.started.tv_sec || (changed->tv_sec == aside.started.tv_sec && changed->tv_nsec > aside.started.tv_nsec);
  if (is_moving) record_number(&taking->record, "moving", 1);
  if (!seen->is_seen) record_number(&taking->record, "unseen", 1);
}

static void take_credential(struct taking *taking, const struct seen *seen, const struct stat *found) {
  if (too_many(taking)) return;
  begin_line(taking, "file", seen);
  record_number(&taking->record, "mode", found->st_mode & 07777);
  record_number(&taking->record, "size", (uint64_t)found->st_size);
  record_number(&taking->record, "credential", 1);
  record_end_line(&taking->record);
  taking->credentials++;
}

/* Opened for writing and left as it was is no change. */
static bool is_unchanged(const struct here *here, const char *name, int file, const struct stat *found, const struct seen *seen) {
  const struct stat *before = seen->has_stand_in ? &seen->stand_in : &seen->real;
  if (!seen->has_stand_in && (!seen->has_real || !seen->is_seen)) return false;
  if (!S_ISREG(before->st_mode) || before->st_size != found->st_size) return false;
  if (!seen->has_stand_in && ((before->st_mode ^ found->st_mode) & 0777)) return false;
  int other = openat(seen->has_stand_in ? here->masks : here->real, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  bool is_same = other >= 0 && same_content(file, other, (uint64_t)found->st_size);
  if (other >= 0) close(other);
  return is_same;
}

static void take_stand_in(struct taking *taking, const struct here *here, const char *name, const struct seen *seen) {
  uint64_t at = 0, size = (uint64_t)seen->stand_in.st_size;
  int file = openat(here->masks, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file >= 0 && record_content(&taking->record, file, size, &at)) {
    record_number(&taking->record, "base", at);
    record_number(&taking->record, "base_size", size);
  }
  if (file >= 0) close(file);
}

static void take_file(struct taking *taking, struct here *here, const char *name, const struct stat *found) {
  struct seen seen = look(here, name);
  int file = open_any_file(here->upper, name);
  if (file < 0 || is_unchanged(here, name, file, found, &seen)) {
    if (file >= 0) close(file);
    return;
  }
  bool is_saved = is_named(&here->saved, taking->path.data);
  bool is_hidden = is_named(&here->hidden, taking->path.data);
  if (is_hidden && !is_saved && is_not_worth_telling(taking->path.data, name)) {
    close(file);
    return;
  }
  bool is_credential = is_hidden ||
                       (!taking->is_workspace && (is_named_like_one(name) || holds_one(file, (uint64_t)found->st_size)));
  uint64_t at = 0;
  if (is_credential && !is_saved) {
    take_credential(taking, &seen, found);
  } else if (!too_many(taking)) {
    if (!record_content(&taking->record, file, (uint64_t)found->st_size, &at)) {
      taking->lost++;
    } else {
      begin_line(taking, "file", &seen);
      record_number(&taking->record, "mode", found->st_mode & 07777);
      record_number(&taking->record, "size", (uint64_t)found->st_size);
      record_number(&taking->record, "at", at);
      if (seen.has_stand_in) take_stand_in(taking, here, name, &seen);
      record_end_line(&taking->record);
      taking->files++;
    }
  }
  close(file);
}

static void take_special(struct taking *taking, const struct here *here, const char *name, const struct stat *found) {
  struct seen seen = look(here, name);
  char target[PATH_MAX];
  const char *kind = S_ISLNK(found->st_mode) ? "link" : S_ISFIFO(found->st_mode) ? "fifo" : S_ISSOCK(found->st_mode) ? "socket" : "device";
  if (too_many(taking)) return;
  begin_line(taking, kind, &seen);
  if (S_ISLNK(found->st_mode)) {
    ssize_t length = readlinkat(here->upper, name, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    record_text(&taking->record, "target", target);
  }
  record_end_line(&taking->record);
  taking->files++;
}

static size_t push(struct text *path, const char *name) {
  size_t length = path->length;
  path->length--;
  if (path->length > 1 || path->data[0] != '/') text_add(path, "/");
  text_add_bytes(path, name, strlen(name) + 1);
  return length;
}

static void pop(struct text *path, size_t length) {
  path->length = length;
  path->data[length - 1] = '\0';
}

/* A folder that was removed is told with all that was in it, so that each file can be told from a later one. */
static void take_gone(struct taking *taking, const struct here *here, const char *name, int depth) {
  struct seen seen = look(here, name);
  if (!seen.has_real || !seen.is_seen || too_many(taking)) return;
  begin_line(taking, "gone", &seen);
  record_end_line(&taking->record);
  taking->files += !S_ISDIR(seen.real.st_mode);
  int real = S_ISDIR(seen.real.st_mode) && depth < DEEPEST ? open_folder(here->real, name) : -1;
  DIR *listing = real < 0 ? NULL : fdopendir(real);
  if (!listing) return;
  int masks = open_folder(here->masks, name);
  struct here inner = {.upper = -1, .masks = masks, .real = real, .kept = -1, .is_seen = true, .masks_are_opaque = is_opaque(masks)};
  for (struct dirent *entry; (entry = readdir(listing));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    size_t length = push(&taking->path, entry->d_name);
    take_gone(taking, &inner, entry->d_name, depth + 1);
    pop(&taking->path, length);
  }
  closedir(listing);
  if (masks >= 0) close(masks);
}

/* ── what comes back ── */

/* The same folder in the layer that is kept, with those above it. */
static int kept_here(struct taking *taking, struct here *here) {
  struct stat found;
  if (here->kept >= 0) return here->kept;
  if (taking->kept.room - taking->kept.bytes < ROOM_OF_A_NAME) return -1;
  taking->kept.bytes += ROOM_OF_A_NAME;
  int above = here->above ? kept_here(taking, here->above) : come_back_folder(&taking->kept);
  if (!here->above) {
    /* The layer's own path leads there. */
    int at = above < 0 ? -1 : fcntl(above, F_DUPFD_CLOEXEC, 3);
    for (const char *rest = taking->layer->path + 1; at >= 0 && *rest;) {
      char name[NAME_MAX + 1];
      size_t length = strcspn(rest, "/");
      snprintf(name, sizeof name, "%.*s", (int)length, rest);
      int next = mkdirat(at, name, 0700) != 0 && errno != EEXIST ? -1 : open_folder(at, name);
      close(at);
      at = next;
      rest += length + (rest[length] == '/');
    }
    here->kept = at;
  } else if (above >= 0 && (mkdirat(above, here->name, 0700) == 0 || errno == EEXIST)) {
    here->kept = open_folder(above, here->name);
  }
  if (here->kept < 0 || fstat(here->upper, &found) != 0) {
    taking->kept.failed = true;
    return -1;
  }
  fchmod(here->kept, (found.st_mode & 0777) | 0700);
  if (here->comes_back && is_opaque(here->upper)) fsetxattr(here->kept, "user.overlay.opaque", "y", 1, 0);
  return here->kept;
}

static bool copy_content(int from, int to, uint64_t size) {
  static char bytes[128 * 1024];
  for (uint64_t at = 0; at < size;) {
    ssize_t got = pread(from, bytes, sizeof bytes, (off_t)at);
    if (got <= 0 || !write_whole(to, bytes, (size_t)got)) return false;
    at += (uint64_t)got;
  }
  return true;
}

static void keep_file(struct taking *taking, int folder, struct here *here, const char *name, const struct stat *found) {
  struct come_back *kept = &taking->kept;
  uint64_t size = (uint64_t)found->st_size;
  /* Holes count as what they would be written as: nothing may grow beyond what there is room for. */
  if (size > kept->room - kept->bytes) return;
  int from = open_any_file(here->upper, name);
  int to = from < 0 ? -1 : openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  bool is_whole = to >= 0 && copy_content(from, to, size);
  if (is_whole) {
    const struct timespec times[] = {found->st_atim, found->st_mtim};
    fchmod(to, found->st_mode & 0777);
    futimens(to, times);
    kept->bytes += size;
  } else if (to >= 0) {
    unlinkat(folder, name, 0);
    kept->failed = true;
  }
  if (from >= 0) close(from);
  if (to >= 0) close(to);
}

static void keep_entry(struct taking *taking, struct here *here, const char *name, const struct stat *found) {
  char target[PATH_MAX];
  /* Nor that it was removed or is a link now: the next launch finds what it would without this one. */
  if (is_named(&here->hidden, taking->path.data) && !is_named(&here->saved, taking->path.data)) return;
  int folder = kept_here(taking, here);
  /* Names take up room too: without this a million empty files would be none. */
  if (folder < 0 || taking->kept.room - taking->kept.bytes < ROOM_OF_A_NAME) return;
  taking->kept.bytes += ROOM_OF_A_NAME;
  if (is_whiteout(found)) {
    mknodat(folder, name, S_IFCHR, 0);
  } else if (S_ISREG(found->st_mode)) {
    keep_file(taking, folder, here, name, found);
  } else if (S_ISLNK(found->st_mode)) {
    ssize_t length = readlinkat(here->upper, name, target, sizeof target - 1);
    target[length > 0 ? length : 0] = '\0';
    /* One that does not come back is written anew, like everything that no room was left for. */
    if (length > 0 && symlinkat(target, folder, name) != 0) return;
  }
}

/* ── folders ── */

static void take_entries(struct taking *taking, struct here *here, int depth);

static void take_folder(struct taking *taking, struct here *here, const char *name, const struct stat *found, int depth) {
  struct seen seen = look(here, name);
  bool was_folder = seen.has_real && S_ISDIR(seen.real.st_mode) && seen.is_seen;
  struct here inner = {.above = here, .name = name, .upper = open_any_folder(here->upper, name), .masks = open_folder(here->masks, name),
                       .real = seen.has_real ? open_folder(here->real, name) : -1, .kept = -1, .is_seen = seen.is_seen};
  const char *path = taking->path.data;
  inner.masks_are_opaque = is_opaque(inner.masks);
  inner.hidden = patterns_for(&here->hidden, path);
  inner.saved = patterns_for(&here->saved, path);
  inner.comes_back_below = patterns_for(&here->comes_back_below, path);
  inner.comes_back = here->comes_back || is_named(&here->comes_back_below, path);
  bool is_new = !was_folder || ((seen.real.st_mode ^ found->st_mode) & 0777);
  if (inner.comes_back) {
    kept_here(taking, &inner);
  } else if (is_new && !is_named(&inner.hidden, path) && !inner.comes_back_below.count && !too_many(taking)) {
    begin_line(taking, "folder", &seen);
    record_number(&taking->record, "mode", found->st_mode & 07777);
    record_end_line(&taking->record);
  }
  if (inner.upper >= 0 && depth < DEEPEST) take_entries(taking, &inner, depth);
  else taking->lost++;
  if (inner.upper >= 0) close(inner.upper);
  if (inner.masks >= 0) close(inner.masks);
  if (inner.real >= 0) close(inner.real);
  if (inner.kept >= 0) close(inner.kept);
  free(inner.hidden.items);
  free(inner.saved.items);
  free(inner.comes_back_below.items);
}

static void take_entry(struct taking *taking, struct here *here, const char *name, int depth) {
  struct stat found;
  if (fstatat(here->upper, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  bool comes_back = here->comes_back || is_named(&here->comes_back_below, taking->path.data);
  if (S_ISDIR(found.st_mode)) take_folder(taking, here, name, &found, depth + 1);
  else if (comes_back) keep_entry(taking, here, name, &found);
  else if (is_whiteout(&found)) take_gone(taking, here, name, depth + 1);
  else if (S_ISREG(found.st_mode)) take_file(taking, here, name, &found);
  else take_special(taking, here, name, &found);
}

/* A folder that was removed and made again: what was in the real one, and is not in the new one, is gone. */
static void take_replaced(struct taking *taking, struct here *here, int depth) {
  DIR *listing = fdopendir(open_folder(here->real, "."));
  if (!listing) return;
  for (struct dirent *entry; (entry = readdir(listing));) {
    struct stat found;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (fstatat(here->upper, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) == 0) continue;
    size_t length = push(&taking->path, entry->d_name);
    take_gone(taking, here, entry->d_name, depth + 1);
    pop(&taking->path, length);
  }
  closedir(listing);
}

static void take_entries(struct taking *taking, struct here *here, int depth) {
  int again = open_folder(here->upper, ".");
  DIR *listing = again < 0 ? NULL : fdopendir(again);
  if (!listing) return;
  for (struct dirent *entry; (entry = readdir(listing));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    size_t length = push(&taking->path, entry->d_name);
    take_entry(taking, here, entry->d_name, depth);
    pop(&taking->path, length);
  }
  closedir(listing);
  if (here->real >= 0 && here->is_seen && !here->comes_back && is_opaque(here->upper)) take_replaced(taking, here, depth);
}

static void take_layer(struct taking *taking, const struct put_aside *layer) {
  struct here here = {.upper = layer->upper, .masks = layer->masks, .real = open_without_links(AT_FDCWD, layer->path, O_RDONLY | O_DIRECTORY),
                      .kept = -1, .is_seen = true, .masks_are_opaque = is_opaque(layer->masks)};
  taking->layer = layer;
  taking->is_workspace = aside.workspace && strcmp(aside.workspace, layer->path) == 0;
  taking->path.length = 0;
  text_add_bytes(&taking->path, layer->path, strlen(layer->path) + 1);
  struct patterns hidden = all_patterns(&aside.hidden), saved = all_patterns(&aside.saved), comes_back = all_patterns(&aside.comes_back);
  here.hidden = patterns_for(&hidden, layer->path);
  here.saved = patterns_for(&saved, layer->path);
  if (!taking->is_workspace) here.comes_back_below = patterns_for(&comes_back, layer->path);
  take_entries(taking, &here, 0);
  free(hidden.items);
  free(saved.items);
  free(comes_back.items);
  free(here.hidden.items);
  free(here.saved.items);
  free(here.comes_back_below.items);
  if (here.real >= 0) close(here.real);
  if (here.kept >= 0) close(here.kept);
}

/* ── all of it ── */

static struct {
  size_t files, credentials, lost;
  int error;
} told;

static bool is_untouched(void) {
  for (size_t i = 0; i < aside.count; i++) {
    DIR *listing = fdopendir(open_folder(aside.layers[i].upper, "."));
    size_t entries = 0;
    if (!listing) continue;
    while (entries < 3 && readdir(listing)) entries++;
    closedir(listing);
    if (entries > 2) return false;
  }
  return true;
}

static void add_head(struct taking *taking, const struct launch *launch) {
  record_text(&taking->record, "launch", launch->id);
  record_text(&taking->record, "name", subject());
  if (aside.workspace) record_text(&taking->record, "workspace", aside.workspace);
  record_number(&taking->record, "lost", taking->lost);
  record_end_line(&taking->record);
}

void changes_take(const struct launch *launch) {
  struct taking taking = {0};
  if (is_untouched()) return;
  uint64_t used = aside.store < 0 ? 0 : size_of_records(aside.store, aside.days);
  aside.back.workspace = aside.workspace;
  record_begin(&taking.record, aside.store, launch->id, used < aside.bytes ? aside.bytes - used : 0);
  come_back_begin(&taking.kept, &aside.back, aside.bytes);
  for (size_t i = 0; i < aside.count; i++) take_layer(&taking, &aside.layers[i]);
  if (aside.kept_lock >= 0) close(aside.kept_lock);
  come_back_finish(&taking.kept);
  come_back_sweep(aside.back.folder, aside.days);
  told.files = taking.files;
  told.credentials = taking.credentials;
  told.lost = taking.lost;
  if (!taking.record.count && !taking.lost) return;
  add_head(&taking, launch);
  if (!record_finish(&taking.record)) {
    told.error = taking.record.error;
    told.lost += told.files + told.credentials;
    told.files = told.credentials = 0;
  }
}

struct put_aside_files changes_tell(void) {
  if (told.lost)
    say("warning: ", decimal(told.lost), told.lost == 1 ? " file" : " files", " written outside the workspace could not be kept",
        told.error ? ": " : "; `cordon changes drop` makes room", told.error ? error_text(told.error) : "", NULL);
  return (struct put_aside_files){told.files, told.credentials};
}
