#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What Prometheus scrapes from hotpath serve is what hotpath report says of the same programs, and counters never fall."""
import json
import os
import shutil
import struct
import subprocess
import threading
import time

from exposition import check_open, check_text, expect_histogram, find, samples_of, seconds
from exposition_protobuf import ACCEPT, TYPE, samples_and_natives
from serving import HOTPATH, SANITIZED, Program, expect, expect_error, fail, main, serving, until

TEXT = "text/plain; version=0.0.4; charset=utf-8"
OPEN = "application/openmetrics-text; version=1.0.0; charset=utf-8"
MANY = 40
# Where a segment has the rate of its clock.
TICKS_PER_SECOND = 72


def report(pid):
    """As it is saved: with histograms."""
    path = os.path.join(os.environ["HOTPATH_DIR"], "report.json")
    subprocess.run([HOTPATH, "report", str(pid), "--save", path], check=True)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def scrape(server, target="/metrics", **headers):
    answer = server.ask(target, **headers)
    expect(f"{target}: status", answer.status, 200)
    return answer


def samples(server, target="/metrics"):
    return samples_of(scrape(server, target).body.decode())


def start(functions=20, threads=3):
    """A program by a clock of nanoseconds, which no reader has to estimate."""
    os.environ["HOTPATH_CLOCK"] = "monotonic"
    program = Program()
    program.ask(f"threads {threads}")
    program.ask(f"functions {functions}")
    program.ask("work 20")
    return program


def compare(seen, wanted):
    """Calls in progress have a duration that passes."""
    for row in wanted["functions_timing"]["data"]:
        labels = {"function": row["name"], "pid": str(wanted["pid"])}
        expect(f"calls of {labels}", find(seen, "hotpath_function_calls_total", **labels), str(row["calls"]))
        if row["open"]:
            continue
        expect(f"self time of {labels}", find(seen, "hotpath_function_self_seconds_total", **labels), seconds(row["self_ns"]))
        expect_histogram(seen, "hotpath_function_duration_seconds", labels, row["histogram"], row["calls"], row["sum_ns"])


def formats(_):
    program = start()
    with serving() as server:
        plain = scrape(server)
        expect("the type", plain.headers["Content-Type"], TEXT)
        expect("the type for anything", scrape(server, Accept="*/*").headers["Content-Type"], TEXT)
        opened = scrape(server, Accept="application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5")
        expect("the type in OpenMetrics", opened.headers["Content-Type"], OPEN)
        expect("its end", opened.body[-6:], b"# EOF\n")
        check_open(opened.body.decode())
        packed = scrape(server, Accept=ACCEPT)
        expect("the type in protocol buffers", packed.headers["Content-Type"], TYPE)
        seen, natives = samples_and_natives(packed.body)
        calls = find(seen, "hotpath_function_calls_total", function="function_1")
        expect("calls of a native histogram", [sum(native.values()) for (_, labels), native in natives.items()
                                               if ("function", "function_1") in labels], [calls])
        if shutil.which("promtool"):
            check_text(plain.body.decode())
        else:
            print("no promtool: the text format is not checked")
    program.end()


def figures(_):
    program = start()
    with serving() as server:
        compare(samples(server), report(program.pid))
        program.end()
        target = f"/metrics?program={program.pid}"
        until("it has ended", lambda: find(samples(server, target), "hotpath_running") == "0")
        compare(samples(server, target), report(program.pid))
        # What does not change any more is not scraped.
        expect("ended programs", [name for name, _ in samples(server) if name == "hotpath_program_info"], [])


def natives_of(server):
    """What is in each native bucket of all functions."""
    _, natives = samples_and_natives(scrape(server, "/metrics?limit=0", Accept=ACCEPT).body)
    return {(series, bucket): count for series, native in natives.items() for bucket, count in native.items()}


def counters_never_fall(_):
    """Neither under load nor when it ends; and all calls are in the buckets, of more functions than a quick read takes."""
    program = start(functions=100)
    over = threading.Event()

    def work():
        while not over.wait(0.002):
            program.ask("work 10")

    thread = threading.Thread(target=work)
    thread.start()
    with serving() as server:
        before, natives = {}, {}
        for turn in range(6):
            if turn == 4:
                over.set()
                thread.join()
            # A scrape that comes at once would get the figures of the last.
            time.sleep(0.6)
            # The list of programs is read in a quicker way.
            server.get("/api/programs")
            now = samples(server, "/metrics?limit=0")
            natives, natives_before = natives_of(server), natives
            for key, count in natives_before.items():
                if natives.get(key, 0) < count:
                    fail(f"native bucket {key} falls from {count} to {natives.get(key, 0)}")
            for key, value in now.items():
                if key[0].endswith(("_total", "_sum", "_count", "_bucket")) and float(value) < float(before.get(key, 0)):
                    fail(f"{key} falls from {before[key]} to {value}")
            before = now
            for row in ("function_0", "function_50", "function_99"):
                expect(f"calls of {row} below a minute", find(now, "hotpath_function_duration_seconds_bucket", function=row,
                                                              le="67.108864"),
                       find(now, "hotpath_function_duration_seconds_count", function=row))
        compare(samples(server, "/metrics?limit=0"), report(program.pid))
    program.end()


