#!/bin/sh
# Builds the native programs into native/build. Says nothing when nothing is to be done.
#   build.sh              cordon-launch, cordon and decide-cases
#   build.sh sanitize     the same under build/sanitize, with AddressSanitizer and UndefinedBehaviorSanitizer
#   build.sh package      build/linux-x64 and build/linux-arm64, static, for the npm package; needs both compilers
#   build.sh fuzz         build/fuzz-plan, the fuzzer over the plan parser and the rules
#   CC=…                  another compiler
set -eu
here=$(cd "$(dirname "$0")" && pwd)
target=${1:-release}
version=$(sed -n 's/^ *"version": *"\([^"]*\)".*/\1/p' "$here/../package.json" | head -n 1)

core='memory bytes text message descriptors pattern match rules values names env field instructions place_instructions numbers plan'
launch='launch filter barrier undumpable outside namespaces input mount mounts paths sources compose certificates listing installed programs workspace worktrees said projects git_config git_index git_steps git_operations git_symlinks git_walk git_judge git_ledger git frozen masks layer devices cover keeper root mention aside record come_back changes probe bubblewrap render terminal pty execute stale shim incoming later ask relay launches notices audit watch child inner lockdown look trace ending status'

warnings='-Wall -Wextra -Werror -Wshadow -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wcast-qual -Wno-cast-qual'
common="-std=c11 -D_GNU_SOURCE -DCORDON_VERSION=\"${version:-0}\" $warnings"
hardened='-O2 -fstack-protector-strong -D_FORTIFY_SOURCE=2 -ffunction-sections -fdata-sections'
linked='-Wl,-z,relro,-z,now,-z,noexecstack,-z,noseparate-code,--gc-sections,--build-id=none -s'

has() { command -v "$1" >/dev/null 2>&1; }

sources() { for name in "$@"; do printf '%s/src/%s.c ' "$here" "$name"; done; }

is_current() { # program source…
  program=$1
  shift
  [ -x "$program" ] || return 1
  [ -z "$(find "$@" "$here/src" "$here/build.sh" "$here/../package.json" -newer "$program" -type f -print 2>/dev/null | head -n 1)" ]
}

# The finished program takes its place in one step, so that a shim that starts meanwhile finds the old or the new one.
compile() { # program source…
  program=$1
  shift
  is_current "$program" "$@" && return 0
  mkdir -p "$(dirname "$program")"
  # shellcheck disable=SC2086
  $cc $common $flags -I"$here/src" -o "$program.$$" "$@" $extra && mv -f "$program.$$" "$program"
}

try_flags() { # flag…: those the compiler takes
  for flag in "$@"; do
    if printf 'int main(void){return 0;}' | $cc $flag -Werror -x c -o /dev/null - >/dev/null 2>&1; then printf '%s ' "$flag"; fi
  done
}

programs() { # folder
  core_sources=$(sources $core)
  launch_sources=$(sources $launch)
  compile "$1/cordon-launch" $core_sources $launch_sources $(sources node trusted sha256 kept begun main_front main_launch)
  [ "$1/cordon" -ef "$1/cordon-launch" ] || ln -f "$1/cordon-launch" "$1/cordon"
  if [ -d "$here/tools" ]; then compile "$1/decide-cases" $core_sources "$here/tools/decide_cases.c"; fi
}

release() {
  if is_current "$here/build/cordon-launch" && is_current "$here/build/cordon" && is_current "$here/build/decide-cases" "$here/tools"; then return 0; fi
  if [ -n "${CC:-}" ]; then cc=$CC; elif has musl-gcc; then cc=musl-gcc; else cc=gcc; has gcc || cc=cc; fi
  extra=''
  flags="$hardened $linked $(try_flags -fcf-protection=full -mbranch-protection=standard -static)"
  programs "$here/build"
}

# Debian's cross compiler for the machine that this is not; the C library is linked in, so that nothing is needed there.
package() {
  here_is=$(uname -m)
  for target in x64:x86_64 arm64:aarch64; do
    machine=${target#*:}
    cc=$machine-linux-gnu-gcc
    [ "$machine" = "$here_is" ] && has musl-gcc && cc=musl-gcc
    has "$cc" || { echo "build.sh: there is no $cc (on Debian: gcc-$(printf %s "$machine" | tr _ -)-linux-gnu)" >&2; exit 1; }
    extra=''
    flags="$hardened $linked $(try_flags -fcf-protection=full -mbranch-protection=standard) -static"
    programs "$here/build/linux-${target%:*}"
  done
}

sanitize() {
  cc=${CC:-gcc}
  has "$cc" || cc=clang
  extra=''
  flags='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -DCORDON_SANITIZE'
  programs "$here/build/sanitize"
}

fuzz() {
  cc=${CC:-clang}
  extra=''
  flags='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined,fuzzer -fno-sanitize-recover=all'
  if ! has "$cc" || ! printf 'int LLVMFuzzerTestOneInput(const void*d,unsigned long n){return d&&n?0:0;}' | $cc $flags -x c -o /dev/null - >/dev/null 2>&1; then
    cc=${CC:-gcc}
    flags='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -DCORDON_STANDALONE_FUZZER'
  fi
  compile "$here/build/fuzz-plan" $(sources $core) "$here/fuzz/fuzz_plan.c"
}

case $target in
  release | package | sanitize | fuzz) "$target" ;;
  *) echo "build.sh: unknown target $target" >&2; exit 2 ;;
esac
