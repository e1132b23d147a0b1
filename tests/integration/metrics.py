#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Metrics of real programs are what their reports say, and what Prometheus itself takes for valid."""
import collections
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

from exposition import check_open, check_text, expect_histogram, find, samples_of, seconds
from exposition_protobuf import samples_and_natives
from serving import BUILD, HOTPATH, expect, fail, failures

METRICS_OF = os.path.join(BUILD, "tests/integration/metrics_of")


def record(program, *options):
    """Run a program by a clock of nanoseconds, and return the path of its report."""
    path = os.path.join(os.environ["HOTPATH_DIR"], os.path.basename(program) + ".json")
    subprocess.run([HOTPATH, "run", *options, "--save", path, "--", os.path.join(BUILD, program)], check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "HOTPATH_CLOCK": "monotonic"})
    return path


def metrics_of(*arguments, text=True):
    return subprocess.run([METRICS_OF, *arguments], stdout=subprocess.PIPE, check=True, text=text).stdout


def protobuf_says_the_same(text, data):
    """All that the text has, and nothing else."""
    wanted = {key: float(value) for key, value in samples_of(text).items()}
    seen, natives = samples_and_natives(data)
    # Labels are escaped in a text only.
    escaped = {(name, tuple((key, value.replace("\\", "\\\\").replace('"', '\\"')) for key, value in labels)): value
               for (name, labels), value in seen.items()}
    # Nanoseconds that are more than a double has room for are rounded twice.
    wrong = {key: value for key, value in escaped.items() if key not in wanted or abs(wanted[key] - value) > math.ulp(value)}
    expect("samples in protocol buffers", wrong, {})
    expect("samples that are not there", sorted(wanted.keys() - escaped.keys()), [])
    expect("native histograms", sorted(natives), sorted((name[:-6], labels) for name, labels in seen if name.endswith("_count")
                                                         and (name[:-6] + "_sum", labels) in seen))


def native_histograms(report, natives):
    """Each bucket of the report is in the one that its middle belongs to."""
    for row in report["functions_timing"]["data"]:
        wanted = collections.Counter()
        for value, calls in row["histogram"]:
            wanted[math.ceil(math.log2(value / 1e9) * 32) if value else None] += calls
        found = [native for (name, labels), native in natives.items()
                 if name == "hotpath_function_duration_seconds" and ("function", row["name"]) in labels]
        expect(f"native buckets of {row['name']}", found, [dict(wanted)])


def functions(report, samples):
    for row in report["functions_timing"]["data"]:
        labels = {"function": row["name"]}
        expect(f"calls of {labels}", find(samples, "hotpath_function_calls_total", **labels), str(row["calls"]))
        expect("self time", find(samples, "hotpath_function_self_seconds_total", **labels), seconds(row["self_ns"]))
        expect_histogram(samples, "hotpath_function_duration_seconds", labels, row["histogram"], row["calls"], row["sum_ns"])
    expect("uptime", find(samples, "hotpath_uptime_seconds"), seconds(report["elapsed_ns"]))


def locks(report, samples):
    """Of one name there may be two sides of a lock, and several mutexes in different places."""
    mutexes = [row for row in report["locks"]["data"] if row["lock_type"] == "mutex"]
    if not mutexes:
        fail("no mutex")
    for row in mutexes:
        labels = {"label": row["name"]}
        expect(f"acquired {labels}", find(samples, "hotpath_mutex_acquisitions_total", **labels), str(row["acquired_count"]))
        expect_histogram(samples, "hotpath_mutex_wait_seconds", labels, row["wait_histogram"], row["wait_sampled_count"],
                         row["wait_sum_ns"])
    expect("blocks", find(samples, "hotpath_allocs_total"), str(report["functions_alloc"]["total_blocks"]))


def main():
    if not shutil.which("promtool"):
        print("skipped: promtool is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        os.environ["HOTPATH_DIR"] = folder
        basic, threads = record("examples/basic"), record("examples/locks", "--waits", "--alloc")
        others = [record("examples/futures"), record("examples/channels_pthread"), record("examples/slow_disk", "--waits")]
        with open(basic, encoding="utf-8") as file:
            report = json.load(file)
        functions(report, samples_of(metrics_of(basic)))
        native_histograms(report, samples_and_natives(metrics_of("-p", basic, text=False))[1])
        with open(threads, encoding="utf-8") as file:
            locks(json.load(file), samples_of(metrics_of(threads)))
        everything = ["-r", basic, threads, *others]
        check_text(metrics_of(*everything))
        check_text(metrics_of("-l", "2", *everything))
        check_open(metrics_of("-o", *everything))
        protobuf_says_the_same(metrics_of(*everything), metrics_of("-p", *everything, text=False))
        expect("another try", metrics_of(*everything), metrics_of(*reversed(everything[1:]), "-r"))
    return 1 if failures else 0


sys.exit(main())
