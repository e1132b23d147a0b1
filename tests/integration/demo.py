#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hotpath demo shows a program that runs no longer than it does, from wherever the tool was put.

usage: demo.py [FOLDER]    the folder with the tool is FOLDER/bin; otherwise it is $HOTPATH
"""
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import threading
import time

HOTPATH = os.path.join(sys.argv[1], "bin/hotpath") if len(sys.argv) > 1 else os.environ["HOTPATH"]
failed = 0


def fail(what):
    global failed
    print("FAILED:", what, flush=True)
    failed = 1


def segments():
    return os.listdir(os.environ["HOTPATH_DIR"])


def await_that(condition, what, seconds=30):
    """Whether it is so in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            fail(f"waited in vain: {what}")
            return False
        time.sleep(0.01)
    return True


def runs(pid):
    """Also one that is not ours: a process that is not yet waited for has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def running_programs():
    done = subprocess.run([HOTPATH, "list", "--json"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    return [item["pid"] for item in json.loads(done.stdout or "[]")
            if item["state"] == "running" and item["program"] == "hotpath-demo"]


class Demo:
    """The command at a terminal of its own, whose output is read and forgotten."""

    def __init__(self):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execv(HOTPATH, [HOTPATH, "demo"])
        self.text = b""
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        await_that(running_programs, "a program that runs")
        self.program = (running_programs() or [0])[0]

    def is_seen(self):
        """The console shows the program, so that it has opened its segment."""
        await_that(lambda: b"Functions" in self.text, "the console")

    def read(self):
        try:
            while True:
                self.text += os.read(self.master, 65536)
        except OSError:
            pass

    def wait(self):
        """How it ended: an exit status, or less than 0 for a signal."""
        ended = []

        def has_ended():
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            ended.extend([status] if pid else [])
            return pid

        if not await_that(has_ended, f"the command's end: {self.text[-500:]!r}"):
            os.kill(self.pid, signal.SIGKILL)
            ended.append(os.waitpid(self.pid, 0)[1])
        self.reader.join()
        return os.waitstatus_to_exitcode(ended[0])

    def leaves_nothing(self, how):
        await_that(lambda: not runs(self.program), f"the program's end after {how}")
        await_that(lambda: not segments(), f"no segments after {how}")
        os.close(self.master)


def refused_terminal():
    """What the console cannot use is found out late, and nothing is left all the same."""
    os.environ["TERM"] = "dumb"
    pid, master = pty.fork()
    if pid == 0:
        os.execv(HOTPATH, [HOTPATH, "demo"])
    try:
        while os.read(master, 4096):
            pass
    except OSError:
        pass
    _, status = os.waitpid(pid, 0)
    os.close(master)
    os.environ["TERM"] = "xterm"
    if os.waitstatus_to_exitcode(status) != 2 or segments():
        fail(f"a dumb terminal: {status}, {segments()}")


def ends_by_signal(number):
    demo = Demo()
    os.kill(demo.pid, number)
    status = demo.wait()
    if status != -number:
        fail(f"after {number.name} it ends with {status}: {demo.text[-500:]!r}")
    demo.leaves_nothing(number.name)


def ends_by_key():
    demo = Demo()
    # Not before somebody looks: until then the terminal is not what it will be.
    await_that(lambda: b"hotpath-demo" in demo.text, "something to see")
    os.write(demo.master, b"\x03")
    demo.wait()
    demo.leaves_nothing("^C")


def ends_with_the_terminal():
    """Its other end is held by a process that is killed, as a terminal's window may be."""
    holder = os.fork()
    if holder == 0:
        Demo()
        signal.pause()
    await_that(running_programs, "a program that runs")
    program = running_programs()[0]
    os.kill(holder, signal.SIGKILL)
    os.waitpid(holder, 0)
    await_that(lambda: not runs(program), "the program's end after a hangup")
    await_that(lambda: not segments(), "no segments after a hangup")


def ends_with_the_program():
    """However that ends; a view that stays is left by a key."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        demo = Demo()
        demo.is_seen()
        os.kill(demo.program, number)
        await_that(lambda program=demo.program: not runs(program), "the program's end")
        os.write(demo.master, b"q")
        status = demo.wait()
        if status:
            fail(f"it ends with {status}: {demo.text[-500:]!r}")
        demo.leaves_nothing(f"the program's {number.name}")


def ends_a_stopped_program():
    """It takes no other signal then."""
    demo = Demo()
    os.kill(demo.program, signal.SIGSTOP)
    os.kill(demo.pid, signal.SIGTERM)
    demo.wait()
    demo.leaves_nothing("SIGTERM, the program stopped")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def program_is_worth_a_look():
    demo = Demo()
    begin, used = time.monotonic(), cpu_seconds(demo.program)
    # Until threads have come and gone.
    report = {}
    while not any(row["name"] == "close_books" for row in rows(report)):
        done = subprocess.run([HOTPATH, "report", "--format", "json", str(demo.program)],
                              stdout=subprocess.PIPE, check=False)
        report = json.loads(done.stdout)
        time.sleep(0.1)
    share = (cpu_seconds(demo.program) - used) / (time.monotonic() - begin)
    if share > 0.35:
        fail(f"it uses {share:.0%} of a core")
    for section in ("functions_timing", "functions_alloc", "memory_live", "threads",
                    "functions_cpu", "bottlenecks", "channels", "streams", "futures", "debug"):
        if not report.get(section):
            fail(f"no {section}: {report.keys()}")
    streams = {os.readlink(f"/proc/{demo.program}/fd/{stream}") for stream in range(3)}
    if streams != {"/dev/null"}:
        fail(f"its streams: {streams}")
    os.kill(demo.pid, signal.SIGTERM)
    demo.wait()
    demo.leaves_nothing("a look")


def rows(report):
    return report.get("functions_timing", {}).get("data", [])


def needs_a_terminal():
    done = subprocess.run([HOTPATH, "demo"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 2 or done.stdout or done.stderr.count("\n") != 1:
        fail(f"without a terminal: {done}")
    if "must be a terminal" not in done.stderr or segments():
        fail(f"without a terminal: {done.stderr}, {segments()}")


with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o700)
    for variable in list(os.environ):
        if variable.startswith("HOTPATH_"):
            del os.environ[variable]
    # What was set for other programs does not matter.
    os.environ.update(HOTPATH_DIR=folder, HOTPATH_OFF="1", HOTPATH_SHUTDOWN_MS="1",
                      TERM="xterm")
    needs_a_terminal()
    ends_by_signal(signal.SIGTERM)
    ends_by_signal(signal.SIGKILL)
    if len(sys.argv) == 1:
        ends_by_signal(signal.SIGINT)
        ends_by_signal(signal.SIGHUP)
        refused_terminal()
        ends_by_key()
        ends_with_the_terminal()
        ends_with_the_program()
        ends_a_stopped_program()
        program_is_worth_a_look()
sys.exit(failed)
