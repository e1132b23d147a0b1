#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What sleds cost, in programs that nobody here wrote: while nobody measures, while they are measured, and in size.

Each program is built twice, plain and by hotpath cc, once for all runs of this benchmark. Then its ways to run take turns, for
several rounds. What counts is user time of the program alone, without that of the tool. So it is started with the environment
that "hotpath run --no-cpu" gives to programs. A missed limit is exit status 1.

A ratio is the median of those of the rounds: where other programs compete for the cores, two runs in turn are disturbed alike,
while the least times of two ways may come from moments that have nothing in common. Times in the table are the least.

usage: bench/sleds.py TOOL LIBRARY ASSEMBLER FOLDER     the library is libhotpath.so; the folder is that of the build
"""
import glob
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

import arming
from built import Tools, twice
from table import Table

HERE = os.path.dirname(os.path.realpath(__file__))

# Megabytes to compress.
MADE = 24
# Timing every call takes long, and its limit is far from what noise does.
EVERY_CALL_ROUNDS = 2


@dataclass(frozen=True)
class Subject:
    """A program: how it is called, in how many rounds, and its limits, as ratios to the plain program's user time."""
    name: str
    arguments: tuple
    rounds: int
    unmeasured: float
    measured: float
    # How it is called to time every call, with --max-overhead 0: then there are so many calls that what they cost is far more than
    # noise. None: it is not called so. And the limit of that; None: it has none.
    calling: tuple = None
    every_call: float = None
    # It is a server, and is asked by clients that lie beside it, one after the other; the last one ends it.
    clients: tuple = ()


LUA = (os.path.join(HERE, "calls.lua"),)
SQLITE = ("--size", "40", ":memory:")
SUBJECTS = [
    Subject("lua", LUA, 11, 1.05, 1.25, calling=LUA, every_call=3.0),
    Subject("zstd", ("-3", "-q", "-c", "{made}"), 25, 1.02, 1.15, calling=("-9", "-q", "-c", "{made}")),
    Subject("sqlite", SQLITE, 11, 1.02, 1.15, calling=SQLITE),
    Subject("redis", ("--port", "0", "--unixsocket", "{socket}", "--save", ""), 11, 1.02, 1.15,
            clients=(("redis-benchmark", "-s", "{socket}", "-n", "60000", "-c", "16", "-P", "4", "-t", "set,get,lpush,lrange_100", "-q"),
                     ("redis-cli", "-s", "{socket}", "shutdown", "nosave"))),
]

# For all programs: how far the time of main may be from that of the plain program, and the size.
MAIN_DIFFERS = 0.10
SIZE = 1.10
# How far the cost that a report shows may be from the truth.
TOLD_DIFFERS = 0.20


@dataclass
class Way:
    """A way to run a program, and the seconds that its rounds took; where it is measured, those of main and those that measuring took
    by its own account, too, and the calls that were timed in the last round."""
    program: str
    arguments: tuple
    rounds: int
    # Of the environment of a measured program; None: nobody measures it.
    settings: dict = None
    user: list = field(default_factory=list)
    wall: list = field(default_factory=list)
    main: list = field(default_factory=list)
    told: list = field(default_factory=list)
    calls: int = 0


def made_file(tools):
    """Text of random words, some of which are frequent: always the same."""
    path = os.path.join(tools.folder(), f"{MADE}MB")
    if os.path.exists(path):
        return path
    chance = random.Random(1)
    words = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(2, 9))) for _ in range(20000)]
    weights = [1 / (rank + 10) for rank in range(len(words))]
    with open(path + ".new", "w", encoding="ascii") as file:
        while file.tell() < MADE * 1000000:
            file.write(" ".join(chance.choices(words, weights, k=100000)))
    os.rename(path + ".new", path)
    return path


# ---- runs ----

def without_ours():
    return {name: value for name, value in os.environ.items() if not name.startswith("HOTPATH_")}


def reported(tools, segments):
    """The seconds of main, those that measuring took, and calls that were timed, by the report of the only segment in a folder."""
    path, = glob.glob(os.path.join(segments, "*.seg"))
    report = subprocess.run([tools.tool, "report", "--format", "json", "--limit", "0", path], env=without_ours(),
                            capture_output=True, check=True)
    told = json.loads(report.stdout)
    rows = told["functions_timing"]["data"]
    main_ns = sum(row["total_ns"] for row in rows if row["name"] == "main")
    return main_ns / 1e9, told["overhead"]["estimated_ns"] / 1e9, sum(row["calls"] for row in rows)


def ask(clients, path):
    """Let clients ask a server, as soon as it listens on a socket."""
    deadline = time.monotonic() + 60
    while not os.path.exists(path):
        if time.monotonic() > deadline:
            sys.exit(f"nobody listens on {path}")
        time.sleep(0.001)
    for client in clients:
        subprocess.run(client, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)


