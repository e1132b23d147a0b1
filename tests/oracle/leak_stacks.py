#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the stacks of blocks that are left with those of LeakSanitizer.

usage: leak_stacks.py SANITIZER.txt REPORT.json PROGRAM

A stack is the names of all its functions, inlined ones too, from the one that allocates up to main, or to where the thread
began; of deep ones the innermost, since both keep only so many. Bytes and blocks must be equal.
"""
import json
import re
import sys

LEAK = re.compile(r"leak of (\d+) byte\(s\) in (\d+) object\(s\)")
FRAME = re.compile(r"^\s+#\d+ 0x[0-9a-f]+ in (\S+)")
MOST_FRAMES = 24
# Frames at which the program's own functions end.
ENDS = ("__libc_start_main", "__libc_start_call_main", "start_thread", "clone", "clone3", "_start")
# The sanitizer's own functions in front of malloc and its family.
FAMILY = re.compile(r"^(__interceptor_.*|___interceptor_.*|malloc|calloc|realloc|strdup|strndup|posix_memalign|aligned_alloc|memalign|"
                    r"valloc|reallocarray)$")


def own(names):
    """The program's functions."""
    while names and FAMILY.match(names[0]):
        names = names[1:]
    for at, name in enumerate(names):
        if name in ENDS or name.startswith("__libc_start"):
            names = names[:at]
            break
    return tuple(names[:MOST_FRAMES])


def add(found, names, size, blocks):
    before = found.get(own(names), (0, 0))
    found[own(names)] = (before[0] + size, before[1] + blocks)


def theirs(path):
    found, names, leak = {}, [], None
    with open(path, encoding="utf-8") as file:
        for line in [*file, ""]:
            if match := LEAK.search(line):
                leak = int(match[1]), int(match[2])
            elif match := FRAME.match(line):
                names.append(match[1])
            elif leak and names:
                add(found, names, *leak)
                names, leak = [], None
    return found


def ours(path, program):
    """Live blocks of the program itself: the C library and the dynamic linker keep some of their own."""
    found = {}
    with open(path, encoding="utf-8") as file:
        stacks = json.load(file)["alloc_stacks"]
    for stack in stacks["stacks"]:
        frames = [stacks["frames"][at] for at in stack["frames"]]
        module = frames[0].get("module") if frames else None
        if stack["live_blocks"] and module is not None and stacks["modules"][module]["path"].endswith(program):
            add(found, [frame["name"] for frame in frames], stack["live_bytes"], stack["live_blocks"])
    return found


def main():
    one, other = theirs(sys.argv[1]), ours(sys.argv[2], "/" + sys.argv[3])
    differ = [stack for stack in set(one) | set(other) if one.get(stack) != other.get(stack)]
    for stack in sorted(differ):
        print(f"{' < '.join(stack)}: LeakSanitizer has {one.get(stack)}, we {other.get(stack)}")
    print(f"{len(one)} stacks, {len(differ)} differ")
    return 1 if differ or len(one) < 5 else 0


sys.exit(main())
