#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hotpath arm and disarm, and attach: functions of a program that runs are measured from one moment to another, and only those
that were asked for; the program goes on as if nothing had happened.

usage: arm.py COMPILER
"""
import glob
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
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../programs")
LIBRARY = os.path.join(BUILD, "src/library")
COMPILER = sys.argv[1]
failed = 0


def fail(what):
    global failed
    print("FAILED:", what)
    failed = 1


def expect(what, seen, wanted):
    if seen != wanted:
        fail(f"{what}: {seen!r}, not {wanted!r}")


def tool(*arguments, **options):
    """The status of a command, and what it prints on standard output and standard error."""
    run = subprocess.run((HOTPATH, *arguments), capture_output=True, text=True, timeout=60, **options)
    return run.returncode, run.stdout, run.stderr


def build(source, program, *arguments):
    command = (HOTPATH, "cc", COMPILER, "-O2", "-w", "-pthread", os.path.join(SOURCES, source), "-o", program, *arguments)
    subprocess.run(command, check=True)
    return program


class Program:
    """It obeys a line, and answers by a number."""

    def __init__(self, *command, **options):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, **options)
        self.pid = int(self.process.stdout.readline())

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def end(self, what):
        out, err = self.process.communicate("end\n", timeout=60)
        expect(f"{what}: its end", (self.process.returncode, out, err), (0, "", ""))


def rows_of(pid):
    """The rows of functions that were called, by the report of a process; none when there is no report."""
    status, out, _ = tool("report", str(pid), "--format", "json", "--limit", "0")
    report = json.loads(out) if status == 0 else {}
    rows = report["functions_timing"]["data"] if "functions_timing" in report else []
    return {row["name"]: row for row in rows if row["calls"]}


def calls(pid):
    return {name: row["calls"] for name, row in rows_of(pid).items()}


def states(pid):
    """What is known of the segments of a process."""
    return [row["state"] for row in json.loads(tool("list", "--json")[1]) if str(row["pid"]) == str(pid)]


def armed(what, *arguments, measured=None):
    status, out, err = tool(*arguments)
    expect(f"{what}: {arguments}", (status, err), (0, ""))
    if measured is not None:
        expect(f"{what}: {arguments}", out.split(" ")[0], str(measured))
        expect(f"{what}: {arguments}", f" {'is' if measured == 1 else 'are'} measured" in out, True)


def an_idle_program(command, what):
    program = Program(*command)
    pid = str(program.pid)
    program.ask("work 100")
    expect(f"{what}: nobody has asked", calls(pid), {})
    armed(what, "arm", pid)
    expect(f"{what}: nothing has happened yet", calls(pid), {})
    program.ask("work 1000")
    # The functions of the program itself are called, too.
    seen = calls(pid)
    expect(f"{what}: all functions", (seen["worker"], seen["helper"]), (1000, 2000))
    armed(what, "disarm", pid, measured=0)
    program.ask("work 100")
    expect(f"{what}: not measured any more", calls(pid)["worker"], 1000)
    armed(what, "arm", pid, "help*", measured=1)
    program.ask("work 10")
    expect(f"{what}: one function, from zero on", calls(pid), {"helper": 20})
    armed(what, "arm", pid, "worker", measured=2)
    program.ask("work 10")
    expect(f"{what}: another one", calls(pid), {"helper": 40, "worker": 10})
    armed(what, "disarm", pid, "help[a-f]r", measured=1)
    program.ask("work 10")
    expect(f"{what}: only that", calls(pid), {"helper": 40, "worker": 20})
    program.end(what)
    expect(f"{what}: after its end", calls(pid), {"helper": 40, "worker": 20})


def a_program_that_is_run(program, environment):
    what = "under hotpath run"
    report = os.path.join(environment["HOTPATH_DIR"], "report.json")
    command = (HOTPATH, "run", "--max-overhead", "0", "--format", "json", "--limit", "0", "-o", report, program)
    running = Program(*command)
    pid = str(running.pid)
    running.ask("work 10")
    armed(what, "disarm", pid, "helper")
    running.ask("work 100")
    armed(what, "disarm", pid, measured=0)
    running.ask("work 100")
    armed(what, "arm", pid)
    running.ask("work 10")
    running.end(what)
    rows = {row["name"]: row["calls"] for row in json.load(open(report))["functions_timing"]["data"]}
    expect(what, (rows["worker"], rows["helper"]), (120, 40))


def a_call_without_an_exit(program):
    """Its function is armed again while a later call is in progress at the same place of the stack: that one's exit is not its."""
    what = "a call whose exit was disarmed"
    running = Program(program)
    pid = str(running.pid)
    armed(what, "arm", pid, "stay", measured=1)
    begin = time.monotonic_ns()
    running.ask("stay")
    armed(what, "disarm", pid, "stay", measured=0)
    disarmed = time.monotonic_ns()
    running.ask("")
    armed(what, "arm", pid, "stay", measured=1)
    # It lasts longer than what came before the exit went.
    while time.monotonic_ns() < disarmed + 2 * (disarmed - begin):
        pass
    running.ask("")
    row = rows_of(pid)["stay"]
    if row["calls"] != 1 or row["max_ns"] > disarmed - begin:
        fail(f"{what}: {row['calls']} calls, {row['max_ns']} ns, disarmed after {disarmed - begin}")
    running.end(what)


