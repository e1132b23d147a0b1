#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The last line of a run in a terminal names what was not used and makes sense for the program; nobody else sees it."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import tempfile
import termios

HOTPATH = os.environ["HOTPATH"]
BUILD = os.environ["BUILD"]
CC = os.environ.get("CC", "cc").split()
PROGRAM = """
int main(void)
{
	for (volatile long i = 0; i < 40000000; i++)
		;
	return 0;
}
"""
failed = 0


def check(is_right, what):
    global failed
    if not is_right:
        print("FAILED:", what)
        failed = 1


def build(folder, name, *options):
    path = os.path.join(folder, name)
    done = subprocess.run([*CC, "-x", "c", "-O1", "-", "-o", path, *options], input=PROGRAM, text=True)
    return path if done.returncode == 0 else None


def in_terminal(columns, *words):
    """What hotpath run prints in a terminal."""
    pid, master = pty.fork()
    if pid == 0:
        os.environ["NO_COLOR"] = "1"
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
        os.execv(HOTPATH, [HOTPATH, "run", *words])
    text = b""
    try:
        while piece := os.read(master, 65536):
            text += piece
    except OSError:
        pass
    os.close(master)
    os.waitpid(pid, 0)
    return text.decode()


def hints(columns, *words):
    """The names in the last line; None if there is no such line, and an error if it is there twice."""
    text = in_terminal(columns, *words)
    lines = [line for line in text.splitlines() if line.startswith("More: ")]
    check(len(lines) <= 1, f"{words}: the line is there more than once: {text}")
    check(not lines or text.splitlines()[-1] == lines[0], f"{words}: it is not the last: {text}")
    check(all(len(line) <= columns for line in lines), f"{words}: it is wider than the terminal: {lines}")
    return lines[0].removeprefix("More: ") if lines else None


def expect(wanted, *words, columns=120):
    found = hints(columns, *words)
    check(found == wanted, f"{words}: {found!r} instead of {wanted!r}")


def main(folder):
    everything = "--alloc (memory), --waits (locks, I/O), hotpath cc (every call), hotpath export (flame graph)"
    own, stripped = build(folder, "own"), build(folder, "stripped", "-s")
    expect(everything, own)
    expect("--alloc, --waits, hotpath cc, hotpath export", own, columns=80)
    expect("--alloc (memory), --waits (locks, I/O), hotpath cc (every call)", "--no-cpu", own)
    expect("--waits (locks, I/O), hotpath cc (every call), hotpath export (flame graph)", "--alloc=count", own)
    expect("hotpath cc (every call), hotpath export (flame graph)", "--all", own)
    # A stripped program was built by others; one that is measured was built by hotpath cc, or has macros.
    expect("--alloc (memory), --waits (locks, I/O), hotpath export (flame graph)", stripped)
    expect("--alloc (memory), --waits (locks, I/O)", "--no-cpu", os.path.join(BUILD, "examples/basic"))
    static = build(folder, "static", "-static")
    if static:
        expect("hotpath cc (every call), hotpath export (flame graph)", static)
    script = os.path.join(folder, "script")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\n{own}\n{own}\n")
    os.chmod(script, 0o755)
    expect("--alloc (memory), --waits (locks, I/O), hotpath export (flame graph)", script)
    # In a file, in JSON and in a pipe there is none.
    report = os.path.join(folder, "report")
    expect(None, "-o", report, own)
    with open(report, encoding="utf-8") as file:
        check("More: " not in file.read(), "it is in a file")
    expect(None, "--format", "json", own)
    piped = subprocess.run([HOTPATH, "run", own], stderr=subprocess.PIPE, text=True, check=False).stderr
    check("[hotpath]" in piped and "More: " not in piped, f"in a pipe: {piped}")


with tempfile.TemporaryDirectory() as work:
    os.environ["HOTPATH_DIR"] = os.path.join(work, "segments")
    os.mkdir(os.environ["HOTPATH_DIR"], 0o700)
    for name in ("HOTPATH_CPU", "HOTPATH_ALLOC", "HOTPATH_REPORT", "HOTPATH_OUTPUT_FORMAT"):
        os.environ.pop(name, None)
    main(work)
sys.exit(failed)
