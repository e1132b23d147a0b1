#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command with libhotpath in all its processes. Meanwhile all functions of those that have sleds are armed and disarmed, a
hundred times a second. A command that is over sooner is run again, until enough requests were served.

usage: toggle.py PREFIX LEAST COMMAND...     processes whose program's path begins with PREFIX; LEAST requests are enough. The exit
                                             status is that of the command, or 1 if a hundred runs were not enough.
"""
import os
import subprocess
import sys
import time

HOTPATH = os.environ["HOTPATH"]
LIBRARY = os.path.join(os.environ["BUILD"], "src/library/libhotpath.so")
PAUSE = 0.01
RUNS_MAX = 100


def processes(prefix):
    """The processes that can be asked, of programs with paths that begin so."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/exe").startswith(prefix):
                with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
                    if "/memfd:hotpath-signal-" in maps.read():
                        yield pid
        except OSError:
            pass


def toggle(prefix, running):
    """How many requests were served until a command has ended."""
    served, arms = 0, True
    while running.poll() is None:
        began = time.monotonic()
        for pid in processes(prefix):
            served += subprocess.run((HOTPATH, "arm" if arms else "disarm", pid), stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL, check=False).returncode == 0
        arms = not arms
        time.sleep(max(0, began + PAUSE - time.monotonic()))
    return served


def main():
    prefix, least, command = os.path.realpath(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    served = runs = 0
    while served < least and runs < RUNS_MAX:
        with subprocess.Popen(command, env={**os.environ, "LD_PRELOAD": LIBRARY}) as running:
            served += toggle(prefix, running)
        runs += 1
        if running.returncode:
            sys.exit(running.returncode if running.returncode > 0 else 128 - running.returncode)
    print(f"armed or disarmed {served} times in {runs} runs: {' '.join(command)}", file=sys.stderr)
    sys.exit(0 if served >= least else 1)


main()
