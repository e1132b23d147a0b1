#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that runs is watched: every figure is that of a report, whatever happens to the program."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HOTPATH = os.environ["HOTPATH"]
BUILD = os.environ["BUILD"]
PROGRAM = os.path.join(BUILD, "tests/programs/watched")
PLUGIN = os.path.join(BUILD, "tests/programs/plugin.so")
failed = 0


def fail(what):
    global failed
    print("FAILED:", what)
    failed = 1


def expect(what, seen, wanted):
    if seen != wanted:
        fail(f"{what}: {seen!r}, not {wanted!r}")


class Talker:
    """A process that answers each line by one."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


class Program(Talker):
    def __init__(self):
        super().__init__(PROGRAM)
        self.ask("work 1")


class Watcher(Talker):
    def __init__(self, target):
        super().__init__(os.path.join(BUILD, "tests/integration/watcher"), str(target))

    def rows(self):
        return rows_of(json.loads(self.ask("picture")))


def rows_of(report):
    return {row["name"]: row for row in report["functions_timing"]["data"]}


def report(pid):
    """What the tool says, who reads it for the first time."""
    text = subprocess.run([HOTPATH, "report", str(pid), "--format", "json", "--limit", "0",
                           "--percentiles", "50,95,99,99.9"], stdout=subprocess.PIPE, check=True).stdout
    return json.loads(text)


# Shares are of the time of the process, which passes.
FIGURES = ("calls", "open", "total_ns", "self_ns", "sum_ns", "avg_ns", "min_ns", "max_ns", "p95_ns")


def differences(seen, wanted, names):
    for name in names:
        if name not in seen:
            return f"{name} is missing"
        # What is in progress goes on: the row that is 100 %.
        for figure in FIGURES if wanted[name]["open"] == 0 else ("calls", "open"):
            if seen[name].get(figure) != wanted[name].get(figure):
                return f"{figure} of {name}: {seen[name].get(figure)}, not {wanted[name].get(figure)}"
    return None


def expect_exact(what, watcher, pid, names=None):
    seen, wanted = watcher.rows(), rows_of(report(pid))
    difference = differences(seen, wanted, names or wanted)
    if difference:
        fail(f"{what}: {difference}")
    if not names:
        expect(f"{what}: functions", sorted(seen), sorted(wanted))


def look_until(watcher, answer, seconds=30):
    end = time.monotonic() + seconds
    seen = watcher.ask("read")
    while seen != answer and time.monotonic() < end:
        time.sleep(0.02)
        seen = watcher.ask("read")
    expect("a read", seen, answer)


def figures():
    """Those of visible functions at every read, those of all others after some.

    The newest calls of a busy function may be taken for average ones, until a read finds that there were no more.
    """
    program = Program()
    program.ask("threads 3")
    program.ask("functions 60")
    program.ask("work 70")
    watcher = Watcher(program.pid)
    watcher.ask("quota 16")
    expect("first read", watcher.ask("read"), "live 0")
    expect_exact("first read", watcher, program.pid)
    for turn in range(5):
        program.ask(f"work {65 + 40 * turn}")
        visible = [f"function_{(7 * turn + i * 11) % 60}" for i in range(5)]
        watcher.ask("read " + " ".join(visible))
        watcher.ask("read " + " ".join(visible))
        expect_exact(f"visible in turn {turn}", watcher, program.pid, visible)
    # Four stats each: four functions a read.
    for _ in range(32):
        watcher.ask("read")
    expect_exact("all, after their turns", watcher, program.pid)
    program.end()


# Counts that add up: what there was, and what came since.
COUNTS = ("calls", "total_ns", "self_ns", "sum_ns")


def since():
    """What happened between two reads: all figures add up, whatever else the program had done before."""
    program = Program()
    program.ask("threads 2")
    program.ask("functions 20")
    program.ask("work 200")
    watcher = Watcher(program.pid)
    watcher.ask("read")
    expect("a mark", watcher.ask("mark"), "ok")
    then = rows_of(json.loads(watcher.ask("whole")))
    nothing = rows_of(json.loads(watcher.ask("since")))
    expect("calls since now", sum(row["calls"] for row in nothing.values()), 0)
    program.ask("functions 25")
    program.ask("work 30")
    window = json.loads(watcher.ask("since"))
    now = rows_of(json.loads(watcher.ask("whole")))
    for name, row in rows_of(window).items():
        # The row that is 100 % goes on while it is read.
        for figure in COUNTS if row["open"] == 0 else ("calls",):
            expect(f"{figure} of {name} since", row[figure],
                   now[name][figure] - then.get(name, {figure: 0})[figure])
        if row["calls"]:
            expect(f"calls in the histogram of {name}", sum(count for _, count in row["histogram"]), row["calls"])
            if not row["min_ns"] <= row["p95_ns"] <= row["max_ns"] <= now[name]["max_ns"]:
                fail(f"{name}: {row}")
    expect("calls of one function", rows_of(window)["function_0"]["calls"], 3 * 30)
    expect("calls of a new one", rows_of(window)["function_22"]["calls"], 3 * 31)
    program.ask("again")
    watcher.ask("read")
    seen = watcher.ask("since")
    if "it has begun to record anew" not in seen:
        fail(f"another session: {seen}")
    program.end()
    watcher.end()


def news():
    """Functions, threads and libraries that come later; and a session that begins anew."""
    program = Program()
    watcher = Watcher(program.pid)
    watcher.ask("quota 1")
    watcher.ask("read")
    program.ask("functions 200")
    program.ask("work 3")
    watcher.ask("read function_0")
    expect_exact("new functions", watcher, program.pid)
    program.ask("threads 5")
    program.ask("work 100")
    watcher.ask("read function_0 function_1")
    expect_exact("new threads", watcher, program.pid, ["function_0", "function_1"])
    expect("threads", len(watcher.ask("calling function_0").split()), 6)
    program.ask(f"load {PLUGIN}")
    watcher.ask("read")
    expect("a new library", watcher.rows().get("plugin_work", {}).get("calls"), 1)
    program.ask("again")
    program.ask("work 2")
    expect("a new session", watcher.ask("read"), "live 0")
    expect_exact("a new session", watcher, program.pid)
    expect("recent calls", watcher.ask("recent function_0"), "12")
    program.end()


def trends():
    """Calls a second, by the program's own count and the clock of this test."""
    program = Program()
    watcher = Watcher(program.pid)
    watcher.ask("read")
    begin = time.monotonic()
    program.ask("work 1000")
    time.sleep(0.1)
    before = time.monotonic()
    watcher.ask("read")
    after = time.monotonic()
    rate = float(watcher.ask("trend function_0").split()[0])
    if not 1000 / (after - begin + 1) <= rate <= 1000 / (before - begin) * 1.01:
        fail(f"{rate} calls a second of 1000 in {before - begin} to {after - begin} seconds")
    program.end()