def an_exit_that_stays(program):
    """Code cannot be changed any more: a call in progress ends in its own exit, which is still there."""
    what = "a call whose exit could not be disarmed"
    running = Program(program)
    pid = str(running.pid)
    armed(what, "arm", pid, "stay", measured=1)
    if running.ask("forbid"):
        running.ask("stay")
        begun = time.monotonic_ns()
        refused(what, ("disarm", pid, "stay"), 2, "may not change its code")
        refused_at = time.monotonic_ns()
        while time.monotonic_ns() < refused_at + (refused_at - begun):
            pass
        least = time.monotonic_ns() - begun
        running.ask("")
        running.ask("")
        row = rows_of(pid)["stay"]
        if row["calls"] != 2 or row["max_ns"] < least * 0.9:
            fail(f"{what}: {row['calls']} calls, {row['max_ns']} ns, not {least}")
    running.end(what)


def a_child(program):
    what = "a forked child"
    parent = Program(program)
    child = str(parent.ask("fork"))
    armed(what, "arm", child, "worker", measured=1)
    parent.ask("work 7")
    expect(what, (calls(child), calls(parent.pid)), ({"worker": 7}, {}))
    parent.process.stdin.write("end\n")
    parent.process.stdin.flush()
    # It ends, and then its parent goes on.
    expect(f"{what}: its parent", parent.process.stdout.readline(), "0\n")
    expect(f"{what}: its parent obeys", parent.ask("work 5"), 5)
    parent.end(what)


def a_child_of_one_that_is_armed(program):
    """It records as its parent does, until it is disarmed itself."""
    what = "a child of an armed program"
    parent = Program(program)
    armed(what, "arm", str(parent.pid), "worker", measured=1)
    child = str(parent.ask("fork"))
    parent.ask("work 7")
    expect(what, calls(child), {"worker": 7})
    armed(what, "disarm", child, measured=0)
    parent.ask("work 7")
    expect(f"{what}: disarmed", calls(child), {"worker": 7})
    expect(f"{what}: it records no more", states(child), ["stopped"])
    parent.process.stdin.write("end\n")
    parent.process.stdin.flush()
    parent.process.stdout.readline()
    parent.end(what)


def several_at_once(program):
    what = "several requests at once"
    running = Program(program)
    pid = str(running.pid)
    asking = [subprocess.Popen((HOTPATH, kind, pid, "worker"), stdout=subprocess.DEVNULL) for kind in ("arm", "disarm") * 8]
    expect(what, [one.wait(timeout=60) for one in asking], [0] * 16)
    armed(what, "arm", pid, "worker")
    expect(f"{what}: nothing is left", glob.glob(f"/dev/shm/hotpath-*/hotpath-{pid}.ask*"), [])
    expect(f"{what}: where its samples are handled", running.ask("stack"), 1)
    running.end(what)


