#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What hotpath compare writes of reports that are made here, whole: it is in golden/, and read as a reviewer would.

With GOLDEN_WRITE=1 in the environment it is written anew.
"""

import fcntl
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import termios

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
HOTPATH = os.environ["HOTPATH"]
# How runs differ, in both directions; those of head in another order.
NOISE = (0.3, -0.6, 0.9, -0.1, 0.5, -1.0, 0.1, -0.4)
HOSTILE = "evil|`x` </details> <!-- --> @octocat #1 [x](https://example.com) \x1b[31m\n- row ::error::x"
failed = 0


def fail(what):
    global failed
    print("FAILED:", what)
    failed = 1


def noisy(value, run, noise=0.005):
    """A time of a run that is about so much."""
    return round(value * (1 + noise * NOISE[run % len(NOISE)]))


def function(run, name, calls, self_ms, noise=0.005, line=1):
    time = noisy(self_ms * 1e6, run, noise)
    return {"name": name, "kind": "function", "calls": calls, "open": 0, "total_ns": time, "self_ns": time,
            "sum_ns": time, "avg_ns": time // max(calls, 1), "min_ns": 1, "max_ns": time, "p95_ns": time,
            "location": {"file": "parse.c", "line": line}}


def allocating(name, count, size, line=1):
    return {"name": name, "kind": "function", "calls": 1, "open": 0, "bytes": count * size, "count": count,
            "inclusive_bytes": count * size, "inclusive_count": count, "location": {"file": "parse.c", "line": line}}


def sampled(name, samples, line=1):
    return {"name": name, "samples": samples, "inclusive_samples": samples, "cpu_ns": samples * 1000000,
            "alloc_ns": 0, "kind": "function", "location": {"file": "parse.c", "line": line}}


def channel(run, name, sent, delay_us):
    return {"name": name, "channel_type": "bounded[16]", "capacity": 16, "instances": 1, "closed_instances": 1,
            "state": "closed", "sent_count": sent, "received_count": sent, "queue_size": 0, "max_queue_size": 16,
            "sent_bytes": sent * 8, "waited_ns": 0, "delay_sampled_count": sent,
            "delay_sum_ns": sent * noisy(delay_us * 1e3, run), "delay_min_ns": 1, "delay_max_ns": 10**6,
            "delay_avg_ns": noisy(delay_us * 1e3, run), "delay_p95_ns": noisy(delay_us * 1e3, run)}


def future(run, name, polls, poll_ms):
    return {"name": name, "call_count": 10, "ended_count": 10, "total_polls": polls,
            "total_poll_duration_ns": noisy(poll_ms * 1e6, run), "max_poll_duration_ns": 10**6,
            "lifetime_sampled_count": 10, "lifetime_sum_ns": 10**8, "lifetime_min_ns": 10**6, "lifetime_max_ns": 10**8,
            "lifetime_avg_ns": 10**7, "lifetime_p95_ns": 10**7, "cancelled_count": 0}


def section(data, **members):
    return {"total_count": len(data), "included_count": len(data), "data": data, **members}


def report(run, elapsed_ms, functions, **sections):
    """One with everything that there can be, or what is given."""
    machine = sections.pop("machine", {"arch": "x86_64", "cpu": "Model 7", "kernel": "6.1", "cores": 8})
    return {"type": "hotpath_report", "schema": 1, "version": "0.1.0", "program": "parse", "arguments": "large.txt",
            "caller": "parse",
            "elapsed_ns": noisy(elapsed_ms * 1e6, run), "exit": {"clean": True, "status": 0, "signal": None, "running": False},
            "machine": machine, "functions_timing": section(functions, percentiles=[95]), **sections}


def allocations(*rows):
    return section(list(rows), percentiles=[], mode="count", cumulative=False, total_bytes=sum(row["bytes"] for row in rows),
                   total_blocks=sum(row["count"] for row in rows))


def cpu(*rows):
    samples = sum(row["samples"] for row in rows)
    return section(list(rows), total_samples=samples, attributed_samples=samples, rate_hz=1000, source="perf",
                   period_ns=1000000, looks=0, outside_alloc_ns=0)


def before(run):
    functions = [function(run, "walk", 1000, 300), function(run, "hash", 50000, 200, line=2),
                 function(run, "lookup", 400, 100, line=3), function(run, "slurp", 7, 60, line=4),
                 function(run, "gone", 12, 50, line=5), function(run, "jittery", 90, 80, 0.4, line=6),
                 function(run, "tiny", 3, 1, line=7), function(run, HOSTILE, 20, 70, line=8),
                 function(run, "copy", 33, 40, line=9), function(run, "copy", 33, 20, line=90)]
    return report(run, 1000, functions,
                  functions_alloc=allocations(allocating("walk", 1000, 64), allocating("hash", 500 + run, 16, 2),
                                              allocating("lookup", 400, 32, 3), allocating(HOSTILE, 100, 8, 8)),
                  functions_cpu=cpu(sampled("walk", 300 + run % 3), sampled("hash", 200 - run % 2, 2)),
                  channels=section([channel(run, "lines", 5000, 40), channel(run, "quiet", 10, 40)]),
                  futures=section([future(run, "fetch", 360, 30)]))


def after(run):
    run += 3
    functions = [function(run, "walk", 1000, 390), function(run, "hash", 50000, 150, line=2),
                 function(run, "lookup", 401, 100.5, line=3), function(run, "read_all", 7, 60, line=4),
                 function(run, "fresh", 13, 45, line=5), function(run, "jittery", 90, 85, 0.4, line=6),
                 function(run, "tiny", 3, 2, line=7), function(run, HOSTILE, 20, 90, line=8),
                 function(run, "copy", 33, 40, line=9), function(run, "copy", 33, 30, line=90)]
    return report(run, 1080, functions,
                  functions_alloc=allocations(allocating("walk", 1001, 64), allocating("hash", 900 + run, 16, 2),
                                              allocating("lookup", 300, 32, 3), allocating(HOSTILE, 101, 8, 8)),
                  functions_cpu=cpu(sampled("walk", 390 + run % 3), sampled("hash", 150 - run % 2, 2)),
                  channels=section([channel(run, "lines", 5001, 60), channel(run, "quiet", 10, 40)]),
                  futures=section([future(run, "fetch", 400, 30.1)]))


def plain(run, walk_ms=30, count=5, **others):
    return report(run, 32, [function(run, "walk", 10, walk_ms), function(run, "main", 1, 2, line=2)],
                  functions_alloc=allocations(allocating("walk", count, 64)), **others)


def elsewhere(run):
    """The same program with other options, on another machine, and nothing about allocations."""
    made = plain(run, machine={"arch": "aarch64", "cpu": "Core|2 `x`", "kernel": "5.10", "cores": 1})
    made.update(arguments="small.txt", version="0.2.0")
    del made["functions_alloc"]
    return made


BUDGETS = {"budgets": [{"function": "walk", "metric": "self", "limit": "350 ms"},
                       {"function": "walk", "metric": "alloc_count", "limit": "+0 %"},
                       {"function": "hash", "metric": "calls", "limit": 50000},
                       {"function": "nowhere", "metric": "calls", "limit": 5},
                       {"metric": "elapsed", "limit": "2 s"}]}

# The name of what is expected; both sides, and how many runs of them; the exit status; and options.
CASES = (
    ("changed", before, after, 8, 1, ("--id", "parse", "--fail-on", "any", "--budget", "budgets.json")),
    ("same", before, lambda run: before(run + 3), 8, 0, ("--id", "parse")),
    ("one-run", plain, lambda run: plain(run, walk_ms=33, count=6), 1, 1, ("--fail-on", "alloc")),
    ("not-looked-for", plain, lambda run: plain(run, walk_ms=33, count=6), 8, 0, ("--fail-on", "none")),
    ("elsewhere", plain, elsewhere, 8, 0, ()),
)
FORMATS = {"md": ("--format", "markdown"), "txt": ("--format", "table"), "json": ("--format", "json-pretty")}


def compared(name, text):
    path = GOLDEN / name
    if os.environ.get("GOLDEN_WRITE"):
        path.write_text(text, encoding="utf-8")
        return
    wanted = path.read_text(encoding="utf-8") if path.exists() else ""
    if text != wanted:
        got = pathlib.Path(tempfile.gettempdir(), f"{os.getpid()}-{name}")
        got.write_text(text, encoding="utf-8")
        shown = subprocess.run(["diff", "-u", path, got], check=False, capture_output=True, encoding="utf-8")
        got.unlink()
        fail(f"{name} is another; if that is right, run this with GOLDEN_WRITE=1\n{shown.stdout}{shown.stderr}")


def save(folder, side, make, runs):
    paths = []
    for run in range(runs):
        paths.append(pathlib.Path(folder, f"{side}-{run + 1}.json"))
        # No run is there twice.
        started = {"pid": 1000 + run, "start_unix_ns": (1700000000 if side == "base" else 1700001000) * 10**9}
        paths[-1].write_text(json.dumps({**make(run), **started}), encoding="utf-8")
    return [path.name for path in paths]


def read_all(descriptor):
    """Until nobody writes any more, which a terminal tells by an error."""
    parts = []
    while True:
        try:
            part = os.read(descriptor, 1 << 16)
        except OSError:
            part = b""
        if not part:
            return b"".join(parts)
        parts.append(part)


def on_a_terminal(command, folder):
    """What a command writes to a terminal of 80 columns that knows no colours, and its exit status."""
    ours, its = os.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=its, stderr=its,
                          env={**os.environ, "TERM": "dumb"}) as process:
        os.close(its)
        text = read_all(ours)
    os.close(ours)
    return text.decode("utf-8").replace("\r\n", "\n"), process.returncode


def run_case(name, base, head, runs, status, options):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "budgets.json").write_text(json.dumps(BUDGETS), encoding="utf-8")
        files = ["--base", *save(folder, "base", base, runs), "--head", *save(folder, "head", head, runs)]
        for suffix, chosen in FORMATS.items():
            # Of many runs it is long.
            if suffix == "json" and name != "one-run":
                continue
            text, ended = on_a_terminal([HOTPATH, "compare", *chosen, *options, *files], folder)
            if ended != status:
                fail(f"{name}.{suffix} ends with {ended}, not {status}: {text}")
            compared(f"compare-{name}.{suffix}", re.sub(r'"version": "[^"]*"', '"version": "1.2.3"', text))


def main():
    for case in CASES:
        run_case(*case)
    return failed


if __name__ == "__main__":
    sys.exit(main())
