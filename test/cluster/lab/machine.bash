# "Machines" on this machine: each has a root of its own over the tree that `build` made, namespaces of its own, control groups below
# one of ours, and an address on a bridge that lives in a network namespace of its own. Nothing of the host's network is touched, and
# nothing leads out.
# Needs: kube (what build made), lab (a folder for this time).

declare -A address=([one]=10.77.0.21 [two]=10.77.0.22) pods=([one]=10.89.1 [two]=10.89.2)
groups=/sys/fs/cgroup
below=${lab##*/}

wait_for() { # SECONDS COMMAND...
  local until=$((SECONDS + $1))
  until "${@:2}" >/dev/null 2>&1; do
    ((SECONDS < until)) || { echo "cluster: waited $1 s in vain for: ${*:2}" >&2 && return 1; }
    sleep 0.2
  done
}

# Ends with the shell that started it, however that ends.
bound() { setsid setpriv --pdeathsig KILL "$@" </dev/null & }

start_bridge() {
  bound unshare --net sleep infinity
  echo $! >"$lab/bridge.pid"
  # Until it is in its own: the host's would get the bridge.
  wait_for 60 bridge_is_apart
  on_bridge sh -ec "ip link add br0 type bridge; ip link set lo up; ip addr add 10.77.0.1/24 dev br0; ip link set br0 up
    ip route add ${pods[one]}.0/24 via ${address[one]}; ip route add ${pods[two]}.0/24 via ${address[two]}"
}

bridge_is_apart() { [[ $(readlink "/proc/$(<"$lab/bridge.pid")/ns/net") != "$(readlink /proc/self/ns/net)" ]]; }

on_bridge() { nsenter --net="/proc/$(<"$lab/bridge.pid")/ns/net" "$@"; }

make_groups() { # NAME
  local group path file
  for group in "$groups"/*/; do
    for path in "$group$below" "$group$below/$1"; do
      mkdir -p "$path"
      for file in cpuset.cpus cpuset.mems; do [[ ! -e $path/$file ]] || cat "$group$file" >"$path/$file"; done
    done
  done
}

start_machine() { # NAME
  local name=$1 own=$lab/$1 pid
  mkdir -p "$own"/{upper,work,root,var}
  make_groups "$name"
  cp -a "$kube/machine/var/lib/." "$own/var/"
  # Control groups first: the namespace of them starts where a process is.
  bound sh -c "for group in $groups/*/; do echo 0 >\${group}$below/$name/cgroup.procs; done
    exec unshare --cgroup --mount --uts --ipc --net --pid --fork --kill-child sh -e '$own/init'" >"$own/log" 2>&1
  pid=$!
  wait_for 60 test -e "$own/ready"
  cut -d ' ' -f 1 "/proc/$pid/task/$pid/children" >"$own/pid"
  pid=$(<"$own/pid")
  on_bridge ip link add "to-$name" type veth peer name eth0 netns "$pid"
  on_bridge ip link set "to-$name" master br0 up
  inside "$name" sh -ec "ip addr add ${address[$name]}/24 dev eth0; ip link set eth0 up; ip route add default via 10.77.0.1
    echo 1 >/proc/sys/net/ipv4/ip_forward"
}

# What a machine does first. It keeps /var/lib on the disk, since layers cannot lie on layers.
write_init() { # NAME
  cat >"$lab/$1/init" <<INIT
mount --make-rprivate /
mount -t overlay overlay -o lowerdir=$kube/machine,upperdir=$lab/$1/upper,workdir=$lab/$1/work $lab/$1/root
cd $lab/$1/root
mount --bind $lab/$1/var var/lib
# The volumes of pods, on a disk that can be filled.
mkdir -p var/lib/kubelet
mount -t tmpfs -o size=384m tmpfs var/lib/kubelet
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mount --rbind /dev dev
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
mount --bind dev/pts/ptmx dev/ptmx
mount -t tmpfs tmpfs dev/shm
mount -t tmpfs tmpfs sys/fs/cgroup
for group in $groups/*/; do
  name=\$(basename \$group)
  mkdir sys/fs/cgroup/\$name
  case \$name in
    unified) mount -t cgroup2 cgroup2 sys/fs/cgroup/unified ;;
    systemd) mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd ;;
    *) mount -t cgroup -o \$name cgroup sys/fs/cgroup/\$name ;;
  esac
done
mkdir -p mnt/kube mnt/lab
mount --bind $kube mnt/kube
mount --bind $lab mnt/lab
hostname $1
ip link set lo up
mkdir -p old
pivot_root . old
umount -l /old
echo "127.0.0.1 localhost $1" >/etc/hosts
echo "nameserver ${address[one]}" >/etc/resolv.conf
mount --make-rshared /
touch /mnt/lab/$1/ready
exec catatonit -- sleep infinity
INIT
}

inside() { # NAME COMMAND...
  nsenter --mount --uts --ipc --net --pid --cgroup --target "$(<"$lab/$1/pid")" --root --wd \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin:/mnt/kube/bin HOME=/root LANG=C.UTF-8 "${@:2}"
}

# In the background of a machine, with its words in /var/log.
service() { # MACHINE NAME COMMAND...
  inside "$1" sh -c 'exec 3>"/var/log/$0.log"; "$@" >&3 2>&1 </dev/null & echo $! >"/run/$0.pid"' "$2" "${@:3}"
}

stop_machines() {
  local name group
  for name in one two; do
    [[ ! -s $lab/$name/pid ]] || kill -9 "$(<"$lab/$name/pid")" 2>/dev/null
  done
  [[ ! -s $lab/bridge.pid ]] || kill "$(<"$lab/bridge.pid")" 2>/dev/null
  # The kernel takes a moment to let go of them.
  for group in "$groups"/*/"$below"; do
    [[ ! -d $group ]] || wait_for 60 sh -c 'find "$0" -depth -type d -exec rmdir {} + 2>/dev/null; [ ! -d "$0" ]' "$group"
  done
}
