#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Gives all names in a saved report others, which mean harm to a page.

usage: hostile.py REPORT > REPORT
"""

import json
import sys

NAMES = [
    "<img src=x onerror=\"window.harmed=1\">",
    "</script><script>window.harmed=1</script>",
    "<!--<script>",
    "\u202e\u2066drawkcab\u061c",
    "x" * 10000,
    "{{data}}",
    "&lt;b&gt; ' \" ` ${1}",
    "javascript:window.harmed=1",
    "__proto__",
    "constructor",
]
KEYS = {"name", "lock", "holder", "target", "expression", "program", "arguments", "path", "file"}


class Names:
    """The same name for what had the same."""

    def __init__(self):
        self.given = {}

    def of(self, name):
        number = len(self.given)
        return self.given.setdefault(name, f"{NAMES[number % len(NAMES)]}{number // len(NAMES) or ''}")


def changed(value, names, key=None):
    if isinstance(value, dict):
        return {name: changed(it, names, name) for name, it in value.items()}
    if isinstance(value, list):
        return [names.of(it) if key in ("notes", "summary") and isinstance(it, str) else changed(it, names, key) for it in value]
    return names.of(value) if key in KEYS and isinstance(value, str) and value != "hotpath-demo" else value


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        json.dump(changed(json.load(file), Names()), sys.stdout)


if __name__ == "__main__":
    main()
