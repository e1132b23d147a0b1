#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles sources with a compiler and options that the build is not configured for. Ninja does it: what has not changed since
the last time, nor what it includes, is not compiled again.

usage: tests/objects.py FOLDER COMPILER [OPTION]... < SOURCES

Reads one path per line. src/reader/model.c becomes FOLDER/src_reader_model.c.o; an object whose source is gone is removed.
Exits as Ninja does, which prints what the compiler says.
"""

import os
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

# Files that need options of their own: this code must not use vector registers, nor call a sanitizer; or it changes code, of which
# ThreadSanitizer keeps no account.
OPTIONS = {"src/recorder/sleds/sled_hot.c": "-mgeneral-regs-only -fno-sanitize=all",
           "src/recorder/sleds/patch_aarch64.c": "-fno-sanitize=all",
           "src/recorder/sleds/patch_x86_64.c": "-fno-sanitize=all"}

RULE = """\
rule compile
  command = {command} $options -MMD -MF $out.d -c $in -o $out
  depfile = $out.d
  deps = gcc
"""


def in_ninja(text):
    """As Ninja reads it, in a path."""
    return text.replace("$", "$$").replace(" ", "$ ").replace(":", "$:")


def write_rules(folder, command, sources):
    """One edge for each source; the command is part of it, so that other options compile everything again."""
    with open(os.path.join(folder, "build.ninja"), "w", encoding="utf-8") as rules:
        rules.write(RULE.format(command=shlex.join(command).replace("$", "$$")))
        for source in sources:
            path = os.path.relpath(source, ROOT)
            name = path.replace(os.sep, "_") + ".o"
            rules.write(f"build {in_ninja(name)}: compile {in_ninja(source)}\n  options = {OPTIONS.get(path, '')}\n")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    folder, command = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    write_rules(folder, command, sorted(os.path.realpath(line.rstrip("\n")) for line in sys.stdin))
    ninja = ["ninja", "-C", folder, "--quiet"]
    subprocess.run([*ninja, "-t", "cleandead"], check=False, stdout=subprocess.DEVNULL)
    return subprocess.run([*ninja, "-j", str(len(os.sched_getaffinity(0)))], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
