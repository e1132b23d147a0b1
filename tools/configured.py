#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Says by its exit status whether a build folder is configured with a value.

usage: tools/configured.py BUILD OPTION VALUE
"""

import json
import pathlib
import sys


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    folder, name, value = sys.argv[1:]
    path = pathlib.Path(folder) / "meson-info" / "intro-buildoptions.json"
    options = json.loads(path.read_text(encoding="utf-8"))
    return 0 if {option["name"]: option["value"] for option in options}.get(name) == value else 1


if __name__ == "__main__":
    sys.exit(main())
