# What an agent's shell can get at, all of it into dump.txt: $1 is a list of files to read.
exec >dump.txt 2>&1
echo '== environment'
env
echo '== ancestors'
pid=$$
while [ "${pid:-0}" -gt 0 ]; do
  tr '\0' '\n' <"/proc/$pid/environ"
  tr '\0' '\n' <"/proc/$pid/cmdline"
  pid=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status")
done
echo '== all processes'
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\0' '\n'
echo '== descriptors'
for fd in /proc/[0-9]*/fd/*; do
  readlink "$fd"
  case $(readlink "$fd") in
    */dump.txt*) ;;
    *) [ -f "$fd" ] && head -c 100000 "$fd" ;;
  esac
done
echo '== files'
while read -r file; do cat "$file"; done <files.txt
cat ~/.codex/shell_snapshots/* ~/.claude/shell-snapshots/*
echo '== shells'
bash -lc env
bash -ic env
zsh -c env
echo '== end'
