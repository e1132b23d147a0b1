#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls and bytes of programs that nobody changed are those that strace sees: sqlite3, git and tar.

usage: io_strace.py, with HOTPATH and BUILD set
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HOTPATH = os.environ["HOTPATH"]

# How operations of the report are called by strace. A call of stdio may make several system calls, and close and flush write what
# is in buffers; so calls are compared of descriptors, and bytes of all.
READS = ("read", "pread64", "readv", "preadv", "preadv2")
WRITES = ("write", "pwrite64", "writev", "pwritev", "pwritev2")
SYNCS = ("fsync", "fdatasync")
CALL = re.compile(r"^(?:\[pid +\d+\] |\d+ +)?(\w+)\((\d+)<([^>]*)>.*\) += (-?\d+)")


def scripts(folder):
    """The programs, each with its arguments; what is read and written is the same in each run."""
    statements = "".join(f"INSERT INTO t VALUES({i}, hex(zeroblob(200)));" for i in range(30))
    statement = f"CREATE TABLE t(a, b); {statements} SELECT count(*), sum(a) FROM t;"
    return {
        "sqlite3": (["sqlite3", f"{folder}/new/db", statement], lambda path: "/new/db" in path),
        "git": (["git", "-C", f"{folder}/tree", "fsck", "--no-progress"], lambda path: "/tree/" in path),
        "tar": (["tar", "-C", f"{folder}/tree", "-cf", f"{folder}/new/tar", "."], lambda path: f"{folder}/" in path),
    }


def make_tree(folder):
    """A small repository."""
    tree = f"{folder}/tree"
    os.makedirs(f"{tree}/sub")
    for i in range(40):
        with open(f"{tree}/sub/{i}", "w", encoding="utf-8") as file:
            file.write(f"line {i}\n" * (10 + 137 * i))
    git = ["git", "-C", tree, "-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"], ["gc", "-q"]):
        subprocess.run(git + arguments, check=True, env={**os.environ, "HOME": folder})


def fresh(folder):
    shutil.rmtree(f"{folder}/new", ignore_errors=True)
    os.makedirs(f"{folder}/new")


def run(command, folder):
    fresh(folder)
    return subprocess.run(command, capture_output=True, check=False, env={**os.environ, "HOME": folder, "LC_ALL": "C"})


def traced(command, folder, wanted):
    """Calls and bytes by operation, as strace sees them."""
    log = f"{folder}/log"
    calls = ",".join((*READS, *WRITES, *SYNCS))
    done = run(["strace", "-f", "-y", "-e", f"trace={calls}", "-o", log, *command], folder)
    seen = {}
    with open(log, encoding="utf-8", errors="replace") as lines:
        for match in filter(None, map(CALL.match, lines)):
            name, _, path, result = match.groups()
            if not wanted(path):
                continue
            operation = "read" if name in READS else "write" if name in WRITES else name
            count, size = seen.get(operation, (0, 0))
            seen[operation] = (count + 1, size + (max(int(result), 0) if name not in SYNCS else 0))
    return done, seen


def recorded(command, folder, wanted):
    """The same, as the report has them."""
    report = f"{folder}/report"
    done = run([HOTPATH, "run", "--no-cpu", "--waits=io", "--io-limit", "0", "--format", "json", "-o", report, "--", *command], folder)
    seen = {}
    with open(report, encoding="utf-8") as lines:
        rows = [row for line in lines for row in json.loads(line).get("io", {"data": []})["data"]]
    for row in rows:
        operation = row["operation"]
        if not wanted(row["target"]) or operation not in ("read", "write", "flush", *SYNCS):
            continue
        operation = "write" if operation == "flush" else operation
        count, size = seen.get(operation, (0, 0))
        seen[operation] = (count + row["calls"], size + row["bytes"])
    return done, seen


def compare(name, command, folder, wanted):
    """What differs, as a sentence; None when nothing does."""
    plain = run(command, folder)
    _, own = traced(command, folder, wanted)
    done, told = recorded(command, folder, wanted)
    if (done.returncode, done.stdout) != (plain.returncode, plain.stdout):
        return f"{name}: ends with {done.returncode}, and prints {done.stdout!r}, not {plain.stdout!r}"
    if not own or own != told:
        return f"{name}: strace sees {own}, the report {told}"
    return None


def main():
    missing = [name for name in ("strace", "sqlite3", "git", "tar") if not shutil.which(name)]
    if missing or subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode:
        print("skipped:", ", ".join(missing) or "strace may not trace here")
        return 77
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        os.environ["HOTPATH_DIR"] = f"{folder}/segments"
        os.mkdir(f"{folder}/segments", 0o700)
        make_tree(folder)
        for name, (command, wanted) in scripts(folder).items():
            failures.append(compare(name, command, folder, wanted))
    failures = list(filter(None, failures))
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
