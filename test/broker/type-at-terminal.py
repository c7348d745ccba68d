"""Starts a program on a terminal of its own and types an answer when it is asked: the word it is asked for, or another text.
type-at-terminal.py word|TEXT PROGRAM [ARG...]"""

import os
import pty
import re
import select
import sys
import time

typed, *program = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(program[0], program)
seen, end, answered = "", time.monotonic() + 60, False
while time.monotonic() < end:
    ready, _, _ = select.select([terminal], [], [], 1)
    try:
        seen += os.read(terminal, 4096).decode("utf-8", "replace") if ready else ""
    except OSError:
        break
    word = re.search(r"type ([0-9a-f]{6}) and Enter", seen)
    if word and not answered:
        answered = True
        os.write(terminal, (word[1] if typed == "word" else typed).encode() + b"\n")
        if typed not in ("word", "no"):
            # Not what was asked for, so that it still waits: only then no.
            os.write(terminal, b"no\n")
os.close(terminal)
os.waitpid(child, 0)
print(seen)
