#include "barrier.h"
#include "render.h"
#include "protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ABOVE_ALL_TARGETS = 16 };

struct parts {
  int control, program, errors, nothing;
  const int *data;
  size_t data_count;
};

static char *find_pwd(char **entries) {
  for (; *entries; entries++)
    if (strncmp(*entries, "PWD=", 4) == 0) return *entries;
  return NULL;
}

/* Queued before the receiver exists, so that the inner process finds it at once. */
static void send_setup(const struct barrier *barrier, const struct launch *launch, const char *workspace) {
  const struct plan *plan = &launch->plan;
  char *pwd = find_pwd(launch->env.entries);
  size_t pwd_length = pwd ? strlen(pwd) : 0, name_length = strlen(subject());
  if (pwd_length > MAX_PWD) refuse("PWD is too long", NULL);
  struct setup setup = {.caller_mask = barrier->watch.caller_mask,
                        .child_signal_ignored = barrier->watch.caller_child_action.sa_handler == SIG_IGN,
                        .landlock_scope = plan->landlock_scope,
                        .look = plan->look,
                        .leads_group = barrier->terminal.is_lent,
                        .workspace_length = (int32_t)strlen(workspace),
                        .name_length = (int32_t)name_length,
                        .pwd_length = pwd ? (int32_t)pwd_length : NO_PWD,
                        .instruction_count = (int32_t)(plan->seccomp.length / sizeof(struct bpf_instruction)),
                        .limit_count = (uint32_t)plan->limit_count};
  memcpy(setup.limits, plan->limits, sizeof setup.limits);
  struct iovec parts[] = {{&setup, sizeof setup},
                          {plan->seccomp.text, plan->seccomp.length},
                          {pwd, pwd_length},
                          {(char *)workspace, strlen(workspace)},
                          {(char *)subject(), name_length}};
  struct msghdr packet = {.msg_iov = parts, .msg_iovlen = 5};
  if (sendmsg(barrier->control, &packet, MSG_NOSIGNAL) < 0) refuse("cannot set up the sandbox: ", error_text(errno), NULL);
}

static char **bubblewrap_argv(const struct launch *launch, struct rendering *rendering) {
  render(rendering, launch);
  struct strings argv = rendering->arguments;
  strings_add(&argv, (char *)"--");
  strings_add(&argv, (char *)PROGRAM_PATH);
  strings_add(&argv, (char *)INNER_FLAG);
  strings_add(&argv, launch->plan.command);
  for (char **arg = launch->argv; *arg; arg++) strings_add(&argv, *arg);
  strings_add(&argv, NULL);
  return argv.items;
}

/* In memory only, above every descriptor that something is placed on. */
static int open_data(const struct slice *content, size_t count) {
  int fd = memfd_create("cordon", MFD_CLOEXEC);
  if (fd < 0 || !write_whole(fd, content->text, content->length) || lseek(fd, 0, SEEK_SET) != 0) return -1;
  int moved = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE_ALL_TARGETS + (int)count);
  close(fd);
  return moved;
}

static int *open_all_data(const struct rendering *rendering) {
  int *opened = allot(rendering->data_count, sizeof *opened);
  for (size_t i = 0; i < rendering->data_count; i++) {
    opened[i] = open_data(&rendering->data[i], rendering->data_count);
    if (opened[i] < 0) refuse("cannot set up the sandbox: ", error_text(errno), NULL);
  }
  return opened;
}

static bool place(int from, int to) { return dup2(from, to) == to; }

/*
 * Bubblewrap stays until the end, so it does not get the real input and output: whoever waits for the command to
 * close them would wait for it too. Only a terminal stays, because bubblewrap makes /dev/console of it.
 */
static bool place_descriptors(struct parts parts) {
  int *moved[] = {&parts.control, &parts.program, &parts.errors, &parts.nothing};
  for (size_t i = 0; i < 4; i++) *moved[i] = fcntl(*moved[i], F_DUPFD, ABOVE_ALL_TARGETS + (int)parts.data_count);
  int output = isatty(STDOUT_FILENO) ? STDOUT_FILENO : parts.nothing;
  bool placed = place(parts.control, CONTROL_FD) && place(parts.program, PROGRAM_FD) &&
                place(STDIN_FILENO, REAL_STDIN_FD) && place(STDOUT_FILENO, REAL_STDOUT_FD) &&
                place(STDERR_FILENO, REAL_STDERR_FD) && place(parts.nothing, STDIN_FILENO) &&
                place(output, STDOUT_FILENO) && place(parts.errors, STDERR_FILENO);
  for (size_t i = 0; i < parts.data_count && placed; i++) placed = place(parts.data[i], FIRST_FREE_FD + (int)i);
  close_descriptors_from(FIRST_FREE_FD + (unsigned)parts.data_count);
  return placed;
}

/* With everything blocked no signal to the group can end bubblewrap before the command has had its say. */
static _Noreturn void become_bubblewrap(const struct launch *launch, struct parts parts, char **argv, pid_t parent) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  die_with_parent(parent);
  if (!place_descriptors(parts)) _exit(EXIT_OWN_FAILURE);
  execve(argv[0], argv, launch->env.entries);
  const char *why = error_text(errno);
  write_whole(STDERR_FILENO, argv[0], strlen(argv[0]));
  write_whole(STDERR_FILENO, ": ", 2);
  write_whole(STDERR_FILENO, why, strlen(why));
  _exit(EXIT_OWN_FAILURE);
}

void start_bubblewrap(struct barrier *barrier, const struct launch *launch) {
  int control[2], errors[2];
  int program = open("/proc/self/exe", O_PATH | O_CLOEXEC), nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (program < 0 || nothing < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0 ||
      pipe2(errors, O_CLOEXEC | O_NONBLOCK) != 0)
    refuse("cannot set up the sandbox: ", error_text(errno), NULL);
  barrier->control = control[0];
  barrier->errors = errors[0];
  struct rendering rendering;
  char **argv = bubblewrap_argv(launch, &rendering);
  send_setup(barrier, launch, rendering.workspace);
  size_t data_count = rendering.data_count;
  int *data = open_all_data(&rendering);
  pid_t self = getpid();
  barrier->child = vfork();
  if (barrier->child < 0) refuse("cannot fork: ", error_text(errno), NULL);
  if (barrier->child == 0)
    become_bubblewrap(launch, (struct parts){control[1], program, errors[1], nothing, data, data_count}, argv, self);
  close(control[1]);
  close(errors[1]);
  close(program);
  close(nothing);
  for (size_t i = 0; i < data_count; i++) close(data[i]);
}
