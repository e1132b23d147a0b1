#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A kind of measurement is one file and one line: what is seen of gates (gates.c), which nothing else knows of.

The tool here is the ordinary one with another table of kinds. The program's clock counts nanoseconds, so that every
figure is known in advance.
"""
import atexit
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = os.environ["BUILD"]
PROGRAM = os.path.join(BUILD, "tests/kinds/pass_gates")
# A tool finds its libraries beside it.
TREE = tempfile.mkdtemp(prefix="hotpath-")
atexit.register(shutil.rmtree, TREE)
TOOL = os.path.join(TREE, "cli/hotpath")
os.mkdir(os.path.join(TREE, "cli"))
shutil.copy(os.path.join(BUILD, "tests/kinds/hotpath-gates"), TOOL)
os.symlink(os.path.join(BUILD, "src/library"), os.path.join(TREE, "library"))
os.environ["HOTPATH"] = TOOL
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../console"))

from terminal import SEGMENTS, WORK, console, fail, finish  # noqa: E402


def tool(*arguments, status=0):
    done = subprocess.run([TOOL, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          stdin=subprocess.DEVNULL, env={**os.environ, "HOTPATH_CLOCK": "monotonic"})
    if done.returncode != status:
        fail(f"{arguments}: exit status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def record(name, passes, hold, processes=1, options=()):
    """Run the program, and return the path of its report in JSON."""
    path = os.path.join(WORK, name)
    tool("run", "--no-cpu", "--format", "json", "-o", path, *options, "--", PROGRAM, str(passes), str(hold), str(processes))
    return path


def gate_of(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    return report["gates"]["data"][0]


def expect(what, got, wanted):
    if got != wanted:
        fail(f"{what}: {got!r} and not {wanted!r}")


def says(what, text, pattern):
    if not re.search(pattern, text, re.MULTILINE):
        fail(f"{what}: no {pattern!r} in\n{text}")


def has_figures():
    """In JSON: 2 threads, 8 passes each, of which 2 are refused."""
    gate = gate_of(record("one.json", 8, 5000))
    waits = [100, 200, 300, 500, 600, 700]
    for key, wanted in {"name": "north", "passed_count": 12, "refused_count": 4, "refused_percent": 25,
                        "wait_sampled_count": 12, "wait_sum_ns": 2 * sum(waits), "wait_min_ns": 100, "wait_avg_ns": 400,
                        "wait_max_ns": 700, "hold_sampled_count": 12, "hold_sum_ns": 60000, "hold_avg_ns": 5000,
                        "hold_p95_ns": 5000, "keeper": "keeper", "longest_ns": 5000}.items():
        expect(key, gate[key], wanted)


def has_a_table():
    text = tool("run", "--no-cpu", "--percentiles", "50", "--", PROGRAM, "8", "5000", "1")
    says("table", text, r"^gates - Waiting at gates, and holding them\.$")
    says("table", text, r"^\| Gate +\| Passed +\| Refused % +\| Wait Avg +\| Wait P50 +\| Hold Avg +\| Hold P50 +\| Keeper")
    says("table", text, r"^\| north +\| +12 +\| +25\.00% +\| +400 ns +\| +30[0-3] ns +\| +5\.00 µs +\| +5\.00 µs +\| keeper 5\.00 µs")
    says("limit", tool("report", "--help"), r"--gates-limit N +rows of the section about gates; 0 for all")
    says("sections", tool("report", "--report", "nothing", status=2), r"\bgates\b")


def is_saved_and_loaded():
    saved, again = os.path.join(WORK, "saved"), os.path.join(WORK, "again")
    tool("report", "--save", saved)
    tool("report", "--save", again, saved)
    with open(saved, encoding="utf-8") as one, open(again, encoding="utf-8") as other:
        expect("saved and loaded", json.load(other)["gates"], json.load(one)["gates"])
    expect("loaded table", tool("report", "--report", "gates", saved), tool("report", "--report", "gates"))
    text = open(saved, encoding="utf-8").read().replace('"passed_count":12', '"passed_count":"many"')
    with open(saved, "w", encoding="utf-8") as file:
        file.write(text)
    says("damaged", tool("report", saved, status=2), "damaged report: 'passed_count' is not a whole number")


def has_metrics():
    saved = os.path.join(WORK, "metrics.json")
    tool("report", "--save", saved)
    text = subprocess.run([os.path.join(BUILD, "tests/kinds/metrics-of-gates"), saved], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    says("metrics", text, r"^# TYPE hotpath_gate_passed_total counter$")
    says("metrics", text, r'^hotpath_gate_passed_total\{.*label="north".*\} 12$')
    says("metrics", text, r'^hotpath_gate_hold_seconds_count\{.*label="north".*\} 12$')
    says("metrics", text, r'^hotpath_gate_longest_seconds\{.*label="north".*\} 0\.000005$')


def is_merged():
    """Of two processes: sums, the mean of all, the text of the largest."""
    gate = gate_of(record("two.json", 8, 5000, 2, []))
    for key, wanted in {"passed_count": 24, "refused_count": 8, "wait_sum_ns": 9600, "wait_avg_ns": 400,
                        "hold_sampled_count": 24, "keeper": "keeper"}.items():
        expect("merged " + key, gate[key], wanted)


def is_compared():
    """By time, which takes several runs to be judged, and by what is exact."""
    before, after = record("before.json", 8, 5000), record("after.json", 8, 50000)
    more = record("more.json", 16, 5000)
    slower = tool("compare", "--report", "gates", "--base", *[before] * 10, "--head", *[after] * 10, status=1)
    says("slower", slower, r"^\| north +\| slower +\| +5\.00 µs → 50\.00 µs \(\+900 %\) +\| +\+900 … \+900 % +\| +12 \|$")
    counted = tool("compare", "--report", "gates", "--fail-on", "any", before, more, status=1)
    says("exact", counted, r"^\| north .*\| +12 → 24 \(\+100 %\) +\|$")
    says("metrics", tool("compare", "--help"), r"gates +gate_passed, gate_hold_avg")


def has_a_pane():
    tool("run", "--no-cpu", "--format", "none", "--", PROGRAM, "8", "5000", "1")
    newest = max((os.path.join(SEGMENTS, name) for name in os.listdir(SEGMENTS) if name.endswith(".seg")),
                 key=os.path.getmtime)
    terminal = console(newest)
    terminal.wait_for(r"Data flow: Gates")
    terminal.wait_for(r"^north +12 ")
    terminal.keys("Enter")
    terminal.wait_for(r"^  Hold Avg +5\.00 µs")


os.makedirs(SEGMENTS, mode=0o700, exist_ok=True)
has_figures()
has_a_table()
is_saved_and_loaded()
has_metrics()
is_merged()
is_compared()
has_a_pane()
finish()