def ends():
    """Killed, and its file removed: the last picture is complete."""
    program = Program()
    watcher = Watcher(program.pid)
    expect("a read", watcher.ask("read"), "live 0")
    program.ask("work 1000")
    for name in os.listdir(os.environ["HOTPATH_DIR"]):
        os.unlink(os.path.join(os.environ["HOTPATH_DIR"], name))
    program.process.kill()
    program.end()
    expect("after the end", watcher.ask("read"), "ended 0")
    expect("the last picture", watcher.rows()["function_0"]["calls"], 1001)
    expect("the whole", rows_of(json.loads(watcher.ask("whole")))["function_0"]["calls"], 1001)
    # Its next start is watched, whatever became of the file; another program's is not.
    other = Talker(os.path.join(BUILD, "tests/programs/fork_other"))
    program = Program()
    program.ask("work 4")
    look_until(watcher, "live 1")
    expect("the next start", watcher.rows()["function_0"]["calls"], 5)
    expect_exact("the next start", watcher, program.pid)
    other.process.kill()
    other.end()
    expect("it exits by itself", program.end(), 0)
    expect("after exit", watcher.ask("read"), "ended 1")
    expect("how it ended", json.loads(watcher.ask("picture"))["exit"]["clean"], True)


def execs():
    """A process that becomes another program does not write any more; that takes some reads to see."""
    program = Program()
    watcher = Watcher(program.pid)
    watcher.ask("read")
    program.process.stdin.write("become /bin/cat\n")
    program.process.stdin.flush()
    look_until(watcher, "ended 0")
    program.end()


def stops():
    program = Program()
    watcher = Watcher(program.pid)
    expect("a read", watcher.ask("read"), "live 0")
    os.kill(program.pid, signal.SIGSTOP)
    look_until(watcher, "stale 0")
    expect_exact("stopped", watcher, program.pid)
    os.kill(program.pid, signal.SIGCONT)
    look_until(watcher, "live 0")
    program.end()


def cut():
    """A file that somebody cuts short, again and again while it is read: an error, and no crash."""
    program = Program()
    program.ask("functions 200")
    program.ask("threads 8")
    program.ask("work 100")
    segment = os.path.join(os.environ["HOTPATH_DIR"], os.listdir(os.environ["HOTPATH_DIR"])[0])
    size, used = os.path.getsize(segment), os.stat(segment).st_blocks * 512
    watcher = Watcher(segment)
    expect("a read", watcher.ask("read"), "live 0")
    watcher.ask("quota 0")
    watcher.process.stdin.write("read\n" * 100)
    watcher.process.stdin.flush()
    for i in range(500):
        os.truncate(segment, 8192 + used * (499 - i) // 500)
        os.truncate(segment, size)
    answers = {watcher.process.stdout.readline().strip() for _ in range(100)}
    if not answers <= {"live 0", f"{segment}: it was cut short"}:
        fail(f"cut short: {answers}")
    os.truncate(segment, 8192)
    expect("a read", watcher.ask("read"), f"{segment}: it was cut short")
    # What was cut off and put back is zeros: a picture of that is one of nothing.
    watcher.rows()
    program.process.kill()
    program.end()
    expect("it goes on", watcher.end(), 0)


def errors():
    for target, answer in (("nobody", "no measured program 'nobody' is running; "
                                      "start it with 'hotpath run'"),
                           (os.getpid(), f"process {os.getpid()} is not being measured; "
                                         f"'hotpath attach {os.getpid()}' does so")):
        watcher = Watcher(target)
        expect("an error", watcher.process.stdout.readline().strip(), answer)
        expect("its status", watcher.end(), 2)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        os.environ["HOTPATH_DIR"] = folder
        os.environ["HOTPATH_OUTPUT_FORMAT"] = "none"
        for test in (figures, since, news, trends, ends, execs, stops, cut, errors):
            test()
            for name in os.listdir(folder):
                os.unlink(os.path.join(folder, name))
    return failed


sys.exit(main())
