"""Types a line and Tab into an interactive shell on a terminal of its own, and prints what the shell shows until a pattern is there.
type-and-complete.py PATTERN LINE SHELL [ARG...]"""

import os
import pty
import re
import select
import sys
import time

LIMIT = 30


def read_until(terminal, pattern):
    seen = ""
    end = time.monotonic() + LIMIT
    while not re.search(pattern, seen):
        ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
        if not ready:
            raise SystemExit(f"not seen within {LIMIT} s: {pattern}\n{seen!r}")
        try:
            seen += os.read(terminal, 4096).decode("utf-8", "replace")
        except OSError:
            raise SystemExit(f"the shell ended: {seen!r}")
    return seen


pattern, line, *shell = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(shell[0], shell)
read_until(terminal, "ready>")
os.write(terminal, line.encode() + b"\t")
print(read_until(terminal, pattern))
os.close(terminal)
os.waitpid(child, 0)
