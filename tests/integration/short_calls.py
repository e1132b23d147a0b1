#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Short functions take as long as they do without the profiler, but for 10 percent or 5 nanoseconds.

A virtual processor that stands still, or other tests beside this one, may disturb a run: the best of some counts; and of the
calls of a run the median, which those are not in that were interrupted.
"""
import json
import os
import platform
import subprocess
import sys
import tempfile

TRIES = 15
CALLS = 2_000_000
HOTPATH = os.environ["HOTPATH"]
SOURCE = os.path.join(os.path.dirname(__file__), "..", "programs", "chain.c")


def plain_ns(program, steps):
    """CPU time of a call, of the quickest of some runs without the profiler. Kernels know the sum well; which part of it was the
    user's they tell by ticks of the clock."""
    best = float("inf")
    for _ in range(TRIES):
        child = subprocess.Popen([program, str(steps)], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        best = min(best, usage.ru_utime + usage.ru_stime)
    return best * 1e9 / CALLS


def reported_ns(program, steps):
    """What the report says of half of its calls."""
    command = [HOTPATH, "run", "--no-cpu", "--format", "json", "--percentiles", "50", program, str(steps)]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stderr)
    rows = {row["name"]: row for row in report["functions_timing"]["data"]}
    assert rows["chain"]["calls"] == CALLS
    assert rows["main"]["total_ns"] <= report["elapsed_ns"]
    return rows["chain"]["p50_ns"]


def main():
    if platform.machine() != "x86_64":
        print("skipped: this processor reads its counter ahead of the work before it")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        os.environ["HOTPATH_DIR"] = work
        os.environ["HOTPATH_MAX_OVERHEAD"] = "0"
        plain, measured = os.path.join(work, "plain"), os.path.join(work, "measured")
        subprocess.run(["gcc", "-O2", SOURCE, "-o", plain], check=True)
        subprocess.run([HOTPATH, "cc", "gcc", "-O2", SOURCE, "-o", measured], check=True)
        for steps in (0, 5, 10, 20, 40):
            truth = plain_ns(plain, steps)
            told = min((reported_ns(measured, steps) for _ in range(TRIES)), key=lambda ns: abs(ns - truth))
            print(f"{steps} steps: {truth:.1f} ns, reported {told:.1f} ns")
            if abs(told - truth) > max(5, truth / 10):
                print(f"FAILED: {steps} steps take {truth:.1f} ns, not {told:.1f} ns")
                failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
