#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stacks of a program of Debian's, which keeps no frame pointers, have the callers that perf finds by unwind tables as well."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HOTPATH = os.environ["HOTPATH"]
# The share of a caller may differ by so many points.
POINTS = 2
# The first ten are those that are in nearly all stacks.
CALLERS = 20
# Prime numbers, so that one does not always sample just after the other.
RATE, PERF_RATE = 1999, 1499
# Rounds differ in length: else one sampler would see them at the same moments again and again.
WORK = """
def inner(n):
    return sum(i * i for i in range(n))
for i in range(24000):
    n = i * 7919 % 601
    inner(700 + n)
    sorted(range(200 + n), key=lambda x: -x)
    "-".join(str(j) for j in range(n)).split("-")
"""
PROGRAM = ["/usr/bin/python3", "-c", WORK]


class Skip(Exception):
    pass


def shares(stacks):
    """The share of samples, in percent, in which each named function is a caller. Stacks are (samples, names)."""
    counts, total = {}, 0
    for samples, names in stacks:
        total += samples
        for name in set(names[:-1]):
            if not re.search(r"\+0x|unknown|^\[|^<", name):
                counts[name] = counts.get(name, 0) + samples
    if total < 1000:
        raise Skip(f"only {total} samples")
    return {name: 100 * count / total for name, count in counts.items()}


def record(work, environment):
    """Record one run with both samplers: so nothing differs but who looks."""
    command = ["perf", "record", "-q", "-e", "task-clock:u", "-c", str(10**9 // PERF_RATE), "--call-graph", "dwarf,16384",
               "-o", os.path.join(work, "data"), HOTPATH, "run", "--cpu", "--rate", str(RATE), "-o", os.devnull, *PROGRAM]
    if subprocess.run(command, capture_output=True, check=False, env=environment).returncode:
        raise Skip("perf cannot record here")


def ours(environment):
    folded = subprocess.run([HOTPATH, "export", "--format", "folded", "-o", "-"], capture_output=True, text=True, check=True,
                            env=environment).stdout
    stacks = []
    for line in folded.splitlines():
        text, samples = line.rsplit(" ", 1)
        stacks.append((int(samples), text.split(";")[1:]))
    return shares(stacks)


def by_perf(work):
    output = subprocess.run(["perf", "script", "-i", os.path.join(work, "data"), "--comm", "python3", "-F", "ip,sym",
                             "--no-inline"], capture_output=True, text=True, check=True).stdout
    stacks = []
    for sample in output.split("\n\n"):
        names = [line.split(None, 1)[1].split("@")[0] for line in sample.splitlines() if len(line.split(None, 1)) == 2]
        # The sampling of the other is none of the program's.
        if names and not any(name.startswith("hotpath__") for name in names):
            stacks.append((1, names[::-1]))
    return shares(stacks)


def compare():
    """Prints what differs. Returns whether nothing does."""
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o700)
        environment = os.environ | {"HOTPATH_DIR": work}
        record(work, environment)
        our, their = ours(environment), by_perf(work)
    good = True
    for name in sorted(their, key=their.get, reverse=True)[:CALLERS]:
        if os.environ.get("VERBOSE"):
            print(f"{name}: {our.get(name, 0):.2f} %, perf {their[name]:.2f} %")
        if abs(our.get(name, 0) - their[name]) > POINTS:
            print(f"{name} is a caller in {our.get(name, 0):.1f} % of the samples, perf says {their[name]:.1f} %")
            good = False
    return good


def main():
    missing = [tool for tool in ("perf", PROGRAM[0]) if not shutil.which(tool)]
    if missing:
        print("skipped: not installed:", *missing)
        return 77
    try:
        # Other processes may disturb a measurement, but not three in a row.
        return 0 if any(compare() for _ in range(3)) else 1
    except Skip as why:
        print("skipped:", why)
        return 77


if __name__ == "__main__":
    sys.exit(main())
