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

/* The mount calls by descriptor have the same numbers on every architecture. */
#define SYS_open_tree_ 428
#define SYS_move_mount_ 429
#define SYS_fsopen_ 430
#define SYS_fsconfig_ 431
#define SYS_fsmount_ 432
#define SYS_pidfd_open_ 434
#define SYS_openat2_ 437
#define SYS_mount_setattr_ 442

#define OPEN_TREE_CLONE_ 1u
#define OPEN_TREE_CLOEXEC_ 02000000u
#define AT_RECURSIVE_ 0x8000u
#define MOVE_MOUNT_BY_DESCRIPTORS 0x44u
#define FSOPEN_CLOEXEC_ 1u
#define FSMOUNT_CLOEXEC_ 1u
#define FSCONFIG_SET_FLAG_ 0u
#define FSCONFIG_SET_STRING_ 1u
#define FSCONFIG_CMD_CREATE_ 6u
#define MOUNT_ATTR_RDONLY_ 1u
#define MOUNT_ATTR_NOSUID_ 2u
#define MOUNT_ATTR_NODEV_ 4u
#define MOUNT_ATTR_NOEXEC_ 8u

struct mount_attributes {
  uint64_t set, clear, propagation, user_namespace;
};

#define RESOLVE_NO_MAGICLINKS_ 2u
#define RESOLVE_NO_SYMLINKS_ 4u

struct open_how_ {
  uint64_t flags, mode, resolve;
};

/* What statx(2) tells, as far as it is used. */
#define STATX_ATTR_MOUNT_ROOT_ 0x2000u
#define STATX_MNT_ID_ 0x1000u
struct file_facts {
  uint32_t known, block_size;
  uint64_t attributes, others[16], mount, more[13];
};

#define KEYCTL_JOIN_SESSION_KEYRING_ 1

/* Capabilities, as capset(2) takes them. */
#define CAPABILITY_VERSION_3 0x20080522u
struct capability_header {
  uint32_t version;
  int pid;
};
struct capability_data {
  uint32_t effective, permitted, inheritable;
};
enum { LAST_CAPABILITY = 63 };

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
