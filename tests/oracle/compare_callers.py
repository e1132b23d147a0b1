#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares who called whom, and how often, in our report with what gprof counted.

usage: tests/oracle/compare_callers.py GRAPH REPORT

GRAPH is what `gprof -b -q` says of the program, not optimised. REPORT is JSON with the call tree, of the same source, built in
any way. Prints each pair of functions that is not the same, or else how many were compared; exits with 1 when there is such a
pair, or none at all.
"""

import collections
import json
import re
import sys

# A function of the graph: "[3]  0.0  0.00  0.00  1400  find [3]"; and above it one that calls it, 600 times of all:
# "0.00  0.00  600/1400  look_around [5]".
FUNCTION = re.compile(r"\[\d+\].* (\S+) \[\d+\]$")
CALLER = re.compile(r"\s.*\s(\d+)/\d+\s+(\S+) \[\d+\]$")


def gprof_pairs(path):
    """Calls by caller and callee."""
    pairs, callers = {}, []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if match := FUNCTION.match(line):
                pairs.update({(caller, match[1]): calls for caller, calls in callers})
            elif match := CALLER.match(line):
                callers.append((match[2], int(match[1])))
            else:
                callers = []
    return pairs


def reported_pairs(path):
    """The same from the call tree."""
    pairs = collections.Counter()

    def add(branch):
        for child in branch["children"]:
            pairs[branch["name"], child["name"]] += child["calls"]
            add(child)

    with open(path, encoding="utf-8") as report:
        for branch in json.load(report)["call_tree"]["data"]:
            add(branch)
    return dict(pairs)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    counted = gprof_pairs(sys.argv[1])
    measured = reported_pairs(sys.argv[2])
    pairs = sorted(counted.keys() | measured.keys())
    different = [pair for pair in pairs if counted.get(pair) != measured.get(pair)]
    for caller, callee in different:
        there, here = counted.get((caller, callee), 0), measured.get((caller, callee), 0)
        print(f"{caller} calls {callee}: {there} times for gprof, {here} for us")
    if not different:
        print(f"{sum(counted.values())} calls of {len(pairs)} pairs of functions are the same")
    return 1 if different or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
