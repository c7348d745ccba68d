# System packages: installs what is missing where it may, and says plainly what it could not get and what that costs.

say() { printf 'set-up: %s\n' "$*" >&2; }

# Descriptor 9 is the lock of the set-up: a service that a package starts must not keep it.
as_root() {
  if ((EUID == 0)); then
    "$@" 9<&-
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo -n "$@" 9<&-
  else
    return 1
  fi
}

apt_output=
apt() {
  command -v apt-get >/dev/null || return 1
  apt_output=$(as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" 2>&1 </dev/null)
}

apt_install() { apt install -y --no-install-recommends "$@"; }

# need CHECK COST PACKAGE...: the function CHECK succeeds when nothing is missing; COST is what its absence means.
checks=() costs=() packages=()
need() {
  "$1" && return
  checks+=("$1") costs+=("$2") packages+=("${*:3}")
}

# CORDON_SET_UP_PACKAGES=no: on a machine that is somebody else's, such as a CI runner, nothing is installed for the system.
install_missing() {
  ((${#checks[@]})) || return 0
  local i package all=${packages[*]}
  if [[ ${CORDON_SET_UP_PACKAGES-} == no ]]; then
    say "not installed, as asked: $all"
    return
  fi
  say "installing $all"
  # The package lists may be absent or old, and one unknown package must not keep the others away.
  apt_install $all || { apt update; apt_install $all; } || for package in $all; do apt_install "$package"; done
  for i in "${!checks[@]}"; do
    "${checks[i]}" && continue
    [[ $apt_output ]] && printf '%s\n' "$apt_output" | tail -n 3 >&2
    say "could not install ${packages[i]}: ${costs[i]} (as root: apt-get install ${packages[i]})"
  done
}
