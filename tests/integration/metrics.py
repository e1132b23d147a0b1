#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Metrics of real programs are what their reports say, and what Prometheus itself takes for valid."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HOTPATH = os.environ["HOTPATH"]
BUILD = os.environ["BUILD"]
METRICS_OF = os.path.join(BUILD, "tests/integration/metrics_of")
SAMPLE = re.compile(r'(\w+)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)",?')
BOUNDARIES = [250 * 4 ** n for n in range(15)]
failed = 0


def fail(what):
    global failed
    print("FAILED:", what)
    failed = 1


def expect(what, seen, wanted):
    if seen != wanted:
        fail(f"{what}: {seen!r}, not {wanted!r}")


def record(program, *options):
    """Run a program by a clock of nanoseconds, and return the path of its report."""
    path = os.path.join(os.environ["HOTPATH_DIR"], os.path.basename(program) + ".json")
    subprocess.run([HOTPATH, "run", *options, "--save", path, "--", os.path.join(BUILD, program)], check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "HOTPATH_CLOCK": "monotonic"})
    return path


def metrics_of(*arguments):
    return subprocess.run([METRICS_OF, *arguments], stdout=subprocess.PIPE, check=True, text=True).stdout


def samples_of(text):
    """By name and labels, which must be unique."""
    samples = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels, value = SAMPLE.match(line).groups()
        pairs = tuple(sorted(LABEL.findall(labels or "")))
        if (name, pairs) in samples:
            fail(f"twice: {line}")
        samples[name, pairs] = value
    return samples


def find(samples, name, **labels):
    """The value of the only sample with these labels, and perhaps others."""
    found = [value for (other, pairs), value in samples.items() if other == name and labels.items() <= dict(pairs).items()]
    if len(found) != 1:
        fail(f"{len(found)} samples of {name}{labels}")
    return found[0] if found else None


def seconds(ns):
    return f"{ns // 10 ** 9}.{ns % 10 ** 9:09}".rstrip("0").rstrip(".")


def expect_histogram(samples, name, labels, row, count, total_ns):
    for boundary in BOUNDARIES:
        below = sum(calls for value, calls in row if value < boundary)
        expect(f"{name}{labels} below {boundary} ns", find(samples, name + "_bucket", le=seconds(boundary), **labels), str(below))
    expect(f"{name}_sum{labels}", find(samples, name + "_sum", **labels), seconds(total_ns))
    for suffix, more in (("_count", {}), ("_bucket", {"le": "+Inf"})):
        expect(name + suffix, find(samples, name + suffix, **labels, **more), str(count))


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


def check_text(text):
    """What Prometheus says of it."""
    done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode or done.stdout.strip():
        fail(f"promtool: {done.stdout}")


def check_open(text):
    """What the reference parser says of it."""
    script = "import sys\nfrom prometheus_client.openmetrics.parser import text_string_to_metric_families as families\n" \
             "print(sum(len(family.samples) for family in families(sys.stdin.read())))"
    if subprocess.run(["/usr/bin/python3", "-c", "import prometheus_client"], check=False, stderr=subprocess.DEVNULL).returncode:
        print("no prometheus_client: OpenMetrics is not checked")
        return
    done = subprocess.run(["/usr/bin/python3", "-c", script], input=text, text=True, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    expect("samples in OpenMetrics", done.stdout.strip(), str(len(samples_of(text))))


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
            functions(json.load(file), samples_of(metrics_of(basic)))
        with open(threads, encoding="utf-8") as file:
            locks(json.load(file), samples_of(metrics_of(threads)))
        everything = ["-r", basic, threads, *others]
        check_text(metrics_of(*everything))
        check_text(metrics_of("-l", "2", *everything))
        check_open(metrics_of("-o", *everything))
        expect("another try", metrics_of(*everything), metrics_of(*reversed(everything[1:]), "-r"))
    return failed


sys.exit(main())
