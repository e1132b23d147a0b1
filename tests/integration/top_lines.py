#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hotpath top prints the numbers of the report, again and again, until the program ends."""
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import termios
import time

HOTPATH = os.environ["HOTPATH"]
PROGRAM = os.path.join(os.environ["BUILD"], "tests/programs/obedient")
POSTING = os.path.join(os.environ["BUILD"], "tests/programs/posting")
COMPUTING = os.path.join(os.environ["BUILD"], "tests/programs/attached")
failed = 0


def fail(what):
    global failed
    print("FAILED:", what)
    failed = 1


class Program:
    """One that calls a function as often as it is told, and knows how often that was."""

    started = 0

    def __init__(self):
        Program.started += 1
        # Each is a run of its own, so that none prints a report.
        os.environ["HOTPATH_RUN"] = f"top{Program.started}"
        self.process = subprocess.Popen([PROGRAM], text=True, bufsize=1, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.pid = self.process.pid
        self.call(1)

    def call(self, times):
        self.process.stdin.write(f"{times}\n")
        return int(self.process.stdout.readline())

    def stop(self):
        os.kill(self.pid, signal.SIGSTOP)
        os.waitpid(self.pid, os.WUNTRACED)

    def end(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.stdin.close()
        self.process.wait()


def tool(*arguments):
    """What it prints; it must end well."""
    done = subprocess.run([HOTPATH, *arguments], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        fail(f"{arguments}: exit status {done.returncode}")
    return done.stdout


def rows(report):
    return {row["name"]: row for row in report["functions_timing"]["data"]}


def steps(report):
    return rows(report)["step"]["calls"]


def ended_figures(report):
    """What does not change while the program is stopped: open calls last up to now. top does not read the call tree."""
    changing = {"calls_per_second", "percent_total", "percent_self", "inner_calls"}
    return {name: {key: row[key] for key in row.keys() - changing
                   if key not in ("total_ns", "self_ns") or not row["open"]}
            for name, row in rows(report).items()}


def cells(text, name, wanted=("Function", "Calls", "Avg", "P95", "Total")):
    """Of a row of the first table, those in the columns that are wanted."""
    lines = [[cell.strip() for cell in line.split("|")] for line in text.splitlines()
             if line.startswith("|")]
    row = next(line for line in lines if line[1] == name)
    return [row[lines[0].index(column)] for column in wanted]


def numbers_are_those_of_the_report():
    program = Program()
    called = program.call(12345)
    program.stop()
    pid = str(program.pid)
    report = json.loads(tool("report", "--format", "json", pid))
    top = json.loads(tool("top", "--once", "--json-lines", pid))
    if ended_figures(report) != ended_figures(top) or steps(top) != called:
        fail(f"{called}: {ended_figures(report)} and {ended_figures(top)}")
    if top["state"] not in ("live", "stale") or top["pid"] != program.pid:
        fail(f"state: {top['state']}, pid: {top['pid']}")
    table, blocks = tool("report", pid), tool("top", "--once", pid)
    if cells(table, "step") != cells(blocks, "step"):
        fail(f"tables: {table} and {blocks}")
    if not blocks.startswith(f"[hotpath] obedient (pid {pid}) | ") or "\x1b" in blocks:
        fail(f"the first line: {blocks}")
    tree = tool("top", "--once", "--report", "tree", pid)
    if "tree - " not in tree or f"{called} " not in tree or "timing - " in tree:
        fail(f"--report tree: {tree}")
    program.end()


def check_rate(earlier, later):
    """Calls a second are those between two looks, by the tool's own clock."""
    rate = rows(later)["step"]["calls_per_second"]
    seconds = (later["seen_unix_ns"] - earlier["seen_unix_ns"]) / 1e9
    expected = (steps(later) - steps(earlier)) / seconds
    if rate is not None and expected and abs(rate / expected - 1) > 0.2:
        fail(f"{rate} calls a second, not {expected}")


def lines_come_until_the_program_ends():
    program = Program()
    called = program.call(1000)
    top = subprocess.Popen([HOTPATH, "top", "--json-lines", "--refresh-ms", "50", "obedient"],
                           stdout=subprocess.PIPE, text=True)
    before = json.loads(top.stdout.readline())
    while steps(before) < called + 3000:
        program.call(1000)
        line = json.loads(top.stdout.readline())
        if line["state"] != "live" or line["schema"] != 1 or line["type"] != "hotpath_report":
            fail(f"{line['state']}, {line['schema']}, {line['type']}")
        check_rate(before, line)
        before = line
    called = program.call(17)
    program.end()
    *_, last = top.stdout
    last = json.loads(last)
    if last["state"] != "ended" or last["exit"]["running"] or steps(last) != called:
        fail(f"the last line: {last['state']}, {last['exit']}, {steps(last)} of {called} calls")
    if top.wait():
        fail(f"exit status {top.returncode}")


def line_is_a_report(folder):
    """As it is, a line can be shown again."""
    program = Program()
    path = os.path.join(folder, "line.json")
    tool("top", "--once", "--json-lines", "-o", path)
    if "| step " not in tool("report", path):
        fail("a line is no report")
    program.end()


def end_is_noticed_at_once():
    """However long the pause between two looks would be."""
    program = Program()
    top = subprocess.Popen([HOTPATH, "top", "--refresh-ms", "60000"], stdout=subprocess.PIPE,
                           text=True)
    top.stdout.readline()
    program.end()
    text = top.stdout.read()
    if top.wait() or "\n\n[hotpath] obedient (pid " not in text or "| Ended |" not in text:
        fail(f"exit status {top.returncode}: {text}")


def who_stops_reading_ends_it():
    program = Program()
    for disposition in (signal.SIG_DFL, signal.SIG_IGN):
        top = subprocess.Popen([HOTPATH, "top", "--refresh-ms", "60000"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=lambda how=disposition: signal.signal(signal.SIGPIPE, how))
        top.stdout.readline()
        top.stdout.close()
        complaint = top.stderr.read()
        top.wait()
        if complaint:
            fail(f"it says {complaint}")
    program.end()


def interrupt_leaves_the_terminal_alone():
    program = Program()
    pid, master = pty.fork()
    if pid == 0:
        os.execv(HOTPATH, [HOTPATH, "top", "--refresh-ms", "50"])
    before = termios.tcgetattr(master)
    text = b""
    while text.count(b"[hotpath] obedient") < 2:
        text += os.read(master, 4096)
    os.write(master, b"\x03")
    try:
        while os.read(master, 4096):
            pass
    except OSError:
        pass
    _, status = os.waitpid(pid, 0)
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGINT:
        fail(f"^C: status {status}")
    if b"\x1b" in text or termios.tcgetattr(master) != before:
        fail(f"the terminal: {text!r}")
    os.close(master)
    program.end()


def allocations_leave_the_rest():
    """Recording allocations, a line has the rates that it has without; and no stacks, for which nobody asked."""
    program = subprocess.Popen([HOTPATH, "run", "--no-cpu", "--alloc", "--format", "none", POSTING], text=True, bufsize=1,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    top = None
    sent = None
    deadline = time.monotonic() + 60
    while not sent and time.monotonic() < deadline:
        program.stdin.write("100\n")
        program.stdout.readline()
        top = top or subprocess.Popen([HOTPATH, "top", "--json-lines", "--refresh-ms", "50", "posting"],
                                      stdout=subprocess.PIPE, text=True)
        line = json.loads(top.stdout.readline())
        sent = line["channels"]["data"][0]["sent_per_sec"]
    if not sent:
        fail("a channel has no rate")
    if "stacks" in line or "alloc_stacks" in line:
        fail(f"a line has stacks: {line.keys()}")
    if "keep" not in [row["name"] for row in line["memory_live"]["data"]]:
        fail(f"live blocks: {line['memory_live']}")
    program.stdin.close()
    program.wait()
    top.communicate()


def busy_threads_are_busy():
    """A thread that computes all the time has a share of the CPU, however often the program is read for one block."""
    program = subprocess.Popen([HOTPATH, "run", "--cpu", "--format", "none", COMPUTING], text=True, stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while "attached" not in tool("list") and time.monotonic() < deadline:
        time.sleep(0.01)
    for _ in range(5):
        line = json.loads(tool("top", "--once", "--json-lines", "--report", "threads,cpu", "attached"))
        main = next(row for row in line["threads"]["data"] if row["tid"] == row["pid"])
        if not main["cpu_percent"] or main["cpu_percent_max"] < main["cpu_percent_avg"]:
            fail(f"it computes all the time: {main}")
    program.communicate("exit 0\n")


def newest_is_taken():
    older, newer = Program(), Program()
    if json.loads(tool("top", "--once", "--json-lines"))["pid"] != newer.pid:
        fail("it is not the newest")
    newer.end()
    if json.loads(tool("top", "--once", "--json-lines"))["pid"] != older.pid:
        fail("it is one that has ended")
    older.end()


with tempfile.TemporaryDirectory() as work:
    os.mkdir(os.path.join(work, "segments"), 0o700)
    for variable in list(os.environ):
        if variable.startswith("HOTPATH_"):
            del os.environ[variable]
    os.environ["HOTPATH_DIR"] = os.path.join(work, "segments")
    numbers_are_those_of_the_report()
    lines_come_until_the_program_ends()
    line_is_a_report(work)
    end_is_noticed_at_once()
    who_stops_reading_ends_it()
    interrupt_leaves_the_terminal_alone()
    newest_is_taken()
    allocations_leave_the_rest()
    busy_threads_are_busy()
sys.exit(failed)