def corrected_clock(_):
    """The rate of the clock, which a program corrects when it stops recording, is one for all scrapes; and a window has its times."""
    program = start(functions=3)
    folder = os.environ["HOTPATH_DIR"]
    with serving() as server:
        before = samples(server)
        name = next(it for it in os.listdir(folder) if it.startswith(f"hotpath-{program.pid}-"))
        with open(os.path.join(folder, name), "r+b") as file:
            file.seek(TICKS_PER_SECOND)
            rate, = struct.unpack("=Q", file.read(8))
            file.seek(TICKS_PER_SECOND)
            file.write(struct.pack("=Q", rate * 2))
        # A scrape that comes at once would get the figures of the last.
        time.sleep(0.6)
        after = samples(server)
        for key, value in before.items():
            if key[0].startswith("hotpath_function_") and dict(key[1]).get("function", "").startswith("function_"):
                expect(f"{key} with another rate", after.get(key), value)
        idle = server.get(f"/api/report?program={program.pid}&window=1&section=timing")
        expect("functions in a window without calls", [it["name"] for it in idle["functions_timing"]["data"] if it["calls"]], [])
    program.end()


def limits(_):
    program = start(functions=30)
    pid = program.pid

    def functions(server, target):
        return {dict(labels)["function"] for name, labels in samples(server, target) if name == "hotpath_function_calls_total"}

    with serving("--metrics-limit", "5") as server:
        expect("of the option", len(functions(server, "/metrics")), 6)
        expect("more", len(functions(server, "/metrics?limit=10")), 11)
        expect("all", len(functions(server, "/metrics?limit=0")), 31)
        total = sum(int(value) for (name, _), value in samples(server, "/metrics").items()
                    if name == "hotpath_function_calls_total")
        expect("with the others it is all calls", total,
               sum(row["calls"] for row in report(pid)["functions_timing"]["data"]))
        for wrong in "x", "-1", "1000001", "":
            expect_error(f"limit={wrong}", server.ask(f"/metrics?limit={wrong}"), 400, "limit")
        expect_error("an unknown program", server.ask("/metrics?program=1"), 404, "/api/programs")
        expect("POST", server.ask("/metrics", method="POST").status, 405)
        expect("without a token", server.ask("/metrics", trusted=False).status, 401)
    program.end()
    refused = subprocess.run([HOTPATH, "serve", "--port", "0", "--metrics-limit", "few"], capture_output=True, text=True,
                             check=False, timeout=30)
    expect("a wrong option", (refused.returncode, refused.stderr),
           (2, "hotpath: serve: --metrics-limit: 'few' is not a number\n"))


def many_programs(_):
    """One server, some that run, one that starts late, one that goes, and a saved report."""
    programs = [start(functions=2, threads=0) for _ in range(MANY)]
    saved = os.path.join(os.environ["HOTPATH_DIR"], "saved report.json")
    subprocess.run([HOTPATH, "report", str(programs[0].pid), "--save", saved], check=True)

    def pids(server):
        return sorted(int(dict(labels)["pid"]) for name, labels in samples(server)
                      if name == "hotpath_program_info" and "report" not in dict(labels))

    # It writes to all memory that is allocated, needed or not.
    plain = {key: value for key, value in os.environ.items() if key != "MALLOC_PERTURB_"}
    with serving("--all", saved, env=plain) as server:
        expect("all", pids(server), sorted(program.pid for program in programs))
        reports = [dict(labels)["report"] for name, labels in samples(server)
                   if name == "hotpath_program_info" and "report" in dict(labels)]
        expect("the saved report", reports, [saved])
        programs.pop().end()
        programs.append(start(functions=2, threads=0))
        until("one goes and one comes", lambda: pids(server) == sorted(program.pid for program in programs))
        memory = server.memory_kb()
        if memory > 30 * 1024 and not SANITIZED:
            fail(f"{MANY} programs take {memory} KB")
    for program in programs:
        program.end()


main(formats, figures, counters_never_fall, corrected_clock, limits, many_programs)
