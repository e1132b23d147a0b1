#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stacks that hotpath attach takes of Debian's programs, which keep no frame pointers, have the callers that perf finds by unwind
tables as well.

usage: attach_callers.py [PROGRAM...]      of xz, sqlite3 and python3
"""
import bisect
import os
import re
import shutil
import subprocess
import sys
import tempfile

import attach_shares
from attach_shares import HOTPATH, PROGRAMS, Perf, Skip

# The share of a caller may differ by so many points.
POINTS = 2
# So many of the hottest callers are compared; the first ten are those that are in nearly all stacks.
CALLERS = 20
PERF_RATE, STACK_BYTES = 997, 16384
# One function has both names, and perf takes the one that is hidden from new programs.
ALIASES = {"cfree": "free"}


def shares(stacks):
    """The share of samples, in percent, in which each function is a caller. Stacks are (samples, callers)."""
    total, counts = 0, {}
    for samples, callers in stacks:
        total += samples
        for name in set(callers):
            counts[name] = counts.get(name, 0) + samples
    if total < 1000:
        raise Skip(f"only {total} samples")
    return {name: 100 * count / total for name, count in counts.items()}


def ours(work):
    folded = subprocess.run([HOTPATH, "export", "--format", "folded", "-o", "-"], capture_output=True, text=True, check=True,
                            env=os.environ | {"HOTPATH_DIR": os.path.join(work, "segments")}).stdout
    stacks = []
    for line in folded.splitlines():
        text, samples = line.rsplit(" ", 1)
        # The thread comes first; without a stack, there is nothing else.
        names = text.split(";")[1:]
        if not names[0].startswith("<"):
            stacks.append((int(samples), [name for name in names[:-1] if not name.startswith("[")]))
    return stacks


def name_of(offset, symbol, path, starts):
    """Perf's name of a function; if it has none, ours, by where functions begin."""
    if symbol != "[unknown]":
        name = symbol.split("@")[0]
        return ALIASES.get(name, name)
    module = os.path.basename(path)
    begins = starts.get(module, [])
    nth = bisect.bisect_right(begins, offset + attach_shares.code_bias(path)) if begins else 0
    return f"{module}+{begins[nth - 1]:#x}" if nth else f"{module}+?"


def by_perf(data, names, interval):
    """Perf's stacks. Its addresses of callers are offsets in files."""
    starts = {}
    for name in names:
        found = re.fullmatch(r"(.*)\+0x([0-9a-f]+)", name)
        if found:
            starts.setdefault(found[1], []).append(int(found[2], 16))
    for begins in starts.values():
        begins.sort()
    output = subprocess.run(["perf", "script", "-i", data, "-F", "time,ip,sym,dso", "--no-inline"], capture_output=True,
                            text=True, check=True).stdout
    stacks, known = [], {}
    for sample in output.split("\n\n"):
        lines = sample.strip().splitlines()
        if len(lines) < 2 or not interval[0] <= float(lines[0].split()[0].rstrip(":")) < interval[1]:
            continue
        for line in set(lines[2:]) - set(known):
            offset, symbol, path = re.fullmatch(r"\s*([0-9a-f]+) (.*) \((.*)\)", line).groups()
            known[line] = name_of(int(offset, 16), symbol, path, starts)
        stacks.append((1, [known[line] for line in lines[2:]]))
    return stacks


def measure(command, work):
    data = os.path.join(work, "data")
    attach_shares.write_data(data)
    program = subprocess.Popen([data if word == "DATA" else word for word in command], stdout=subprocess.DEVNULL)
    try:
        perf = Perf(program.pid, os.path.join(work, "perf.data"), "-c", str(10**9 // PERF_RATE), "--call-graph",
                    f"dwarf,{STACK_BYTES}")
        _, interval = attach_shares.attached(program.pid, work)
    finally:
        program.kill()
        program.wait()
    perf.end()
    stacks = ours(work)
    return shares(stacks), shares(by_perf(perf.data, {name for _, names in stacks for name in names}, interval))


def compare(name, command):
    """Prints what differs. Returns whether nothing does."""
    with tempfile.TemporaryDirectory() as work:
        our, their = measure(command, work)
    good = True
    for caller in sorted(their, key=their.get, reverse=True)[:CALLERS]:
        if os.environ.get("VERBOSE"):
            print(f"{name} {caller}: {our.get(caller, 0):.2f} %, perf {their[caller]:.2f} %")
        if abs(our.get(caller, 0) - their[caller]) > POINTS:
            print(f"{name}: {caller} is a caller in {our.get(caller, 0):.1f} % of the samples, perf says {their[caller]:.1f} %")
            good = False
    return good


def main():
    wanted = sys.argv[1:] or list(PROGRAMS)
    missing = [tool for tool in ("perf", "readelf", *wanted) if not shutil.which(tool)]
    if missing:
        print("skipped: not installed:", *missing)
        return 77
    failed = 0
    for name in wanted:
        try:
            # Others may disturb a measurement, but not three in a row.
            if not any(compare(name, PROGRAMS[name]) for _ in range(3)):
                print(f"FAILED: {name}")
                failed = 1
        except Skip as why:
            print("skipped:", why)
            return 77
    return failed


if __name__ == "__main__":
    sys.exit(main())
