#include "kept.h"

#include "node.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { LARGEST = 8 << 20, LARGEST_LOOKED = 1 << 20, LARGEST_STARTUP = 1 << 20, SHORTEST_SECRET = 8 };
static const char header[] = "cordon-kept 1 ", plan_header[] = "cordon-plan 2\n", folder_name[] = "plans", looked_name[] = "looked-through";

static const char *value_of(char **env, const char *name) {
  size_t length = strlen(name);
  for (; *env; env++)
    if (strncmp(*env, name, length) == 0 && (*env)[length] == '=') return *env + length + 1;
  return NULL;
}

static const char *folder_in(char **env, const char *variable) {
  const char *value = value_of(env, variable);
  return value && value[0] == '/' ? value : NULL;
}

/* As src/host/folders.ts has it. Without HOME the planner looks it up. */
static const char *state_folder(char **env) {
  const char *folder;
  if ((folder = folder_in(env, "CORDON_HOME"))) return join_path(folder, "state");
  if ((folder = folder_in(env, "XDG_STATE_HOME"))) return join_path(folder, "cordon");
  return (folder = folder_in(env, "HOME")) ? join_path(folder, ".local/state/cordon") : NULL;
}

/* A flag that does not stand here may mean anything, and its run is planned. Each of these takes one value. */
static bool is_known_flag(const char *name, size_t length) {
  static const char *const known[] = {"--profile", "--tool", "--agent", "--role",  "--id",     "--mode",   "--base",
                                      "--allow",   "--deny", "--except", "--set",  "--guard",  "--fs",     "--write",
                                      "--read",    "--hide", "--expose", "--workspace", "--net", "--isolation", "--in"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strlen(known[i]) == length && memcmp(known[i], name, length) == 0) return true;
  return false;
}

/* Of two values for one name the last counts. */
static void add_setting(struct strings *set, char *entry, size_t name_length) {
  for (size_t i = 0; i < set->count; i++)
    if (strncmp(set->items[i], entry, name_length + 1) == 0) {
      set->items[i] = entry;
      return;
    }
  strings_add(set, entry);
}

/* Flags go into the name of the kept plan, of `--set` only the variable's name. */
static bool take_flag(struct kept *kept, struct sha256 *hash, const char *name, size_t length, char *value) {
  if (!is_known_flag(name, length) || !value || strcmp(value, "--") == 0) return false;
  sha256_add(hash, name, length);
  sha256_add_text(hash, "");
  if (length == 4 && memcmp(name, "--in", 4) == 0) kept->is_in = true;
  if (length != 5 || memcmp(name, "--set", 5) != 0) {
    sha256_add_text(hash, value);
    return true;
  }
  size_t name_length = strcspn(value, "=");
  if (!name_length || !value[name_length]) return false;
  sha256_add(hash, value, name_length + 1);
  sha256_add_text(hash, "");
  add_setting(&kept->set, value, name_length);
  return true;
}

/* They get a policy by their name, which is the planner's to judge (src/agents/known.ts has the same list). */
static bool is_known_agent(const char *command) {
  static const char *const known[] = {"claude", "codex", "gemini", "qwen",    "opencode",
                                      "amp",    "aider", "goose",  "copilot", "cursor-agent"};
  const char *slash = strrchr(command, '/'), *name = slash ? slash + 1 : command;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i], name) == 0) return true;
  return false;
}

static bool take_arguments(struct kept *kept, struct sha256 *hash, char **args) {
  if (!args[0] || strcmp(args[0], "run") != 0) return false;
  for (args++; *args && (*args)[0] == '-' && (*args)[1]; args++) {
    if (strcmp(*args, "--") == 0) {
      args++;
      break;
    }
    size_t length = strcspn(*args, "=");
    char *name = *args, *value = name[length] ? name + length + 1 : *++args;
    if (!take_flag(kept, hash, name, length, value)) return false;
  }
  kept->command = args;
  return *args != NULL && !is_known_agent(*args);
}

static void add_number(struct text *text, uint64_t number) {
  text_add(text, ",");
  text_add_number(text, number);
}

static uint64_t nanoseconds(struct timespec time) { return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec; }

