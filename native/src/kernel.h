#ifndef CORDON_KERNEL_H
#define CORDON_KERNEL_H

/* The C library's headers may be older than the kernel, and musl brings no kernel headers at all. */

#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif

#define SECCOMP_SET_MODE_FILTER_ 1

struct bpf_instruction {
  uint16_t code;
  uint8_t jump_true, jump_false;
  uint32_t operand;
};

struct bpf_program {
  unsigned short count;
  const struct bpf_instruction *instructions;
};

enum { MAX_BPF_INSTRUCTIONS = 4096 };

#define LANDLOCK_CREATE_VERSION 1u
#define LANDLOCK_SCOPE_ABSTRACT_SOCKETS (1ull << 0)
#define LANDLOCK_SCOPE_SIGNALS (1ull << 1)
enum { LANDLOCK_ABI_WITH_SCOPES = 6 };

struct landlock_ruleset {
  uint64_t handled_access_fs, handled_access_net, scoped;
};

/* si_code of a signal that the kernel itself raised, a terminal's for one. */
#ifndef SI_KERNEL
#define SI_KERNEL 0x80
#endif

#endif
