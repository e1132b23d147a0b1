#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints how many tests passed and failed, from the log that `meson test` leaves behind.

usage: tools/summary.py BUILD/meson-logs/testlog.json

Exits with 1 when a test failed, or none ran.
"""

import json
import sys

PASSED = {"OK", "EXPECTEDFAIL"}
SKIPPED = {"SKIP", "IGNORED"}


def results(path):
    """One result per line of the log; none when there is no log."""
    try:
        with open(path, encoding="utf-8") as log:
            return [json.loads(line)["result"] for line in log if line.strip()]
    except FileNotFoundError:
        return []


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    all_results = results(sys.argv[1])
    passed = sum(result in PASSED for result in all_results)
    skipped = sum(result in SKIPPED for result in all_results)
    failed = len(all_results) - passed - skipped
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