/* What tells that an entry is the same and unchanged. Of a folder only that it is the same, unless its names were read. */
static void add_stamp(struct text *text, const struct stat *found, bool listed) {
  bool folder = S_ISDIR(found->st_mode);
  text_add(text, folder ? (listed ? "list" : "dir") : S_ISREG(found->st_mode) ? "file" : S_ISLNK(found->st_mode) ? "link" : "other");
  const uint64_t same[] = {found->st_dev, found->st_ino, found->st_mode, found->st_uid, found->st_gid};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++) add_number(text, same[i]);
  if (folder && !listed) return;
  if (!folder) add_number(text, (uint64_t)found->st_size);
  add_number(text, nanoseconds(found->st_mtim));
  add_number(text, nanoseconds(found->st_ctim));
}

static bool is_as_it_was(const char *path, const char *stamp, const char *target_stamp) {
  struct stat found;
  struct text now = {0};
  bool is_link = false;
  if (lstat(path, &found) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) return false;
    return strcmp(stamp, "absent") == 0;
  }
  add_stamp(&now, &found, strncmp(stamp, "list", 4) == 0);
  text_add_bytes(&now, "", 1);
  bool same = strcmp(now.data, stamp) == 0;
  is_link = S_ISLNK(found.st_mode);
  if (same && is_link) {
    now.length = 0;
    if (!target_stamp) same = false;
    else if (stat(path, &found) != 0) same = (errno == ENOENT || errno == ENOTDIR) && strcmp(target_stamp, "absent") == 0;
    else {
      add_stamp(&now, &found, strncmp(target_stamp, "list", 4) == 0);
      text_add_bytes(&now, "", 1);
      same = strcmp(now.data, target_stamp) == 0;
    }
  }
  text_free(&now);
  return same;
}

static void add_text_of(struct sha256 *hash, struct text *text) {
  sha256_add(hash, text->data, text->length);
  text_free(text);
}

/* Who runs it where, with which Cordon on which kernel. */
static bool add_surroundings(struct sha256 *hash) {
  char folder[PATH_MAX];
  struct stat program, here;
  struct utsname kernel;
  gid_t groups[NGROUPS_MAX];
  int count = getgroups(NGROUPS_MAX, groups);
  if (count < 0 || !getcwd(folder, sizeof folder) || folder[0] != '/' || uname(&kernel) != 0) return false;
  if (stat("/proc/self/exe", &program) != 0 || stat(".", &here) != 0) return false;
  struct text facts = {0};
  text_add(&facts, CORDON_VERSION);
  add_stamp(&facts, &program, false);
  add_stamp(&facts, &here, false);
  const uint64_t ids[] = {getuid(), geteuid(), getgid(), getegid()};
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) add_number(&facts, ids[i]);
  for (int i = 0; i < count; i++) add_number(&facts, groups[i]);
  add_text_of(hash, &facts);
  sha256_add_text(hash, folder);
  sha256_add_text(hash, kernel.release);
  sha256_add_text(hash, kernel.machine);
  return true;
}

void kept_find(struct kept *kept, char **args, char **env) {
  struct sha256 hash;
  *kept = (struct kept){0};
  sha256_begin(&hash);
  if (!take_arguments(kept, &hash, args) || !add_surroundings(&hash)) return;
  sha256_end(&hash, kept->name);
  kept->state = state_folder(env);
}

/* Only this user may have been able to write it. */
static bool is_private(int fd, mode_t kind) {
  struct stat found;
  return fd >= 0 && fstat(fd, &found) == 0 && (found.st_mode & S_IFMT) == kind && found.st_uid == geteuid() &&
         !(found.st_mode & (S_IWGRP | S_IWOTH)) && (kind == S_IFDIR || (found.st_nlink == 1 && found.st_size <= LARGEST));
}