def disarmed_before(program):
    what = "disarmed twice"
    running = Program(program)
    pid = str(running.pid)
    armed(what, "disarm", pid, "worker")
    armed(what, "disarm", pid, measured=0)
    armed(what, "arm", pid, "worker", measured=1)
    armed(what, "disarm", pid, measured=0)
    armed(what, "disarm", pid, measured=0)
    armed(what, "arm", pid)
    running.ask("work 3")
    expect(what, calls(pid)["worker"], 3)
    running.end(what)


def restrained_before(program):
    """What a function has cost in one recording is forgotten in the next one."""
    what = "restrained in the recording before"
    running = Program(program, env={**os.environ, "HOTPATH_MAX_OVERHEAD": "1"})
    pid = str(running.pid)
    for _ in range(2):
        armed(what, "arm", pid, "helper", measured=1)
        deadline = time.monotonic() + 60
        while rows_of(pid).get("helper", {"measured": "timed"})["measured"] == "timed" and time.monotonic() < deadline:
            running.ask("work 100000")
        expect(f"{what}: too many calls", rows_of(pid)["helper"]["measured"] != "timed", True)
        armed(what, "disarm", pid, measured=0)
        armed(what, "arm", pid, "helper", measured=1)
        running.ask("work 10")
        row = rows_of(pid).get("helper", {})
        expect(what, (row.get("calls"), row.get("counted_calls"), row.get("measured")), (20, 0, "timed"))
        armed(what, "disarm", pid, measured=0)
    running.end(what)


def a_limit_that_cannot_be_kept(program):
    """Code cannot be changed any more: every call is timed, whatever it costs, and nothing else is said."""
    what = "a limit that cannot be kept"
    running = Program(program, env={**os.environ, "HOTPATH_MAX_OVERHEAD": "1"})
    pid = str(running.pid)
    armed(what, "arm", pid, "helper", measured=1)
    if running.ask("forbid"):
        running.ask("work 1000000")
        row = rows_of(pid)["helper"]
        expect(what, (row["calls"], row["counted_calls"], row["measured"]), (2000000, 0, "timed"))
        report = json.loads(tool("report", pid, "--format", "json")[1])
        expect(f"{what}: it is told", report["dropped"]["unpatched"] > 0, True)
    running.end(what)


def one_with_its_own_signal(program):
    what = "a program that uses SIGURG"
    running = Program(program)
    pid = str(running.pid)
    running.ask("use")
    armed(what, "arm", pid)
    running.ask("work 5")
    expect(what, (calls(pid)["worker"], running.ask("used")), (5, 0))
    os.kill(running.pid, signal.SIGURG)
    expect(f"{what}: it is its own", running.ask("used"), 1)
    running.end(what)


def attached(program):
    what = "attach"
    running = Program(program)
    pid = str(running.pid)
    attach = subprocess.Popen((HOTPATH, "attach", pid, "--format", "json", "--limit", "0"), stdout=subprocess.PIPE, text=True)
    while not tool("list")[1].count(pid):
        pass
    # It is armed before it is listed: this is measured.
    running.ask("work 50")
    attach.send_signal(signal.SIGINT)
    rows = json.loads(attach.communicate(timeout=60)[0])["functions_timing"]["data"]
    expect(what, {row["name"]: row["calls"] for row in rows if row["calls"] > 1}, {"worker": 50, "helper": 100})
    running.ask("work 50")
    expect(f"{what}: it has left", calls(pid)["worker"], 50)
    running.end(what)


def refused(what, arguments, status, *words):
    seen, out, err = tool(*arguments)
    if (seen, out) != (status, "") or err.count("\n") != 1 or not all(word in err for word in words):
        fail(f"{what}: status {seen}, {out!r}, {err!r}; not {status}, {words}")


def attached_all_the_same(running):
    """It is sampled from outside, where that is allowed; and is not told to be built as it was."""
    what = "attached to code that may not be changed"
    attach = ("attach", str(running.pid), "--seconds", "1", "--report", "timing")
    status, out, err = tool(*attach)
    expect(f"{what}: it is told", "may not change its code" in err, True)
    if status == 0:
        expect(what, ("code may not be changed here" in out, "HOTPATH_MEASURE" in out), (True, False))


