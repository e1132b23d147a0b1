# SPDX-License-Identifier: MIT
"""Programs of which it is to be known whether they run, and the tool that says so."""
import json
import os
import subprocess
import time

HOTPATH = os.environ["HOTPATH"]
PROGRAM = os.path.join(os.environ["BUILD"], "tests/programs/watched")
failures = []


def fail(what):
    print("FAILED:", what)
    failures.append(what)


def skip(why):
    print("skipped:", why)
    raise SystemExit(77)


def can(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


class Program:
    """A program that has measured something, and waits for a line; started by a command, such as unshare."""

    def __init__(self, folder, *by):
        self.folder = folder
        self.process = subprocess.Popen([*by, PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "HOTPATH_DIR": folder, "HOTPATH_OUTPUT_FORMAT": "none"})
        self.ask("work 3")

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().split()

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


def tool(folder, *arguments):
    return subprocess.run([HOTPATH, *arguments], env={**os.environ, "HOTPATH_DIR": folder}, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def listed(folder):
    """The segments in a folder, and whether their programs run."""
    return json.loads(tool(folder, "list", "--json").stdout or "[]")


def is_alive(folder):
    return [item["live"] for item in listed(folder)] == [True]


def expect_alive(what, folder):
    """It runs, and nothing removes its segment."""
    if not is_alive(folder):
        fail(f"{what}: not taken for alive: {listed(folder)}")
    tool(folder, "list", "--clean")
    tool(folder, "run", "--format", "none", "true")
    if len(listed(folder)) != 1:
        fail(f"{what}: its segment was removed")


def expect_ended(what, folder):
    """It does not run, and its segment can be removed. A killed process is gone in a moment."""
    deadline = time.monotonic() + 10
    while is_alive(folder) and time.monotonic() < deadline:
        pass
    if [item["live"] for item in listed(folder)] != [False]:
        fail(f"{what}: not taken for ended: {listed(folder)}")
    tool(folder, "list", "--clean")
    if listed(folder):
        fail(f"{what}: its segment was not removed")
