/* Times several commands in one run, one after the other in each round, so that whatever else the machine does hits all alike. From the
 * second round on the order changes: what a command leaves to the kernel, such as namespaces to take down, falls on whoever comes next.
 * usage: interleave ROUNDS FILE; FILE holds one command a line, words separated by tabs, the first the folder to start it in; words with a
 * `=` that come next are variables of that command alone.
 * Prints one line of microseconds a round. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_COMMANDS = 64, MAX_WORDS = 512, MAX_VARIABLES = 512 };

extern char **environ;
static char *commands[MAX_COMMANDS][MAX_WORDS + 1];

static int read_commands(const char *path) {
  static char line[1 << 20];
  FILE *file = fopen(path, "r");
  int count = 0;
  if (file == NULL) return -1;
  while (count < MAX_COMMANDS && fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    int words = 0;
    char *rest = strdup(line);
    for (char *word = strtok(rest, "\t"); word != NULL && words < MAX_WORDS; word = strtok(NULL, "\t")) commands[count][words++] = word;
    if (words > 1) count++;
  }
  fclose(file);
  return count;
}

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Its own come first: of two with one name that one counts. */
static char **environment_of(char ***command) {
  static char *all[MAX_VARIABLES + 1];
  int count = 0;
  for (; **command != NULL && strchr(**command, '=') != NULL && count < MAX_VARIABLES; (*command)++) all[count++] = **command;
  for (char **entry = environ; *entry != NULL && count < MAX_VARIABLES; entry++) all[count++] = *entry;
  all[count] = NULL;
  return all;
}

static double time_one(char **argv) {
  pid_t pid;
  int status;
  char **command = argv + 1, **environment = environment_of(&command);
  if (chdir(argv[0]) != 0) { perror(argv[0]); exit(1); }
  double start = microseconds();
  if (posix_spawn(&pid, command[0], NULL, NULL, command, environment) != 0) { perror(command[0]); exit(1); }
  waitpid(pid, &status, 0);
  double taken = microseconds() - start;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) { fprintf(stderr, "%s failed: %d\n", command[0], status); exit(1); }
  return taken;
}

/* The same orders in every run. */
static void shuffle(int *order, int count) {
  static unsigned state = 1;
  for (int i = count - 1; i > 0; i--) {
    state = state * 1664525u + 1013904223u;
    int other = (int)((state >> 16) % (unsigned)(i + 1));
    int kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
}

int main(int argc, char **argv) {
  int count = argc == 3 ? read_commands(argv[2]) : -1;
  if (count <= 0) { fprintf(stderr, "usage: interleave ROUNDS FILE\n"); return 1; }
  int out = dup(1);
  int null = open("/dev/null", O_RDWR);
  dup2(null, 0);
  dup2(null, 1);
  close(null);
  FILE *results = fdopen(out, "w");
  fcntl(out, F_SETFD, FD_CLOEXEC);
  int order[MAX_COMMANDS];
  for (int i = 0; i < count; i++) order[i] = i;
  for (int round = 0; round < atoi(argv[1]); round++) {
    double taken[MAX_COMMANDS];
    if (round > 0) shuffle(order, count);
    for (int i = 0; i < count; i++) taken[order[i]] = time_one(commands[order[i]]);
    for (int i = 0; i < count; i++) fprintf(results, "%.1f%c", taken[i], i + 1 == count ? '\n' : ' ');
  }
  return fclose(results) == 0 ? 0 : 1;
}
