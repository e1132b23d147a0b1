#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares stacks of allocations with heaptrack's, of the same program.

usage: heaptrack_stacks.py HEAPTRACK.zst REPORT.json

A stack is known by the functions of its innermost frames, up to main. An inlined function is the one that it was
inlined into. A function without a name is "?" for both. Bytes and blocks of each such stack must differ by at most 1 %.
"""
import json
import subprocess
import sys
from collections import Counter

# Number of frames that are compared: the function that allocates, and its callers.
FRAMES = 8
# heaptrack's own library, and that of C++, which it brings along.
FOREIGN = ("libheaptrack", "libstdc++")

# We stand in front of strdup too, heaptrack only of the malloc in it. heaptrack has a thread, so getc locks its stream, and has
# a frame; else it ends with a jump.
LEFT_OUT = ("strdup", "strndup", "getc")


class Heaptrack:
    """The output of heaptrack: lines of a letter and numbers, which are hexadecimal and begin with 1."""

    def __init__(self, path):
        self.strings, self.ips, self.traces, self.infos = [""], [None], [None], []
        self.bytes, self.blocks = Counter(), Counter()
        text = subprocess.run(["zstdcat", path], check=True, capture_output=True).stdout.decode(errors="replace")
        for line in text.splitlines():
            kind, _, rest = line.partition(" ")
            if kind == "s":
                self.strings.append(rest.partition(" ")[2])
            elif kind in ("i", "t", "a", "+"):
                self.take(kind, [int(number, 16) for number in rest.split()])

    def take(self, kind, numbers):
        if kind == "i":
            # An address, its module, and function, file and line of each inlined function, the innermost first.
            functions = numbers[2::3]
            self.ips.append((self.strings[numbers[1]], self.strings[functions[-1]] if functions else ""))
        elif kind == "t":
            self.traces.append(numbers)
        elif kind == "a":
            self.infos.append(numbers)
        else:
            size, trace = self.infos[numbers[0]]
            self.bytes[trace] += size
            self.blocks[trace] += 1

    def frames(self, trace):
        while trace:
            ip, trace = self.traces[trace]
            yield self.ips[ip]

    def stacks(self):
        for trace, blocks in self.blocks.items():
            frames = list(self.frames(trace))
            if not any(name in module for module, _ in frames[:1] for name in FOREIGN):
                yield [function for _, function in frames], self.bytes[trace], blocks


def ours(path):
    """Stacks as above. A frame has the innermost inlined function as its name, and the others behind that."""
    with open(path, encoding="utf-8") as file:
        stacks = json.load(file)["alloc_stacks"]
    for stack in stacks["stacks"]:
        frames = [stacks["frames"][at] for at in stack["frames"]]
        yield [frame["name"] for frame in frames], stack["bytes"], stack["blocks"]


# _dl_start_user is in the middle of _start, and a function of its own for us.
ALIASES = {"dl_start_user": "start"}


def plain(name):
    """The same name for all aliases of a function of the C library: getdelim is __getdelim, too. "?" for an address."""
    if not name or "+0x" in name or name.startswith("0x"):
        return "?"
    name = name.split("@")[0].split(".")[0].removeprefix("__GI_").lstrip("_")
    name = name.removeprefix("IO_").removeprefix("new_").removesuffix("_impl")
    return ALIASES.get(name, name)


def key(names):
    names = [plain(name) for name in names]
    names = [name for name in names if name not in LEFT_OUT]
    if "main" in names:
        names = names[: names.index("main") + 1]
    return tuple(names[:FRAMES])


def added_up(stacks):
    """Bytes and blocks of each key."""
    found = {}
    for names, size, blocks in stacks:
        before = found.get(key(names), (0, 0))
        found[key(names)] = (before[0] + size, before[1] + blocks)
    return found


def is_near(one, other):
    return all(abs(a - b) <= max(a, b) / 100 for a, b in zip(one, other))


def main():
    theirs, mine = added_up(Heaptrack(sys.argv[1]).stacks()), added_up(ours(sys.argv[2]))
    faults = 0
    for stack in sorted(set(theirs) | set(mine), key=lambda stack: -theirs.get(stack, mine.get(stack))[0]):
        one, other = theirs.get(stack, (0, 0)), mine.get(stack, (0, 0))
        if not is_near(one, other):
            faults += 1
            print(f"{' < '.join(stack)}: heaptrack has {one[0]} bytes in {one[1]} blocks, we {other[0]} in {other[1]}")
    total = sum(size for size, _ in theirs.values())
    print(f"{len(theirs)} stacks with {total} bytes, {faults} differ")
    return 1 if faults or len(theirs) < 5 else 0


sys.exit(main())