static int open_folder(const struct kept *kept, bool make) {
  int state = open(kept->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!is_private(state, S_IFDIR) || (make && mkdirat(state, folder_name, 0700) != 0 && errno != EEXIST)) {
    if (state >= 0) close(state);
    return -1;
  }
  int folder = openat(state, folder_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  close(state);
  if (folder < 0 || is_private(folder, S_IFDIR)) return folder;
  close(folder);
  return -1;
}

static struct slice read_open(int fd, size_t most) {
  struct stat found;
  struct slice text = {0};
  if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode) || (uint64_t)found.st_size > most) return text;
  text.text = allot((size_t)found.st_size + 1, 1);
  while (text.length < (size_t)found.st_size) {
    ssize_t got = read(fd, text.text + text.length, (size_t)found.st_size - text.length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.length += (size_t)got;
  }
  text.text[text.length] = '\0';
  return text;
}

/* What stands before the plan: `variables NAME…`, `looked PATH STAMP [STAMP]`, `startup PATH…`, `judged`. */
struct origin {
  struct strings variables, startup;
  bool judged, changed;
  struct slice plan;
};

static void read_origin_line(struct origin *origin, const char *word, size_t length, const struct fields *fields) {
  struct strings *list = length == 9 && memcmp(word, "variables", 9) == 0 ? &origin->variables
                         : length == 7 && memcmp(word, "startup", 7) == 0 ? &origin->startup
                                                                           : NULL;
  for (size_t i = 0; list && i < fields->count; i++) strings_add(list, fields->items[i].text);
  if (list) return;
  if (length == 6 && memcmp(word, "judged", 6) == 0 && !fields->count) {
    origin->judged = true;
    return;
  }
  if (length != 6 || memcmp(word, "looked", 6) != 0 || fields->count < 2 ||
      !is_as_it_was(fields->items[0].text, fields->items[1].text, fields->count > 2 ? fields->items[2].text : NULL))
    origin->changed = true;
}

/* Stops at the first thing that is not as it was. */
static void read_origin(struct origin *origin, struct slice text) {
  char *at = text.text, *end = text.text + text.length;
  struct fields fields = {0};
  *origin = (struct origin){.changed = true};
  for (;;) {
    size_t left = (size_t)(end - at);
    if (left > sizeof plan_header && memcmp(at, plan_header, sizeof plan_header - 1) == 0) break;
    const char *word = at;
    while (at < end && *at != ' ' && *at != '\n') at++;
    if (at == end) return;
    size_t length = (size_t)(at - word);
    bool has_fields = *at++ == ' ';
    fields.count = 0;
    if (has_fields && decode_fields(&fields, &at, end) != FIELD_OK) return;
    origin->changed = false;
    read_origin_line(origin, word, length, &fields);
    if (origin->changed) return;
    origin->changed = true;
  }
  origin->plan = (struct slice){at, (size_t)(end - at)};
  origin->changed = false;
}

/* Lines of `looked`, then one of JSON, which is the planner's own matter. What was cut short in any way is none of that. */
static bool is_all_as_it_was(struct slice text) {
  struct origin origin = {0};
  struct fields fields = {0};
  char *at = text.text, *end = text.text + text.length;
  static const char word[] = "looked ";
  while ((size_t)(end - at) > sizeof word && memcmp(at, word, sizeof word - 1) == 0) {
    at += sizeof word - 1;
    fields.count = 0;
    if (decode_fields(&fields, &at, end) != FIELD_OK) return false;
    read_origin_line(&origin, word, sizeof word - 2, &fields);
    if (origin.changed) return false;
  }
  return at < end && *at == '{' && memchr(at, '\n', (size_t)(end - at)) == end - 1;
}

