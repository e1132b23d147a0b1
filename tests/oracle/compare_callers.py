#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares who called whom, and how often, in our report with what callgrind counted.

usage: tests/oracle/compare_callers.py PROGRAM CALLGRIND REPORT

PROGRAM is what callgrind ran, without hooks and not optimised; CALLGRIND is what it left with --dump-instr=yes
--compress-pos=no. REPORT is JSON with the call tree, of the same source, built in any way. Prints each pair of functions
that is not the same, or else how many were compared; exits with 1 when there is such a pair, or none at all.
"""

import collections
import json
import os
import sys

from compare_calls import COPY, UNMEASURED, first_instructions, lines_of


def callgrind_pairs(path, program):
    """Calls by caller and callee, where both are functions of the program."""
    first = first_instructions(program)
    pairs = collections.Counter()
    for what, value in lines_of(path):
        if what == "ob":
            here = there = value
        elif what == "cob":
            there = value
        elif what == "fn":
            caller = COPY.sub("", value)
        elif what == "cfn":
            callee = COPY.sub("", value)
        elif what == "calls":
            count, target = value.split()[:2]
            if here == there == program and int(target, 16) in first:
                pairs[caller, callee] += int(count)
            there = here
    return {pair: calls for pair, calls in pairs.items() if not any(map(UNMEASURED.fullmatch, pair))}


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
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    counted = callgrind_pairs(sys.argv[2], os.path.realpath(sys.argv[1]))
    measured = reported_pairs(sys.argv[3])
    pairs = sorted(counted.keys() | measured.keys())
    different = [pair for pair in pairs if counted.get(pair) != measured.get(pair)]
    for caller, callee in different:
        there, here = counted.get((caller, callee), 0), measured.get((caller, callee), 0)
        print(f"{caller} calls {callee}: {there} times for callgrind, {here} for us")
    if not different:
        print(f"{sum(counted.values())} calls of {len(pairs)} pairs of functions are the same")
    return 1 if different or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
