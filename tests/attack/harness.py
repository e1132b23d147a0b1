# SPDX-License-Identifier: MIT
"""Shared code of all attacks: programs are run natively and measured, and must not differ; reports must be right.

An attack is a function that makes one try. It gets a Scene, returns how many things it has checked (calls, say),
and raises Failure, or Skip where its means are not there.
"""
import collections
import contextlib
import dataclasses
import itertools
import json
import mmap
import os
import random
import shutil
import signal
import struct
import subprocess
import time
import typing

HOTPATH = os.environ.get("HOTPATH", "")
BUILD = os.environ.get("BUILD", "")
# Nothing that is run here takes as long natively, nor under the profiler.
PATIENCE = 60
NOBODY = 65534


class Failure(Exception):
    """One line: what went wrong in this try."""


class Skip(Exception):
    """Why an attack cannot be made on this machine."""


@dataclasses.dataclass(frozen=True)
class Attack:
    """An attack, which is a row of the table."""

    name: str
    one_try: typing.Callable
    # Tries in the short form; the long one makes as many as there is time for.
    rounds: int
    # The result of all tries together: "{count} finished calls, none lost".
    outcome: str = ""


Done = collections.namedtuple("Done", "status stdout stderr")


def program(name):
    """A program of these attacks, with the profiler in it; NAME_bare is without."""
    return os.path.join(BUILD, "tests/attack", name)


def wait_until(what, condition, seconds=PATIENCE):
    """The first true value of a condition; a Failure when it has none in time."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds} s")
        time.sleep(0.002)


def shorten(text, length=160):
    line = " ".join(text.split())
    return line if len(line) <= length else line[:length - 1] + "…"


class Account:
    """Counts that a program keeps itself, in words of a file that it shares; account.h says which."""

    SLOTS = 64
    WORDS = struct.Struct(f"{4 + 2 * SLOTS}Q")

    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.truncate(self.WORDS.size)
        # An ordinary user may be the one who writes it.
        os.chmod(path, 0o666)
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), self.WORDS.size)

    def words(self):
        return self.WORDS.unpack(self.memory[:])

    @property
    def pid(self):
        return self.words()[0]

    @property
    def elapsed_ns(self):
        return self.words()[2]

    @property
    def work(self):
        return self.words()[4:4 + self.SLOTS]

    @property
    def fresh(self):
        return self.words()[4 + self.SLOTS:]

    def go_on(self):
        struct.pack_into("Q", self.memory, 8, 1)


class Running:
    """A process and all that it starts, in a session of its own; ended at the latest with the try."""

    def __init__(self, command, environment, **more):
        self.command = command
        # Pipes: limits on files are not for them.
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.PIPE, errors="replace", env=environment,
                                        start_new_session=True, **more)

    def is_running(self):
        return self.process.poll() is None

    def kill(self):
        if self.is_running():
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def wait(self, seconds=PATIENCE):
        try:
            stdout, stderr = self.process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failure(f"hangs: {shorten(' '.join(self.command))}") from None
        return Done(self.process.returncode, stdout, stderr)


class Scene:
    """One try: a folder that is removed after it, random numbers, and what was started and mounted."""

    def __init__(self, attack, chance, number, props, folder):
        self.attack = attack
        self.random = chance
        self.number = number
        # Objects that the tries of one attack share, such as a file system that takes long to make.
        self.props = props
        self.stack = contextlib.ExitStack()
        self.work = folder
        self.segments = self.folder("segments")
        # The tool is run behind this command.
        self.tool_prefix = []

    def folder(self, name):
        path = os.path.join(self.work, name)
        os.mkdir(path, 0o700)
        return path

    def path(self, name):
        return os.path.join(self.work, name)

    def account(self, name="account"):
        return Account(self.path(name))

    def environment(self, **more):
        """The environment of this process without settings of the profiler."""
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("HOTPATH", "LD_PRELOAD", "ASAN_", "UBSAN_"))}
        clean.update(HOTPATH_DIR=self.segments, HOTPATH_LIMIT="0")
        clean.update(more)
        return clean

    def start(self, command, environment=None, **more):
        running = Running(command, environment or self.environment(), **more)
        self.stack.callback(running.kill)
        return running

    def run(self, command, environment=None, **more):
        return self.start(command, environment, **more).wait()

    def tool(self, *arguments):
        """The tool itself, which must end with a status and not by a signal."""
        done = self.run([*self.tool_prefix, HOTPATH, *arguments])
        if done.status not in (0, 1, 2):
            raise Failure(f"hotpath {' '.join(arguments)}: status {done.status}: {shorten(done.stderr)}")
        return done

    def close(self):
        self.stack.close()


class Props:
    """Objects that all tries of one attack share, made when they are first asked for."""

    def __init__(self, stack):
        self.stack = stack
        self.made = {}

    def get(self, name, make):
        """make() is a context manager, or any other value."""
        if name not in self.made:
            thing = make()
            self.made[name] = self.stack.enter_context(thing) if hasattr(thing, "__exit__") else thing
        return self.made[name]


# Ways to measure a program: with the profiler linked in, and under the tool.
MODES = {
    "alone": None,
    "run": ["--no-cpu"],
    "run --alloc": ["--alloc", "--no-cpu"],
    "run --cpu": ["--cpu", "--rate", "5000"],
    "run --alloc --cpu": ["--alloc", "--cpu", "--rate", "5000"],
}


def measured(scene, mode, command):
    """The command and environment of a program that is to be measured; the report goes to "report"."""
    if MODES[mode] is None:
        return command, scene.environment(HOTPATH_OUTPUT_FORMAT="json", HOTPATH_OUTPUT_PATH=scene.path("report"))
    return ([HOTPATH, "run", *MODES[mode], "--each", "--format", "json", "-o", scene.path("report"), "--", *command],
            scene.environment())


def of_program(text):
    """The lines that are not the profiler's."""
    return [line for line in text.splitlines() if not line.startswith("hotpath: ")]