void kept_hand_looked(const struct kept *kept, int pipe) {
  int state = kept->state ? open(kept->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  int fd = is_private(state, S_IFDIR) ? openat(state, looked_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
  struct slice text = is_private(fd, S_IFREG) ? read_open(fd, LARGEST_LOOKED) : (struct slice){0};
  if (state >= 0) close(state);
  if (fd >= 0) close(fd);
  /* A pipe with room for all of it: nobody reads it yet. */
  if (!text.length || !is_all_as_it_was((struct slice){allot_text(text.text, text.length), text.length}) ||
      fcntl(pipe, F_SETPIPE_SZ, (int)text.length + 1) < 0 || fcntl(pipe, F_SETFL, O_NONBLOCK) != 0)
    return;
  write_whole(pipe, text.text, text.length);
}

static const char *value_in(const struct decision *decision) { return decision->name + decision->name_length + 1; }

static bool is_passed_value(const struct sealed_env *env, const char *value) {
  for (size_t i = 0; i < env->decision_count; i++)
    if (env->decisions[i].outcome == OUTCOME_PASSED && strcmp(value_in(&env->decisions[i]), value) == 0) return true;
  return false;
}

static bool stands_in(const struct slice *texts, size_t count, const char *value, size_t length) {
  for (size_t i = 0; i < count; i++)
    if (texts[i].length && memmem(texts[i].text, texts[i].length, value, length)) return true;
  return false;
}

/* Start-up files lose the lines that hold a value which the policy drops: so those values decide about the plan. */
static void add_held_values(struct sha256 *hash, const struct strings *startup, const struct sealed_env *env) {
  struct slice *texts = allot(startup->count, sizeof *texts);
  for (size_t i = 0; i < startup->count; i++) {
    int fd = open(startup->items[i], O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    texts[i] = fd < 0 ? (struct slice){0} : read_open(fd, LARGEST_STARTUP);
    if (fd >= 0) close(fd);
  }
  for (size_t i = 0; i < env->decision_count; i++) {
    const struct decision *decision = &env->decisions[i];
    if (decision->outcome == OUTCOME_PASSED || decision->outcome == OUTCOME_BAD_NAME || decision->outcome == OUTCOME_DUPLICATE) continue;
    size_t length = strlen(value_in(decision));
    if (length >= SHORTEST_SECRET && stands_in(texts, startup->count, value_in(decision), length) &&
        !is_passed_value(env, value_in(decision)))
      sha256_add_text(hash, decision->name);
  }
}

/* The values that the plan depends on, as one digest. */
static void digest_values(char hex[SHA256_HEX + 1], const struct origin *origin, const struct plan *plan, char **env) {
  struct sha256 hash;
  struct sealed_env sealed;
  sha256_begin(&hash);
  for (size_t i = 0; i < origin->variables.count; i++) {
    const char *value = value_of(env, origin->variables.items[i]);
    sha256_add_text(&hash, origin->variables.items[i]);
    sha256_add_text(&hash, value ? "=" : "");
    if (value) sha256_add_text(&hash, value);
  }
  seal_env(&sealed, plan, env);
  sha256_add_text(&hash, "judged");
  for (size_t i = 0; origin->judged && i < sealed.decision_count; i++)
    if (sealed.decisions[i].outcome == OUTCOME_PASSED) sha256_add_text(&hash, sealed.decisions[i].name);
  sha256_add_text(&hash, "held");
  add_held_values(&hash, &origin->startup, &sealed);
  sha256_end(&hash, hex);
}

static void digest_text(char hex[SHA256_HEX + 1], struct slice text) {
  struct sha256 hash;
  sha256_begin(&hash);
  sha256_add(&hash, text.text, text.length);
  sha256_end(&hash, hex);
}

/* A file that was cut short, by a crash or a full disk, is as good as none. */
static bool take_whole(struct slice *text, const char **values) {
  enum { HEADER = sizeof header - 1, LINE = HEADER + 2 * SHA256_HEX + 2 };
  char digest[SHA256_HEX + 1];
  if (text->length < LINE || memcmp(text->text, header, HEADER) != 0) return false;
  char *first = text->text + HEADER, *second = first + SHA256_HEX + 1;
  if (second[-1] != ' ' || second[SHA256_HEX] != '\n') return false;
  second[SHA256_HEX] = '\0';
  *values = second;
  text->text += LINE;
  text->length -= LINE;
  digest_text(digest, *text);
  return memcmp(digest, first, SHA256_HEX) == 0;
}

static bool is_runnable(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && S_ISREG(found.st_mode) && access(path, X_OK) == 0;
}

/* As src/host/folders.ts has it; where there is something to say about it, the planner says it. */
static const char *find_command(const char *name, const char *path) {
  if (strchr(name, '/')) return is_runnable(name) ? name : NULL;
  if (!path) path = "/usr/local/bin:/usr/bin:/bin";
  for (;; path++) {
    size_t length = strcspn(path, ":");
    if (*path != '/') return NULL;
    const char *candidate = join_path(allot_text(path, length), name);
    if (is_runnable(candidate)) return candidate;
    path += length;
    if (!*path) return NULL;
  }
}

/* For people it is shown as it is, so it must be what it looks like. */
static bool is_plain(const char *name) {
  for (; *name; name++)
    if (*name < 0x20 || *name > 0x7e) return false;
  return true;
}

static bool complete(const struct kept *kept, struct plan *plan, char **env) {
  const char *found = find_command(kept->command[0], value_of(env, "PATH"));
  if (!found || !is_plain(kept->command[0])) return false;
  plan->command = allot_text(found, strlen(found));
  plan->name = allot_text(kept->command[0], strlen(kept->command[0]));
  plan->args = (struct strings){0};
  for (char **arg = kept->command; *arg; arg++) strings_add(&plan->args, allot_text(*arg, strlen(*arg)));
  /* Of its own it has only the name of the policy, and the proxy of the sandbox. */
  size_t own = plan->setting_count;
  struct setting *settings = allot(own + kept->set.count, sizeof *settings);
  if (own) memcpy(settings, plan->settings, own * sizeof *settings);
  for (size_t i = 0; i < kept->set.count; i++) {
    const char *entry = kept->set.items[i];
    settings[own + i] = (struct setting){allot_text(entry, strlen(entry)), strcspn(entry, "=")};
  }
  plan->settings = settings;
  plan->setting_count = plan->setting_capacity = own + kept->set.count;
  return true;
}

struct slice kept_text(const struct kept *kept) {
  int folder = kept->state ? open_folder(kept, false) : -1;
  if (folder < 0) return (struct slice){0};
  int fd = openat(folder, kept->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct slice text = is_private(fd, S_IFREG) ? read_open(fd, LARGEST) : (struct slice){0};
  if (fd >= 0) close(fd);
  close(folder);
  return text;
}

bool kept_load(const struct kept *kept, struct launch *launch) {
  const char *values;
  char digest[SHA256_HEX + 1];
  struct origin origin;
  struct plan plan;
  struct slice text = kept->is_in ? (struct slice){0} : kept_text(kept);
  if (!take_whole(&text, &values)) return false;
  read_origin(&origin, text);
  if (origin.changed) return false;
  plan_parse(&plan, origin.plan);
  digest_values(digest, &origin, &plan, launch->parent_env);
  if (strcmp(digest, values) != 0 || stale_path(&plan) || !complete(kept, &plan, launch->parent_env)) return false;
  launch->plan = plan;
  launch->is_kept = true;
  set_subject(plan.name);
  return true;
}

static void write_file(int folder, const char *name, const char *line, struct slice text) {
  const char *fresh = allot_text(decimal((uint64_t)getpid()), strlen(decimal((uint64_t)getpid())));
  int fd = openat(folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) {
    unlinkat(folder, fresh, 0);
    return;
  }
  bool whole = write_whole(fd, line, strlen(line)) && write_whole(fd, text.text, text.length);
  close(fd);
  if (!whole || renameat(folder, fresh, folder, name) != 0) unlinkat(folder, fresh, 0);
}

void kept_store(const struct kept *kept, struct slice text, char **env) {
  char whole[SHA256_HEX + 1], values[SHA256_HEX + 1];
  struct origin origin;
  struct plan plan;
  int folder = kept->state ? open_folder(kept, true) : -1;
  if (folder < 0) return;
  digest_text(whole, text);
  read_origin(&origin, (struct slice){allot_text(text.text, text.length), text.length});
  if (!origin.changed) {
    plan_parse(&plan, origin.plan);
    digest_values(values, &origin, &plan, env);
    struct text line = {0};
    text_add(&line, header);
    text_add(&line, whole);
    text_add(&line, " ");
    text_add(&line, values);
    text_add_bytes(&line, "\n", 2);
    write_file(folder, kept->name, line.data, text);
    text_free(&line);
  }
  close(folder);
}
