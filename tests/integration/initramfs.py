#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the first file system of a Linux kernel (cpio, "newc").

usage: initramfs.py OUTPUT ENTRY...
    FILE            with the path that it has here
    NAME=FILE       with another one
    NAME@TARGET     a symbolic link
"""
import os
import re
import stat
import sys


def record(number, name, mode, content):
    """One entry: a header in hexadecimal digits, the name and the content, both padded to four bytes."""
    fields = [number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
    head = "070701" + "".join(f"{field:08x}" for field in fields)
    data = head.encode() + name.encode() + b"\0"
    data += b"\0" * (-len(data) % 4) + content
    return data + b"\0" * (-len(data) % 4)


def entry(text):
    """The name, mode and content of an argument."""
    name, path = text, text
    if not os.path.isfile(text):
        name, sign, path = re.fullmatch("(/[^/@=]*)([@=])(.*)", text).groups()
        if sign == "@":
            return name, stat.S_IFLNK | 0o777, path.encode()
    with open(path, "rb") as file:
        return name, stat.S_IFREG | 0o755, file.read()


def folders(name, known):
    """The folders of a name that are not known yet, from the outermost."""
    path = os.path.dirname(name)
    missing = []
    while path not in ("/", "") and path not in known:
        missing.insert(0, path)
        known.add(path)
        path = os.path.dirname(path)
    return missing


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.strip())
    known = set()
    number = 0
    with open(sys.argv[1], "wb") as output:
        for text in sys.argv[2:]:
            name, mode, content = entry(text)
            if name in known:
                continue
            known.add(name)
            for folder in folders(name, known):
                number += 1
                output.write(record(number, folder[1:], stat.S_IFDIR | 0o755, b""))
            number += 1
            output.write(record(number, name[1:], mode, content))
        output.write(record(0, "TRAILER!!!", 0, b""))


main()
