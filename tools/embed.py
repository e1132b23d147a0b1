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


def embedded(name, text):
    """The text as a string of C, by the name of its file."""
    return f"static const char {name.replace('.', '_')}[] =\n" + "\n".join(lines(text)) + ";\n"


def main():
    output, *files = map(pathlib.Path, sys.argv[1:])
    output.write_text("/* Made of the files of the same names. */\n\n" +
                      "\n".join(embedded(path.name, path.read_text(encoding="utf-8")) for path in files),
                      encoding="utf-8")


if __name__ == "__main__":
    main()
