#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether a program runs is known: whatever its namespaces are, however it ends, whoever outlives it."""
import json
import os
import signal
import tempfile
import time

from alive import Program, can, expect_alive, expect_ended, fail, failures, listed, tool

ROOT = ["-r"] if os.getuid() else []


def ends(folder):
    program = Program(folder)
    expect_alive("a program", folder)
    program.end()
    expect_ended("a program that ended", folder)


def is_killed(folder):
    program = Program(folder)
    program.process.kill()
    program.end()
    expect_ended("a program that was killed", folder)


def has_child(folder):
    """A child inherits what is mapped, and may live on."""
    program = Program(folder)
    child = int(program.ask("child")[0])
    expect_alive("a program with a child", folder)
    program.end()
    expect_ended("a program whose child lives on", folder)
    os.kill(child, signal.SIGKILL)


def becomes_another(folder):
    program = Program(folder)
    program.process.stdin.write("become /bin/cat\n")
    program.process.stdin.flush()
    while os.readlink(f"/proc/{program.process.pid}/exe").endswith("watched"):
        pass
    expect_ended("a program that became another", folder)
    program.end()


def in_pid_namespace(folder):
    by = ["unshare", *ROOT, "--pid", "--fork", "--kill-child"]
    if not can(*by, "true"):
        print("skipped: PID namespaces may not be made here")
        return
    program = Program(folder, *by)
    expect_alive("a program in another PID namespace", folder)
    # Its process id is 1, which is another process here.
    if tool(folder, "report", "--format", "json").returncode:
        fail("a program in another PID namespace has no report")
    program.end()
    expect_ended("a program that ended in another PID namespace", folder)
    program = Program(folder, *by)
    program.process.kill()
    program.end()
    expect_ended("a program that was killed in another PID namespace", folder)


def elapsed(folder):
    return json.loads(tool(folder, "report", "--format", "json").stdout)["elapsed_ns"]


def in_time_namespace(folder, monotonic):
    by = ["unshare", *ROOT, "--time", "--monotonic", monotonic, "--fork", "--kill-child"]
    if not can(*by, "true"):
        print("skipped: time namespaces may not be made here")
        return
    before = time.monotonic_ns()
    program = Program(folder, *by)
    began = time.monotonic_ns()
    while time.monotonic_ns() < began + 200_000_000:
        program.ask("work 3")
    least = time.monotonic_ns() - began
    shown = elapsed(folder)
    most = time.monotonic_ns() - before
    if not least <= shown <= most:
        fail(f"in a time namespace of {monotonic} s: {shown} ns, not {least} to {most}")
    program.end()
    shown = elapsed(folder)
    if not least <= shown <= time.monotonic_ns() - before:
        fail(f"after its end in a time namespace of {monotonic} s: {shown} ns, not from {least}")
    tool(folder, "list", "--clean")


with tempfile.TemporaryDirectory() as folder:
    ends(folder)
    is_killed(folder)
    has_child(folder)
    becomes_another(folder)
    in_pid_namespace(folder)
    in_time_namespace(folder, "1000")
    in_time_namespace(folder, "-100")
    if listed(folder):
        fail(f"left behind: {listed(folder)}")
raise SystemExit(1 if failures else 0)
