#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hotpath top shows a run of several processes as one thing, with the numbers of the report; or some of its processes."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HOTPATH = os.environ["HOTPATH"]
PROGRAM = os.path.join(os.environ["BUILD"], "tests/programs/obedient")
PATIENCE = 60
failed = 0


def fail(what):
    global failed
    print("FAILED:", what)
    failed = 1


class Child:
    """A process of a run that calls a function as often as it is told, and knows how often that was."""

    def __init__(self, folder, name):
        self.paths = [os.path.join(folder, f"{name}.{end}") for end in ("in", "out")]
        for path in self.paths:
            os.mkfifo(path)
        self.input = self.output = None

    def command(self):
        return f"{PROGRAM} < {self.paths[0]} > {self.paths[1]} &"

    def open(self):
        # pylint: disable=consider-using-with
        self.input = open(self.paths[0], "w", encoding="utf-8")
        self.output = open(self.paths[1], encoding="utf-8")
        self.call(1)

    def call(self, times):
        self.input.write(f"{times}\n")
        self.input.flush()
        return int(self.output.readline())

    def end(self):
        self.input.close()
        self.output.read()
        self.output.close()


class Run:
    """A shell that has started two of them, and waits; also when they have ended, until it is told to go."""

    def __init__(self, folder):
        self.children = [Child(folder, name) for name in ("a", "b")]
        self.go = os.path.join(folder, "go")
        os.mkfifo(self.go)
        script = "\n".join(child.command() for child in self.children) + f"\nwait; read -r _ < {self.go}; true"
        command = [HOTPATH, "run", "--no-cpu", "--format", "none", "bash", "-c", script]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        for child in self.children:
            child.open()

    def end(self):
        for child in self.children:
            child.end()
        tell(self.go)
        self.process.wait()


