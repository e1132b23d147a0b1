# SPDX-License-Identifier: MIT
"""What the tests of metrics share: the text that Prometheus scrapes is taken apart, and checked by programs of others."""
import re
import subprocess

from serving import expect, fail

SAMPLE = re.compile(r'(\w+)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)",?')
BOUNDARIES = [250 * 4 ** n for n in range(15)]


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