def timed(command, environment, clients, path):
    """User and wall seconds of a command."""
    begin = time.monotonic()
    child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    if clients:
        ask(clients, path)
    _, child.returncode, usage = os.wait4(child.pid, 0)
    if child.returncode:
        sys.exit(f"{command} ends with status {child.returncode}")
    return usage.ru_utime, time.monotonic() - begin


def run(tools, way, subject):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as segments:
        environment, path = without_ours(), os.path.join(segments, "socket")

        def filled(words):
            return [word.format(made=made_file(tools), socket=path) for word in words]

        beside = os.path.dirname(way.program)
        clients = [[os.path.join(beside, name), *filled(words)] for name, *words in subject.clients]
        if way.settings is not None:
            environment |= {"LD_PRELOAD": tools.library, "HOTPATH_RUN": "1-1", "HOTPATH_DIR": segments, **way.settings}
        user, wall = timed([way.program, *filled(way.arguments)], environment, clients, path)
        way.user.append(user)
        way.wall.append(wall)
        if way.settings is not None:
            main, told, way.calls = reported(tools, segments)
            way.main.append(main)
            way.told.append(told)


def ways_of(subject, folder):
    program, arguments, rounds = os.path.join(folder, "sleds"), subject.arguments, subject.rounds
    ways = {"plain": Way(os.path.join(folder, "plain"), arguments, rounds), "unmeasured": Way(program, arguments, rounds),
            "measured": Way(program, arguments, rounds, {})}
    if subject.calling:
        ways["no call"] = Way(program, subject.calling, EVERY_CALL_ROUNDS)
        ways["every call"] = Way(program, subject.calling, EVERY_CALL_ROUNDS, {"HOTPATH_MAX_OVERHEAD": "0"})
    return ways


def take_turns(tools, subject, folder):
    """The ways, by name, after all rounds: one after the other, because machines are slower at some times than at others."""
    ways = ways_of(subject, folder)
    for number in range(subject.rounds):
        for way in ways.values():
            if number < way.rounds:
                run(tools, way, subject)
    return ways


# ---- rows ----

def loaded_size(program):
    """Bytes of text and data."""
    lines = subprocess.run(["size", program], capture_output=True, text=True, check=True).stdout.splitlines()
    text, data = lines[1].split()[:2]
    return int(text) + int(data)


def size_row(table, name, folder):
    plain, sleds = (loaded_size(os.path.join(folder, kind)) for kind in ("plain", "sleds"))
    table.row(f"{name}: text and data with sleds", sleds / 1024, "KB", sleds / plain, "plain", SIZE)


def ratio(times, others):
    return statistics.median(one / other for one, other in zip(times, others))


def user_row(table, name, way, plain, limit):
    table.row(name, min(way.user) * 1000, "ms", ratio(way.user, plain.user), "plain", limit)


def main_row(table, name, measured, plain):
    """It may be neither longer nor shorter."""
    times = ratio(measured.main, plain.wall)
    table.print_row(name, min(measured.main) * 1000, "ms", times, "plain", 1 + MAIN_DIFFERS, abs(times - 1) <= MAIN_DIFFERS)


def every_call_rows(table, subject, way, plain):
    """How much longer a program takes depends on how short its calls are: so what one costs is told too."""
    user_row(table, f"{subject.name}: measured, --max-overhead 0", way, plain, subject.every_call)
    own, added = min(plain.user) / way.calls, (min(way.user) - min(plain.user)) / way.calls
    table.print_row(f"{subject.name}: what that adds to a call", added * 1e9, "ns", added / own, "a call", None, True)


def told_row(table, name, ways):
    """What measuring every call took, by its own account and in truth."""
    every = ways["every call"]
    times = statistics.median(told / (user - without)
                              for told, user, without in zip(every.told, every.user, ways["no call"].user))
    table.print_row(f"{name}: the cost that is told", min(every.told) * 1000, "ms", times, "the truth", 1 + TOLD_DIFFERS,
                    abs(times - 1) <= TOLD_DIFFERS)


def time_rows(table, subject, ways):
    plain = ways["plain"]
    user_row(table, f"{subject.name}: with sleds, not measured", ways["unmeasured"], plain, subject.unmeasured)
    user_row(table, f"{subject.name}: measured", ways["measured"], plain, subject.measured)
    if subject.every_call:
        every_call_rows(table, subject, ways["every call"], plain)
    if subject.calling:
        told_row(table, subject.name, ways)
    main_row(table, f"{subject.name}: time of main, reported", ways["measured"], plain)


def bench_subject(tools, table, subject):
    folder = twice(tools, subject.name)
    if not folder:
        return
    time_rows(table, subject, take_turns(tools, subject, folder))
    size_row(table, subject.name, folder)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__.strip())
    tools = Tools(*map(os.path.realpath, sys.argv[1:]))
    os.makedirs(tools.folder(), exist_ok=True)
    table = Table()
    table.head()
    for subject in SUBJECTS:
        bench_subject(tools, table, subject)
    arming.bench(tools, table)
    table.rule()
    return table.missed


if __name__ == "__main__":
    sys.exit(main())