def bad_requests(program, plain):
    refused("no process", ("arm",), 2, "no process given")
    refused("no number", ("disarm", "main"), 2, "'main' is not a process id")
    refused("no such process", ("arm", "4194304"), 2, "does not exist")
    refused("a program without sleds", ("arm", str(os.getpid())), 2, "hotpath cc")
    running = Program(program)
    pid = str(running.pid)
    refused("no such function", ("arm", pid, "nosuch*"), 1, "arm: no function", "nosuch*")
    refused("a function of another library", ("arm", pid, "malloc"), 1, "arm: ", "malloc", "sled")
    expect("nothing was armed by that", calls(pid), {})
    os.kill(running.pid, signal.SIGSTOP)
    refused("a stopped program", ("arm", pid), 2, "is stopped")
    os.kill(running.pid, signal.SIGCONT)
    running.ask("block")
    refused("a program that blocks signals", ("arm", pid), 2, "blocks signals")
    running.end("bad requests")
    running = Program(program)
    if running.ask("forbid"):
        refused("code that may not be changed", ("arm", str(running.pid)), 2, "may not change its code")
        expect("code that may not be changed: it records nothing", states(running.pid), ["stopped"])
        attached_all_the_same(running)
    running.ask("work 5")
    running.end("code that may not be changed")
    running = Program(program)
    expect("a filter", running.ask("filter"), 1)
    refused("a program that may not return from handlers", ("arm", str(running.pid)), 2, "libhotpath")
    running.end("a program that may not return from handlers")
    running = Program(program, env={**os.environ, "HOTPATH_OFF": "1"})
    refused("a program where all is switched off", ("arm", str(running.pid)), 2, "libhotpath")
    running.end("switched off")
    running = Program(plain)
    refused("a program without libhotpath", ("arm", str(running.pid)), 2, "libhotpath")
    running.end("without libhotpath")


def ended_meanwhile(program):
    what = "a program that ends before it answers"
    running = Program(program)
    running.ask("block")
    arm = subprocess.Popen((HOTPATH, "arm", str(running.pid)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not glob.glob(f"/dev/shm/hotpath-*/hotpath-{running.pid}.ask"):
        if arm.poll() is not None:
            break
    running.process.kill()
    running.process.communicate(timeout=60)
    out, err = arm.communicate(timeout=60)
    expect(what, (arm.returncode, out, err), (2, "", f"hotpath: arm: process {running.pid} has ended, without an answer\n"))


def toggled(program, expected):
    """All functions are armed and disarmed again and again while threads are in them: the results stay the same."""
    running = subprocess.Popen((program, "input"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    while not tool("arm", str(running.pid))[0] == 0:
        pass
    for i in range(200):
        armed("toggled", "disarm" if i % 2 == 0 else "arm", str(running.pid))
    out, err = running.communicate("", timeout=60)
    expect("toggled: what it does", (running.returncode, out, err), (0, expected, ""))


def main():
    if not shutil.which(COMPILER):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        os.environ["HOTPATH_DIR"] = os.path.join(work, "segments")
        os.environ["LD_LIBRARY_PATH"] = LIBRARY
        os.environ.pop("HOTPATH_RUN", None)
        # Calls that are open when a function is disarmed are not waited for.
        os.environ["HOTPATH_MAX_OVERHEAD"] = "0"
        os.mkdir(os.environ["HOTPATH_DIR"], 0o700)
        linked = ("-L" + LIBRARY, "-Wl,--no-as-needed", "-lhotpath")
        program = build("sleds_asked.c", os.path.join(work, "asked"), *linked)
        plain = build("sleds_asked.c", os.path.join(work, "plain"))
        an_idle_program((program,), "an idle program")
        a_program_that_is_run(plain, os.environ)
        a_call_without_an_exit(program)
        an_exit_that_stays(program)
        a_child(program)
        a_child_of_one_that_is_armed(program)
        several_at_once(program)
        disarmed_before(program)
        restrained_before(program)
        a_limit_that_cannot_be_kept(program)
        one_with_its_own_signal(program)
        attached(program)
        bad_requests(program, plain)
        ended_meanwhile(program)
        registers = build("sled_registers.c", os.path.join(work, "registers"), *linked)
        toggled(registers, subprocess.run((registers,), capture_output=True, text=True, check=True).stdout)
    sys.exit(failed)


main()