def shell_status(status):
    """A shell has one number for an exit and a signal, and passes on no more."""
    return 128 - status if status < 0 else status


def expect_native(native, done, what):
    """Output and status are those of a native run."""
    if shell_status(done.status) != shell_status(native.status):
        raise Failure(f"status {done.status}, natively {native.status}: {what}: "
                      f"{shorten(done.stderr or done.stdout)}")
    expect_lines(native.stdout.splitlines(), done.stdout.splitlines(), what)
    expect_lines(of_program(native.stderr), of_program(done.stderr), what)


def expect_lines(native, seen, what):
    for left, right in itertools.zip_longest(native, seen, fillvalue="nothing"):
        if left != right:
            raise Failure(f"prints '{shorten(right)}', natively '{shorten(left)}': {what}")


def parse_reports(text, what):
    try:
        return [json.loads(line) for line in text.splitlines() if line]
    except ValueError:
        raise Failure(f"{what}: no JSON: {shorten(text)}") from None


def saved_reports(scene, what):
    """The reports that the program, or the tool that ran it, has written."""
    try:
        with open(scene.path("report"), encoding="utf-8") as file:
            return parse_reports(file.read(), what)
    except FileNotFoundError:
        return []


def segment_reports(scene, what):
    """A report for each segment that was left."""
    reports = []
    for name in sorted(os.listdir(scene.segments)):
        done = scene.tool("report", "--format", "json", os.path.join(scene.segments, name))
        reports += parse_reports(done.stdout, what)
    return reports


def reports_of(scene, mode, what):
    """All reports of a run. A program that reports itself may do that before its threads have ended."""
    return (segment_reports(scene, what) if mode == "alone" else []) or saved_reports(scene, what)


def calls_of(reports, prefix):
    return sum(row["calls"] for report in reports for row in report.get("functions_timing", {}).get("data", [])
               if row["name"].startswith(prefix))


def dropped_of(reports):
    return sum(report["dropped"][name] for report in reports for name in ("functions", "sites", "threads"))


def expect_calls(reports, account, what, exact=True, in_progress=0):
    """The report has the calls that the program counted itself, and no others; returns how many.

    in_progress: threads that may have been killed between a call and the count of it. Where it is not exact, calls that
    found no room are counted as dropped.
    """
    for name, counted in (("work", sum(account.work)), ("new_", sum(account.fresh))):
        calls = calls_of(reports, name)
        known = calls if exact else calls + dropped_of(reports)
        if known < counted or calls > counted + in_progress:
            raise Failure(f"{calls} calls of {name}, not {counted}, dropped {dropped_of(reports)}: {what}")
    return sum(account.work) + sum(account.fresh)


def expect_accounted(scene, mode, done, account, what):
    """Expect all calls where there may be no room: dropped ones are counted. A program that says that it has no segment
    reports itself, unless it is left to the tool: then no call is vouched for."""
    if "hotpath: cannot keep a segment" not in done.stderr:
        return expect_calls(reports_of(scene, mode, what), account, what, exact=False)
    reports = saved_reports(scene, what) if mode == "alone" else []
    return expect_calls(reports, account, what, exact=False) if reports else 0


def endure_native(scene, steps, native_command=()):
    """The program does these steps without the profiler. The last is its end with 5; for none does it wait."""
    account = scene.account("native")
    account.go_on()
    native = scene.run([*native_command, program("endure_bare"), account.path, *steps])
    if native.status != 5:
        raise Failure(f"natively it does not live: {' '.join(steps)}: status {native.status}: "
                      f"{shorten(native.stdout + native.stderr)}")
    return native


def endure_as_native(scene, steps, mode, native_command=(), by=()):
    """Do the steps natively and measured, with the native command in front of both, and what runs the tool as well in front
    of that. Returns the account of the program, and how it ended."""
    what = f"{mode}, {' '.join(steps)}"
    native = endure_native(scene, steps, [*by, *native_command])
    account = scene.account()
    command, environment = measured(scene, mode, [*native_command, program("endure"), account.path, *steps])
    done = scene.run([*by, *command], environment)
    expect_native(native, done, what)
    return account, done


def endure(scene, steps, mode, native_command=(), by=(), exact=True):
    """Do the steps natively and measured: all calls are in the report or, if not exact, accounted for; returns how many."""
    account, done = endure_as_native(scene, steps, mode, native_command, by)
    what = f"{mode}, {' '.join(steps)}"
    if not exact:
        return expect_accounted(scene, mode, done, account, what)
    return expect_calls(reports_of(scene, mode, what), account, what)


def as_ordinary_user(scene):
    """A command that goes on as nobody, and the folders of the scene for that user."""
    if os.getuid() != 0:
        return []
    for folder in (scene.work, scene.segments):
        os.chown(folder, NOBODY, NOBODY)
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def need_root():
    if os.getuid() != 0:
        raise Skip("it needs root")


def need_command(name):
    if not shutil.which(name):
        raise Skip(f"there is no {name}")


def chance(seed, *what):
    """Random numbers that depend on the seed and on what they are for, and on nothing else."""
    return random.Random("/".join([str(seed), *map(str, what)]))
