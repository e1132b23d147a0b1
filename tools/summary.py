#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the table of attacks, if they were made, the tests that failed without printing anything, and how many tests passed
and failed, from the logs that `meson test` leaves behind.

usage: tools/summary.py [--total] BUILD/meson-logs/testlog.json...

With --total it is only how many.
Exits with 1 when a test failed, or none ran, or a log is missing.
"""

import json
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP", "IGNORED"}


def read_tests(path):
    """One test per line of the log; none when there is no log."""
    try:
        with open(path, encoding="utf-8") as log:
            return [json.loads(line) for line in log if line.strip()]
    except FileNotFoundError:
        return []


def print_attacks(tests):
    """What the test of that name has printed, from the heading of its table on."""
    for test in tests:
        if not test["name"].endswith(" / attack"):
            continue
        lines = test.get("stdout", "").splitlines()
        begin = next((i for i, line in enumerate(lines) if line.startswith("attack ")), len(lines))
        print("\n".join(lines[begin:]))


def print_silent(tests):
    """A test that fails has to say why."""
    for test in tests:
        output = test.get("stdout", "") + test.get("stderr", "")
        if test["result"] not in PASSED | SKIPPED and not output.strip():
            print(f"{test['name']} printed nothing before it failed ({test['result']}, status {test['returncode']})")


def main():
    total = sys.argv[1:2] == ["--total"]
    paths = sys.argv[1 + total :]
    if not paths:
        sys.exit(__doc__.strip())
    logs = [read_tests(path) for path in paths]
    tests = [test for log in logs for test in log]
    if not total:
        print_attacks(tests)
        print_silent(tests)
    all_results = [test["result"] for test in tests]
    passed = sum(result in PASSED for result in all_results)
    skipped = sum(result in SKIPPED for result in all_results)
    failed = len(all_results) - passed - skipped
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed or not all(logs) else 0


if __name__ == "__main__":
    sys.exit(main())
