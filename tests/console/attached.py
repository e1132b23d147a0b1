#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that is sampled from outside: what that costs it is not known; and it runs on when nobody measures it any more."""
import os
import signal
import subprocess
import sys

from terminal import BUILD, HOTPATH, children, console, eventually, fail, finish

PROGRAM = os.path.join(BUILD, "tests/programs/attached")


def attach(pid):
    child = subprocess.Popen([HOTPATH, "attach", "--format", "none", str(pid)])
    children.append(child)
    if not eventually(lambda: is_listed(pid)):
        fail("the program is not measured")
    return child


def is_listed(pid):
    listed = subprocess.run([HOTPATH, "list"], capture_output=True, text=True, check=False).stdout
    return any(str(pid) in line.split() for line in listed.splitlines())


def attached():
    program = subprocess.Popen([PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    children.append(program)
    program.stdout.readline()
    attachment = attach(program.pid)
    terminal = console(str(program.pid), "--refresh-ms", "50", size="100x24")
    terminal.wait_for(r"^attached · pid \d+ · up [\d:]+ · Live · 50 ms · 999 samples/s$")
    attachment.send_signal(signal.SIGINT)
    attachment.wait()
    terminal.wait_for(r"^attached · pid \d+ · up [\d:]+ · Left · ")
    terminal.keys("q")
    terminal.wait_left()
    program.kill()
    program.wait()


if "warn  attaching" in subprocess.run([HOTPATH, "doctor"], capture_output=True, text=True, check=False).stdout:
    print("skipped: the kernel does not allow perf events here")
    sys.exit(77)
attached()
finish()
