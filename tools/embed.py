#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a C header of files, so that a program can hold them.

usage: tools/embed.py OUTPUT FILE...

The file "page.css" becomes: static const char page_css[], with a NUL behind.
"""

import pathlib
import sys


def lines(text):
    """The text as lines of C, each of which is a string."""
    for line in text.splitlines():
        quoted = line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("?", "\\?")
        yield f'\t"{quoted}\\n"'


def embedded(path):
    name = path.name.replace(".", "_")
    return f"static const char {name}[] =\n" + "\n".join(lines(path.read_text(encoding="utf-8"))) + ";\n"


def main():
    output, *files = map(pathlib.Path, sys.argv[1:])
    output.write_text("/* Made of the files of the same names. */\n\n" +
                      "\n".join(map(embedded, files)), encoding="utf-8")


if __name__ == "__main__":
    main()
