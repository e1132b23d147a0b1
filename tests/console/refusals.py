#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What cannot be watched, or not here: one line, exit status 2, and the terminal is not touched."""
import os
import shutil
import subprocess

from terminal import (HOTPATH, SEGMENTS, WORK, Terminal, children, end_program, fail, figures, finish,
                      start_program)

ALL = figures("all")


def check(what, status, stdout, stderr, text):
    if status != 2 or stdout or stderr.count("\n") != 1 or not stderr.endswith("\n") or text not in stderr:
        fail(f"{what}: {status}, {stdout!r}, {stderr!r}")
    if "\x1b" in stderr:
        fail(f"{what}: an escape sequence in {stderr!r}")


def refuse(text, *arguments, wrapper=(), **environment):
    """At a terminal: nothing but that line."""
    terminal = Terminal([*wrapper, HOTPATH, "console", *arguments], **environment)
    terminal.wait_left(2)
    check(f"{arguments} {environment}", 2, terminal.screen() != "at the shell\nleft" and terminal.screen(),
          terminal.file("stderr"), text)
    terminal.close()


def not_a_terminal():
    done = subprocess.run([HOTPATH, "console", ALL], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    check("no terminal at all", done.returncode, done.stdout, done.stderr, "the console needs a terminal")
    for redirected in ("< /dev/null", "> out"):
        terminal = Terminal(["sh", "-c", f"'{HOTPATH}' console '{ALL}' {redirected}"])
        terminal.wait_left(2)
        check(redirected, 2, terminal.file("out"), terminal.file("stderr"), "the console needs a terminal")


def terminals_that_cannot():
    refuse("the terminal 'dumb' (TERM) cannot move its cursor", ALL, term="dumb")
    refuse("unknown terminal 'no-such' (TERM)", ALL, term="no-such")
    refuse("TERM is not set", ALL, term=None)
    refuse("TERM is not set", ALL, term="")


def targets_that_are_not_there():
    gone = subprocess.Popen(["true"])
    gone.wait()
    refuse(f"process {gone.pid} does not exist", str(gone.pid))
    refuse("no measured program 'no-such-program' is running", "no-such-program")
    sleeper = subprocess.Popen(["sleep", "1000"])
    children.append(sleeper)
    refuse(f"process {sleeper.pid} is not being measured", str(sleeper.pid))
    program = start_program()
    end_program(program)
    refuse(f"process {program.pid} has ended; 'hotpath report {program.pid}' shows its report", str(program.pid))
    refuse("unknown option '--colour'", "--colour")
    refuse("", "one", "two")


def files_that_are_none():
    refuse("version", figures("later"))
    path = os.path.join(WORK, "text")
    with open(path, "w", encoding="utf-8") as file:
        file.write("This is no segment.\n")
    refuse("text", path)
    with open(ALL, "rb") as whole, open(path, "wb") as part:
        part.write(whole.read(100))
    refuse("", path)


def bad_intervals():
    for value in ("0", "49", "60001", "-1", "x", "1e3", "", "99999999999999999999"):
        refuse(f"--refresh-ms: '{value}' is not a number from 50 to 60000", f"--refresh-ms={value}", ALL)
    refuse("--refresh-ms", "--refresh-ms")


def without_permission():
    if os.getuid() or not shutil.which("setpriv"):
        print("not root, or no setpriv: files of others are not tried")
        return
    # Another user can look for files, and may not read them.
    os.chmod(WORK, 0o755)
    program = start_program()
    wrapper = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    segment = os.path.join(SEGMENTS, os.listdir(SEGMENTS)[0])
    hidden = figures("none")
    os.chmod(hidden, 0o600)
    refuse(f"{hidden}: Permission denied", hidden, wrapper=wrapper)
    refuse("Permission denied", segment, wrapper=wrapper)
    refuse(f"cannot look for segments in {SEGMENTS}: Permission denied", str(program.pid), wrapper=wrapper)
    wrapper += ("env", f"HOTPATH_DIR={WORK}/none")
    refuse(f"process {program.pid} belongs to another user", str(program.pid), wrapper=wrapper)
    end_program(program)


not_a_terminal()
terminals_that_cannot()
targets_that_are_not_there()
files_that_are_none()
bad_intervals()
without_permission()
finish()
