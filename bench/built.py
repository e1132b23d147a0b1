# SPDX-License-Identifier: MIT
"""Programs with sleds that benchmarks need. They are kept in the build folder, and built again only when something changed."""
import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
TWICE = os.path.join(ROOT, "tests", "subjects", "twice.sh")
SKIPPED = 77


@dataclass(frozen=True)
class Tools:
    """What this build has made, and its folder."""
    tool: str
    library: str
    assembler: str
    build: str

    def folder(self):
        return os.path.join(self.build, "bench-sleds")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def key(tools, source):
    """Changes with whatever decides how a program is built: the compiler and its options, the assembler, and the source."""
    commands = [tools.tool, "cc", "gcc", "-pipe", "-###", "-c", "x.c"]
    options = subprocess.run(commands, capture_output=True, check=True).stderr
    return hashlib.sha256(options + read(tools.assembler) + source).hexdigest().encode()


def build_once(tools, name, source, make):
    """Let make(folder) fill the folder of that name, unless it did so before from the same source. Returns the folder; None if
    make returned False."""
    folder, wanted = os.path.join(tools.folder(), name), key(tools, source)
    made_from = os.path.join(folder, "key")
    if os.path.exists(made_from) and read(made_from) == wanted:
        return folder
    os.makedirs(folder, exist_ok=True)
    if not make(folder):
        return None
    with open(made_from, "wb") as file:
        file.write(wanted)
    return folder


def twice(tools, name):
    """A program that nobody here wrote, plain and with sleds. Returns its folder; None if it is skipped, which is printed."""
    def make(folder):
        environment = {**os.environ, "HOTPATH": tools.tool, "BUILD": tools.build}
        done = subprocess.run([TWICE, name, folder], env=environment, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            print(f"{name}: {done.stdout.strip()}", flush=True)
        if done.returncode not in (0, SKIPPED):
            sys.exit(1)
        return done.returncode == 0

    return build_once(tools, name, read(TWICE), make)
