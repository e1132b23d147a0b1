#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts the keys of the console into its page of the manual.

usage: tools/keys_to_man.py PAGE KEYS OUTPUT

PAGE is scdoc with a line "@KEYS@"; KEYS has lines BIND(action, "shown", "help", keys...), those with NULL for other
keys of the line before.
"""

import pathlib
import re
import sys

BINDING = re.compile(r'BIND\(\w+, (?:NULL, NULL|"((?:[^"\\]|\\.)+)", "((?:[^"\\]|\\.)+)"), .*\)$')


def plain(text):
    """Nothing in it means anything to scdoc."""
    return re.sub(r"([\\_*`~#])", r"\\\1", text)


def bindings(text):
    for line in text.splitlines():
        if not line.startswith("BIND("):
            continue
        found = BINDING.match(line)
        if not found:
            sys.exit(f"not understood: {line}")
        if found.group(1):
            yield found.group(1), found.group(2)


def described(shown, text):
    keys = ", ".join(f"*{plain(key)}*" for key in shown.split(", "))
    return f"{keys}\n\t{plain(text)}\n"


def main():
    page, keys, output = map(pathlib.Path, sys.argv[1:])
    text = "\n".join(described(*binding) for binding in bindings(keys.read_text(encoding="utf-8")))
    output.write_text(page.read_text(encoding="utf-8").replace("@KEYS@\n", text), encoding="utf-8")


if __name__ == "__main__":
    main()
