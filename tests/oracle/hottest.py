#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The hottest functions are those that perf finds, in its order, as far as that is not chance.

usage: hottest.py PERF REPORT    PERF: lines "12.34% name", the hottest first; REPORT: ours, in JSON
"""
import json
import sys

TOP = 10
# Points of a hundred, by which shares of two runs may differ.
CLOSE = 1.0
FAR = 3.0


def read_perf(path):
    shares = {}
    for line in open(path, encoding="utf-8"):
        share, _, name = line.strip().partition("% ")
        if name:
            name = name.strip().removeprefix("[.] ")
            shares[name] = shares.get(name, 0.0) + float(share)
    return shares


def read_ours(path):
    rows = json.load(open(path, encoding="utf-8"))["functions_cpu"]["data"]
    return {row["name"]: row["percent"] for row in rows}


def main():
    perf, ours = read_perf(sys.argv[1]), read_ours(sys.argv[2])
    hottest = sorted(perf, key=perf.get, reverse=True)[:TOP]
    faults = []
    for place, name in enumerate(hottest):
        mine = ours.get(name, 0.0)
        if abs(mine - perf[name]) > FAR:
            faults.append(f"{name}: {mine:.2f} %, not {perf[name]:.2f} %")
        for lower in hottest[place + 1:]:
            # Chance moves both runs: of some thousand samples, the distance of two functions by most of a point.
            reversal = ours.get(lower, 0.0) - mine
            if reversal > 0 and perf[name] - perf[lower] + reversal > FAR:
                faults.append(f"{lower} is hotter than {name}")
    threshold = perf[hottest[-1]] + CLOSE + FAR
    for name in ours:
        if not name.startswith("<") and name not in hottest and ours[name] > threshold:
            faults.append(f"{name}: {ours[name]:.2f} %, and perf has {perf.get(name, 0.0):.2f} %")
    for fault in faults:
        print(fault)
    return bool(faults) or len(hottest) < TOP


sys.exit(main())
