#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a C header of the page: its HTML, its style, and its modules joined into one script, with their hashes.

usage: tools/join_page.py OUTPUT HTML CSS MODULE...

Modules are joined in the order in which they are given, so each comes after those that it imports. Lines that import
are left out, and so is the word export: names at the top of all modules are those of one module, and there must be no two.
"""

import base64
import hashlib
import pathlib
import re
import sys

import embed

IMPORT = re.compile(r"^import .*\n", re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)
NAME = re.compile(r"^(?:async )?(?:const|let|function|class) +(\w+)", re.MULTILINE)


def joined(paths):
    """The modules as one; a name that two of them have ends the build."""
    text, owners = "", {}
    for path in paths:
        module = EXPORT.sub("", IMPORT.sub("", path.read_text(encoding="utf-8")))
        for name in NAME.findall(module):
            if name in owners:
                sys.exit(f"{path}: {name} is a name in {owners[name]}, too")
            owners[name] = path.name
        text += module
    return text


def as_written(text):
    """The text as it is embedded."""
    return "".join(line + "\n" for line in text.splitlines())


def hashed(name, text):
    digest = base64.b64encode(hashlib.sha256(as_written(text).encode()).digest()).decode()
    return f'#define {name}_HASH "sha256-{digest}"\n'


def main():
    output, page, style, *modules = map(pathlib.Path, sys.argv[1:])
    script, css = joined(modules), style.read_text(encoding="utf-8")
    output.write_text("/* Made of the files of the page. */\n\n" +
                      embed.embedded("index.html", page.read_text(encoding="utf-8")) +
                      embed.embedded("page.css", css) + embed.embedded("page.js", script) +
                      hashed("PAGE_CSS", css) + hashed("PAGE_JS", script), encoding="utf-8")


if __name__ == "__main__":
    main()
