#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the calls of a program's functions in our report with those that callgrind counted.

usage: tests/oracle/compare_calls.py PROGRAM CALLGRIND REPORT [NAME...] [-x NAME...]

CALLGRIND is what callgrind left with --dump-instr=yes --compress-pos=no, REPORT is JSON with all functions. Every function that either of them knows is compared, or only those that are named; those after -x are not, and must have no calls in the report.
Functions of one name are taken together. Prints each that was not called as often, or not at all, or else
how much was compared; exits with 1 when there is such a function, or nothing to compare.
"""

import collections
import json
import os
import re
import subprocess
import sys

# Code that the compiler's own files, the linker and `hotpath cc` bring into a program: it has neither hooks nor
# sleds. Valgrind calls some of it "(below main)", and gives no name to the
# table by which libraries are called.
UNMEASURED = re.compile(
    r"\(below main\)|_start|_init|_fini|call_weak_fn|frame_dummy|(de)?register_tm_clones|__do_global_dtors_aux"
    r"|0x[0-9a-f]+|hotpath_module_(begin|end)"
)
# A copy of a function that the compiler made for some of its callers; "name'2" is a depth of recursion.
COPY = re.compile(r"(\.(constprop|isra)\.\d+)*('\d+)?$")
POSITION = re.compile(r"(c?(?:ob|fn))=(\(\d+\))(?: (.+))?$")


def first_instructions(program):
    """Functions by the addresses at which they begin."""
    symbols = subprocess.run(["nm", program], check=True, capture_output=True, text=True).stdout
    fields = (line.split() for line in symbols.splitlines())
    return {int(field[0], 16): COPY.sub("", field[2]) for field in fields if len(field) == 3 and field[1] in "tTwW"}


def lines_of(path):
    """The lines that matter, as what they say and their value. A name is written once and then known by
    its number; objects and functions are numbered apart, callers and callees together."""
    names = {"ob": {}, "fn": {}}
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("calls="):
                yield "calls", line[6:]
                next(lines)
            elif match := POSITION.match(line):
                what, number, name = match.groups()
                known = names[what[-2:]]
                yield what, known.setdefault(number, name)
            elif line.startswith("0x"):
                yield "executed", line


def executed_calls(path, program):
    """Calls by name: how often the first instruction of a function was executed. No jump inside a measured function goes there,
    because its sled, or what saves registers for the call of a hook, is not executed again."""
    first = first_instructions(program)
    calls = collections.Counter()
    for what, value in lines_of(path):
        if what == "ob":
            here = value
        elif what == "executed" and here == program and (address := int(value.split()[0], 16)) in first:
            calls[first[address]] += int(value.split()[-1])
    return calls


def callgrind_calls(path, program):
    """Calls by name. A callee is in the object of its caller unless "cob=" says otherwise.

    On some processors callgrind takes jumps inside a function for calls of it. But a call goes to the
    first instruction, and "calls=" says where it went."""
    first = first_instructions(program)
    calls = collections.Counter()
    for what, value in lines_of(path):
        if what == "ob":
            here = there = value
        elif what == "cob":
            there = value
        elif what == "cfn":
            callee = COPY.sub("", value)
        elif what == "fn" and here == program:
            calls[COPY.sub("", value)] += 0
        elif what == "calls":
            count, target = value.split()[:2]
            if there == program and int(target, 16) in first:
                calls[callee] += int(count)
            there = here
    return calls


def reported_calls(path):
    """Calls by name, of all processes."""
    calls = collections.Counter()
    with open(path, encoding="utf-8") as reports:
        for line in reports:
            for row in json.loads(line)["functions_timing"]["data"]:
                calls[COPY.sub("", row["name"])] += row["calls"]
    return calls


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__.strip())
    # Where calls do not push a return address, callgrind does not see all that end with a jump.
    count = executed_calls if os.uname().machine == "aarch64" else callgrind_calls
    counted = count(sys.argv[2], os.path.realpath(sys.argv[1]))
    measured = reported_calls(sys.argv[3])
    split = sys.argv.index("-x") if "-x" in sys.argv else len(sys.argv)
    excepted = sys.argv[split + 1 :]
    names = sys.argv[4:split] or (counted.keys() | measured.keys()) - set(excepted)
    names = sorted(name for name in names if not UNMEASURED.fullmatch(name))
    different = [name for name in names if not counted[name] == measured[name] > 0]
    different += [name for name in excepted if measured[name]]
    for name in different:
        print(f"{name}: callgrind counts {counted[name]} calls, we {measured[name]}")
    if not different:
        print(f"{sum(counted[name] for name in names)} calls of {len(names)} functions are the same")
    return 1 if different or not names else 0


if __name__ == "__main__":
    sys.exit(main())
