/*
 * Feeds a plan and an environment to the parser and the rules. The input is a plan, a NUL, and an environment block
 * whose entries end in NUL; without a NUL it is all plan. What must hold beyond not crashing: the block built holds no
 * name twice, and only entries of the parent that were passed or that the plan sets.
 */
#include "env.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf refused;

static void escape(void) { longjmp(refused, 1); }

static size_t name_length(const char *entry) { return strcspn(entry, "="); }

static void check(const struct sealed_env *env, const struct plan *plan) {
  size_t count = 0, passed = 0;
  while (env->entries[count]) count++;
  for (size_t i = 0; i < env->decision_count; i++) passed += env->decisions[i].outcome == OUTCOME_PASSED;
  if (count != passed + plan->setting_count) abort();
  for (size_t i = 0; i < count; i++)
    for (size_t j = i + 1; j < count && count < 200; j++)
      if (name_length(env->entries[i]) == name_length(env->entries[j]) &&
          memcmp(env->entries[i], env->entries[j], name_length(env->entries[i])) == 0)
        abort();
}

/* A block of its own, of the very size, so that reading beyond the plan is noticed. */
static char *plan_text;

static void run(char *bytes, size_t length) {
  struct plan plan;
  struct sealed_env env;
  struct strings entries = {0};
  if (setjmp(refused)) return;
  size_t plan_length = strlen(bytes);
  for (size_t at = plan_length + 1; at < length; at += strlen(bytes + at) + 1) strings_add(&entries, bytes + at);
  strings_add(&entries, NULL);
  plan_text = malloc(plan_length + 1);
  if (!plan_text) abort();
  memcpy(plan_text, bytes, plan_length);
  plan_parse(&plan, (struct slice){plan_text, plan_length});
  seal_env(&env, &plan, entries.items);
  check(&env, &plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *bytes = malloc(size + 1);
  if (!bytes) return 0;
  memcpy(bytes, data, size);
  bytes[size] = '\0';
  on_refusal = escape;
  run(bytes, size);
  free_allotted();
  free(plan_text);
  plan_text = NULL;
  free(bytes);
  return 0;
}

#ifdef CORDON_STANDALONE_FUZZER

/* Where libFuzzer is missing: mutates the seeds given, for -max_total_time=N seconds or -runs=N. */
#include <dirent.h>
#include <stdio.h>
#include <time.h>

enum { LARGEST_SEED = 1 << 16, MAX_SEEDS = 256 };

static struct slice seeds[MAX_SEEDS];
static size_t seed_count;
static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  return random_state ^= random_state << 17;
}

static void load_seed(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || seed_count == MAX_SEEDS) return;
  struct slice *seed = &seeds[seed_count];
  seed->text = malloc(LARGEST_SEED);
  seed->length = seed->text ? fread(seed->text, 1, LARGEST_SEED, file) : 0;
  if (seed->length) seed_count++;
  fclose(file);
}

static void load_folder(const char *folder) {
  DIR *listing = opendir(folder);
  if (!listing) return;
  for (struct dirent *entry; (entry = readdir(listing));) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (entry->d_name[0] != '.') load_seed(path);
  }
  closedir(listing);
}

static size_t mutate(char *out) {
  static const char telling[] = " \n\\*?[]=!-ecx09az#\0\xff";
  const struct slice *seed = &seeds[next_random() % seed_count];
  size_t length = seed->length;
  memcpy(out, seed->text, length);
  for (size_t rounds = 1 + next_random() % 8; rounds && length > 1; rounds--) {
    size_t at = next_random() % length, span = 1 + next_random() % (length - at);
    switch (next_random() % 4) {
      case 0: out[at] = telling[next_random() % sizeof telling]; break;
      case 1: out[at] ^= (char)(1 << next_random() % 8); break;
      case 2: memmove(out + at, out + at + span, length - at - span); length -= span; break;
      default:
        if (length + span > 2 * LARGEST_SEED) break;
        memmove(out + at + span, out + at, length - at);
        length += span;
    }
  }
  return length;
}

int main(int argc, char **argv) {
  static char input[2 * LARGEST_SEED];
  long seconds = 10, runs = -1;
  for (int i = 1; i < argc; i++) {
    if (sscanf(argv[i], "-max_total_time=%ld", &seconds) == 1 || sscanf(argv[i], "-runs=%ld", &runs) == 1) continue;
    if (argv[i][0] != '-') load_folder(argv[i]);
  }
  if (!seed_count) return 1;
  time_t end = time(NULL) + seconds;
  for (long i = 0; runs < 0 ? time(NULL) < end : i < runs; i++)
    LLVMFuzzerTestOneInput((const uint8_t *)input, mutate(input));
  return 0;
}

#endif
