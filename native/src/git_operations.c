#include "git.h"

#include "view.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A rebase, an `am` or a cherry-pick that stopped is gone on with by files, which git obeys wherever they come from: lines that start
 * programs, options of programs that it starts. Each is looked at that says more than git does anyway; what is no file of git's goes.
 */

enum { LARGEST = 16 << 20 };

static const struct checked {
  const char *folder, *name;
  git_clean_file *clean;
} checked[] = {
    {"rebase-merge", "git-rebase-todo", git_clean_steps},
    {"rebase-merge", "strategy", git_clean_strategy},
    {"rebase-merge", "strategy_opts", git_clean_strategy_options},
    {"rebase-apply", "strategy", git_clean_strategy},
    {"rebase-apply", "strategy_opts", git_clean_strategy_options},
    {"rebase-apply", "apply-opt", git_clean_apply_options},
    {"sequencer", "todo", git_clean_steps},
    {"sequencer", "opts", git_clean_options},
    {".", "MERGE_RR", git_clean_conflicts},
};
enum { CHECKED = sizeof checked / sizeof *checked };

/* What git keeps there else, as of 2.52: marks, numbers, messages, names of commits and of refs. Of a patch each has a number. */
static const struct known {
  const char *folder;
  bool has_numbers;
  const char *names;
} known[] = {
    {"rebase-merge", false,
     "allow_rerere_autoupdate amend author-script autostash cdate_is_adate current-fixups done drop_redundant_commits dropped end force-rewrite"
     " git-rebase-todo.backup git-rebase-todo.lost git-rebase-todo.new gpg_sign_opt head-name ignore_date interactive keep_redundant_commits message"
     " message-fixup message-squash msgnum no-reschedule-failed-exec onto orig-head patch quiet rebased-patches refs-to-delete reschedule-failed-exec"
     " rewritten-list rewritten-pending signoff squash-onto stopped-sha trailer update-refs verbose"},
    {"rebase-apply", true,
     "abort-safety allow_rerere_autoupdate applying author-script autostash dirtyindex final-commit gpg_sign_opt head-name info keep last messageid msg"
     " msg-clean next no_inbody_headers onto orig-head original-commit patch patch-merge-index patch-merge-tmp-index quiet quoted-cr rebasing rerere"
     " rewritten scissors sign signoff threeway utf8 verbose"},
    {"sequencer", false, "abort-safety head"},
};
enum { FOLDERS = sizeof known / sizeof *known };

static const struct checked *check_of(const char *folder, const char *name) {
  for (size_t i = 0; i < CHECKED; i++)
    if (strcmp(checked[i].folder, folder) == 0 && strcmp(checked[i].name, name) == 0) return &checked[i];
  return NULL;
}

static bool is_known(const struct known *folder, const char *name) {
  size_t length = strlen(name);
  if (folder->has_numbers && strspn(name, "0123456789") == length) return true;
  return git_is_word(name, length, folder->names);
}

typedef void on_entry(int folder, const char *path, const char *name, const struct checked *check);

/* All but what is harmless by its name. */
static void with_entries(int git, const char *path, const struct known *folder, on_entry *each) {
  int opened = openat(git, folder->folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (opened < 0) return;
  git_open_up(opened);
  int readable = openat(opened, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  close(opened);
  DIR *listing = readable < 0 ? NULL : fdopendir(readable);
  if (!listing) return;
  for (struct dirent *entry; (entry = readdir(listing));) {
    const struct checked *check = check_of(folder->folder, entry->d_name);
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (check || !is_known(folder, entry->d_name)) each(readable, joined(path, folder->folder), entry->d_name, check);
  }
  closedir(listing);
}

static void with_all(int git, const char *path, on_entry *each) {
  const struct checked *conflicts = check_of(".", "MERGE_RR");
  for (size_t i = 0; i < FOLDERS; i++) with_entries(git, path, &known[i], each);
  if (git_is_there(git, conflicts->name)) each(git, path, conflicts->name, conflicts);
}

static void note(int folder, const char *path, const char *name, const struct checked *check) {
  (void)check;
  git_note_file(folder, path, name);
}

void git_note_operations(int folder, const char *path) { with_all(folder, path, note); }

static void settle(int folder, const char *path, const char *name, const struct checked *check) {
  struct stat found;
  struct text left = {0};
  const char *file = joined(path, name);
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0 || git_is_as_it_was(folder, path, name)) return;
  if (!check) {
    if (!git_was_there(file)) git_put_aside(folder, path, name, "is no file of git's and was made by the command");
    return;
  }
  struct slice now = git_read_sized(folder, name, O_NOFOLLOW, LARGEST);
  if (!S_ISREG(found.st_mode) || !now.text || !check->clean(git_text_before(file), now, &left)) {
    git_put_back(folder, path, name);
  } else if (left.length != now.length) {
    git_replace(folder, path, name, (struct slice){left.data, left.length}, found.st_mode);
    git_tell(git_shown(file), ": what starts programs was added by the command and taken out", NULL);
  }
  text_free(&left);
}

void git_settle_operations(int folder, const char *path) { with_all(folder, path, settle); }
