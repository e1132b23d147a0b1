#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the tests that failed once more, one at a time, where the host of a virtual machine takes processors away: such a
machine stands still for moments, which no test of times can foresee. What passes then counts as passed, and is named.

usage: tools/again.py BUILD

To be called after `meson test` failed. Where no host takes anything, or many tests failed, nothing is run.
"""

import json
import subprocess
import sys

# More failures than this are not by chance.
MOST = 5
# The part of all processors' time that a host must have taken since the machine began. Of what other guests take by sharing caches
# and cores, the kernel knows nothing: it is much more.
STOLEN = 0.002


def stolen():
    """Which part of the processors' time the host has taken."""
    with open("/proc/stat", encoding="ascii") as file:
        times = [int(number) for number in file.readline().split()[1:9]]
    return times[7] / sum(times)


def read_tests(path):
    with open(path, encoding="utf-8") as log:
        return [json.loads(line) for line in log if line.strip()]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    build, path = sys.argv[1], sys.argv[1] + "/meson-logs/testlog.json"
    tests = read_tests(path)
    failed = [test["name"] for test in tests if test["result"] not in ("OK", "EXPECTEDFAIL", "SKIP", "IGNORED")]
    if not failed or len(failed) > MOST or stolen() < STOLEN:
        return
    print(f"{len(failed)} failed while the host of this machine took {stolen():.1%} of its processors; they run again, alone.")
    sys.stdout.flush()
    subprocess.run(["meson", "test", "-C", build, "--no-rebuild", "--print-errorlogs", "--num-processes", "1", "--logbase", "again",
                    *(name.split(" / ")[-1] for name in failed)], check=False)
    again = {test["name"]: test for test in read_tests(build + "/meson-logs/again.json")}
    with open(path, "w", encoding="utf-8") as log:
        for test in tests:
            log.write(json.dumps(again.get(test["name"], test)) + "\n")


if __name__ == "__main__":
    main()