def tool(*arguments):
    """What it prints; it must end well."""
    done = subprocess.run([HOTPATH, *arguments], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        fail(f"{arguments}: exit status {done.returncode}")
    return done.stdout


def refuse(text, *arguments):
    done = subprocess.run([HOTPATH, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 2 or done.stdout or text not in done.stderr or done.stderr.count("\n") != 1:
        fail(f"{arguments}: status {done.returncode}, {done.stderr!r}")


def top(*arguments):
    return json.loads(tool("top", "--once", "--json-lines", *arguments))


def steps(block):
    """Calls of the function, and those of each second, if they are known."""
    rows = [row for row in block["functions_timing"]["data"] if row["name"] == "step"]
    return rows[0]["calls"] if len(rows) == 1 else None


def expect(what, found, wanted):
    if found != wanted:
        fail(f"{what}: {found}, not {wanted}")


def check_threads(block):
    """Each process has its threads, with the share of a processor that they had since the last read."""
    threads = block["threads"]["data"]
    expect("threads", len(threads), 2)
    if any(thread["cpu_percent"] is None for thread in threads):
        fail(f"the present share of a thread is not known: {threads}")


def check_parts(run, first, second):
    both = [str(row["pid"]) for row in top()["process_tree"]["data"] if row["program"] == "obedient"]
    expect("processes of the program", len(both), 2)
    expect("the first and the second", sorted(steps(top("--process", pid)) for pid in both), sorted((first, second)))
    expect("those of a name", steps(top("--process", "obedient")), first + second)
    numbers = [steps(top(f"--process={n}")) for n in (2, 3)]
    expect("by their place", sorted(numbers), sorted((first, second)))
    expect("of a run by its name", steps(top(name_of_run())), first + second)
    refuse("process 'bash' has recorded nothing", "top", "--once", "--process", "bash")
    refuse("no process 'nothing' in this run", "top", "--once", "--process", "nothing")
    text = tool("top", "--once", "--process", both[0])
    if f"obedient (pid {both[0]}) | Live" not in text:
        fail(f"one process: {text}")
    run.children[0].call(1)


def name_of_run():
    return json.loads(tool("list", "--json"))[0]["run"]


def rates(run):
    """Calls of both processes between two blocks are in the rate of the second."""
    watch = subprocess.Popen([HOTPATH, "top", "--json-lines", "--refresh-ms", "400"], stdout=subprocess.PIPE,
                             text=True)
    deadline = time.monotonic() + PATIENCE
    rate = 0
    while not rate and time.monotonic() < deadline:
        for child in run.children:
            child.call(50)
        block = json.loads(watch.stdout.readline())
        rate = next(row["calls_per_second"] for row in block["functions_timing"]["data"] if row["name"] == "step")
    if not rate:
        fail("a run has no calls per second")
    return watch


def end_is_noticed_at_once(run):
    """However long the pause is, and though the first process ends before the others."""
    watch = subprocess.Popen([HOTPATH, "top", "--refresh-ms", "60000"], stdout=subprocess.PIPE, text=True)
    watch.stdout.readline()
    run.children[0].end()
    run.children[1].call(1)
    return watch


def between_processes(last):
    """No process is measured any more, and the run goes on."""
    last.end()
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and any(row["live"] for row in json.loads(tool("list", "--json"))):
        time.sleep(0.02)
    expect("the state between two processes", top()["state"], "live")


def programs(block):
    return [row["program"] for row in block["process_tree"]["data"]]


def row_stays(folder):
    """A process that was chosen by its place in the tree is still the same when others are started before it."""
    begun, late, leave, other = (os.path.join(folder, name) for name in ("begun", "late", "leave", "other"))
    for path in (begun, late, leave):
        os.mkfifo(path)
    shutil.copy(PROGRAM, other)
    script = f"""bash -c ': > {begun}; read -r _ < {late}; {other} < /dev/null; read -r _ < {leave}; true' &
        read -r _ < {begun}
        for _ in 1 2 3 4 5 6 7 8; do {PROGRAM} <<< 10 > {folder}/calls; done
        echo done; wait"""
    run = subprocess.Popen([HOTPATH, "run", "--no-cpu", "--format", "none", "bash", "-c", script],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    run.stdout.readline()
    row = 1 + programs(top()).index("obedient")
    watch = subprocess.Popen([HOTPATH, "top", "--json-lines", "--refresh-ms", "100", "--process", str(row)],
                             stdout=subprocess.PIPE, text=True)
    first = json.loads(watch.stdout.readline())
    expect("the chosen row", first["program"], "obedient")
    tell(late)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and "other" not in programs(top()):
        time.sleep(0.02)
    tell(leave)
    run.wait()
    last = json.loads(watch.communicate(timeout=PATIENCE)[0].splitlines()[-1])
    expect("the chosen row later", (last["program"], steps(last)), (first["program"], steps(first)))


def tell(path):
    with open(path, "w", encoding="utf-8"):
        pass


def main():
    with tempfile.TemporaryDirectory(prefix="hotpath-") as folder:
        os.environ["HOTPATH_DIR"] = os.path.join(folder, "segments")
        run = Run(folder)
        first, second = run.children[0].call(10), run.children[1].call(20)
        block = top()
        expect("the state", block["state"], "live")
        expect("calls of all", steps(block), first + second)
        expect("processes", programs(block), ["bash", "obedient", "obedient"])
        check_threads(block)
        text = tool("top", "--once")
        if not text.startswith("[hotpath] bash (3 processes) | Live | "):
            fail(f"the first line: {text}")
        check_parts(run, first, second)
        watch = rates(run)
        calls = [child.call(1) for child in run.children]
        slow = end_is_noticed_at_once(run)
        calls[1] += 1
        run.children.pop(0)
        between_processes(run.children.pop())
        run.end()
        began = time.monotonic()
        text = slow.communicate(timeout=PATIENCE)[0]
        if text.count("[hotpath] bash") != 1 or "| Ended |" not in text or time.monotonic() - began > 30:
            fail(f"the end of a run is not noticed at once: {text}")
        lines = watch.communicate(timeout=PATIENCE)[0].splitlines()
        last = json.loads(lines[-1])
        expect("the last state", last["state"], "ended")
        expect("the last calls", steps(last), sum(calls))
        expect("its end", watch.returncode, 0)
        report = json.loads(tool("report", "--format", "json"))
        expect("the report", steps(report), sum(calls))
        # A run that has ended, by its name; and a part of it.
        name = name_of_run()
        expect("after the end", (top(name)["state"], steps(top(name))), ("ended", sum(calls)))
        expect("a part after the end", steps(top(name, "--process", "obedient")), sum(calls))
        row_stays(folder)
    sys.exit(failed)


main()
