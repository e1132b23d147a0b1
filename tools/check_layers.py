#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the folders of src/ include only what they may: a folder is a side of a fence. And that the recorder makes
no system call past the program's seccomp filter: whoever calls a function that seccomp.h replaces includes it.

usage: tools/check_layers.py [ROOT]

Prints every offending line, and exits with 1 when there is one.
"""

import pathlib
import re
import sys

# A folder, and the folders whose headers it may include besides its own.
ARROWS = {
    "segment": [],
    "elf": [],
    "shared": [],
    "recorder": ["segment", "elf", "include"],
    "next": ["segment"],
    "probes": ["next", "recorder", "segment", "include"],
    "kinds": ["segment", "shared"],
    "reader": ["kinds", "segment", "elf", "shared"],
    "views": ["reader", "kinds", "segment", "shared", "include"],
    "library": ["next", "recorder", "reader", "kinds", "views", "segment", "elf", "shared", "include"],
    "watch": ["reader", "kinds", "segment", "shared"],
    "server": ["page", "compare", "watch", "views", "reader", "kinds", "export", "metrics", "mcp", "segment", "shared", "include"],
    "demo": ["include"],
    "export": ["reader", "kinds", "views", "segment", "elf", "shared", "include"],
    "metrics": ["reader", "kinds", "views", "segment", "shared", "include"],
    "page": ["export", "reader", "kinds", "views", "segment", "shared"],
    "compare": ["reader", "kinds", "views", "segment", "shared", "include"],
    "mcp": ["compare", "views", "reader", "kinds", "segment", "shared", "include"],
    "assembler": ["elf", "shared"],
    "attach": ["segment", "elf", "shared"],
    "console": ["watch", "views", "reader", "kinds", "segment", "shared", "include"],
    "cli": ["reader", "kinds", "watch", "console", "compare", "metrics", "mcp", "page", "attach", "views", "export", "server", "segment", "elf", "shared", "include"],
}

INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')
SOURCES = (".c", ".h", ".def", ".inc")
SECCOMP = "src/recorder/process/seccomp.h"
REPLACED = re.compile(r"^#define (\w+)\(", re.MULTILINE)
NO_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)


def folder_of(path, root):
    """The side of the fence on which a file is."""
    parts = path.relative_to(root).parts
    return parts[1] if parts[0] == "src" else parts[0]


def headers(root):
    """Every name by which a header of ours can be included, and the folders that have it."""
    found = {}
    for top in [root / "include", *(root / "src").iterdir()]:
        for path in top.rglob("*.*") if top.is_dir() else []:
            for name in (path.name, str(path.relative_to(top))):
                found.setdefault(name, set()).add(folder_of(path, root))
    return found


def targets(known, quote, name):
    """The folders that an include may mean; none for a header of the system."""
    if quote == "<":
        return known.get(name, set()) & {"include"}
    return known.get(name) or known.get(pathlib.PurePath(name).name, set())


def offences_of(path, root, known):
    folder = folder_of(path, root)
    if folder not in ARROWS:
        yield f"{path.relative_to(root)}: the folder {folder} has no place in the layers"
        return
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        found = targets(known, *match.groups()) if match else set()
        if found and not found & {folder, *ARROWS[folder]}:
            yield (f"{path.relative_to(root)}:{number}: {folder} may not include "
                   f"{match.group(2)} of {' or '.join(sorted(found))}")


def unfiltered(root):
    """The files of the recorder that call a replaced function, and do not see its replacement."""
    names = "|".join(REPLACED.findall((root / SECCOMP).read_text(encoding="utf-8")))
    call = re.compile(rf"(?<![\w.>])({names})\(")
    for path in sorted((root / "src/recorder").rglob("*.[ch]")):
        text = path.read_text(encoding="utf-8")
        found = call.search(NO_CODE.sub("", text))
        if found and path.name != "seccomp.h" and 'seccomp.h"' not in text:
            yield f"{path.relative_to(root)}: calls {found.group(1)}, and does not include seccomp.h"


def offences(root):
    yield from unfiltered(root)
    known = headers(root)
    for path in sorted((root / "src").rglob("*")):
        if path.suffix in SOURCES:
            yield from offences_of(path, root, known)


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else here
    found = list(offences(root))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
