#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hotpath attach samples a program that already runs, to which nothing happens; whatever the program does meanwhile."""
import glob
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HOTPATH = os.environ["HOTPATH"]
PROGRAMS = os.path.join(os.environ["BUILD"], "tests/programs")
PROGRAM = os.path.join(PROGRAMS, "attached")
# The state in the header of a segment that is complete.
STATE_AT, RUNNING = 28, 1
failed = 0


def fail(what):
    global failed
    print("FAILED:", what)
    failed = 1


def expect(what, seen, wanted):
    if seen != wanted:
        fail(f"{what}: {seen!r}, not {wanted!r}")


def wait_for(what, condition):
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"FAILED: waited a minute for {what}")
        time.sleep(0.005)


class Target:
    """A program that nobody prepared, which computes and answers each line by one."""

    def __init__(self, *command, **options):
        self.process = subprocess.Popen(command or (PROGRAM,), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        **options)
        self.pid = self.process.pid
        expect("the program begins", self.process.stdout.readline(), "ready\n")

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line):
        self.tell(line)
        return int(self.process.stdout.readline())

    def end(self):
        self.process.kill()
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def segments(pid):
    return set(glob.glob(f"{os.environ['HOTPATH_DIR']}/hotpath-{pid}-*.seg"))


class Attachment:
    """A `hotpath attach` that has begun."""

    def __init__(self, pid, *options):
        before = segments(pid)
        self.process = subprocess.Popen([HOTPATH, "attach", *options, str(pid)], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        wait_for("the segment", lambda: self.is_ready(pid, before))

    def is_ready(self, pid, before):
        for path in segments(pid) - before:
            with open(path, "rb") as file:
                return len(file.read(STATE_AT + 1)) > STATE_AT and self.has_begun(path)
        return self.process.poll() is not None

    @staticmethod
    def has_begun(path):
        with open(path, "rb") as file:
            return file.read(STATE_AT + 1)[STATE_AT] == RUNNING

    def result(self, number=None):
        """Its output and what it says on standard error; it always ends with status 0."""
        if number:
            self.process.send_signal(number)
        output, said = self.process.communicate(timeout=60)
        expect(f"the status of attach, which says {said!r}", self.process.returncode, 0)
        return output, said


def stolen():
    """For how many hundredths of a second the host of a virtual machine has taken processors away."""
    with open("/proc/stat", encoding="ascii") as file:
        return int(file.readline().split()[8])


def undisturbed(test):
    """A test of shares, which is repeated while a host is busy otherwise: what it takes of a program's time has no samples."""
    def repeated():
        global failed
        for _ in range(10):
            failed_before, failed, before = failed, 0, stolen()
            test()
            failed |= failed_before
            if failed == failed_before or stolen() - before <= 2:
                return
            failed = failed_before
        test()

    return repeated


def refused(text, *arguments, prefix=()):
    done = subprocess.run([*prefix, HOTPATH, "attach", *map(str, arguments)], capture_output=True, text=True, check=False)
    expect(f"the status for {arguments}", done.returncode, 2)
    expect(f"the output for {arguments}", done.stdout, "")
    if text not in done.stderr or done.stderr.count("\n") != 1:
        fail(f"{arguments}: {done.stderr!r}, not one line with {text!r}")


def samples_of(report):
    return {row["name"]: row["samples"] - (row["system_samples"] or 0) for row in report["functions_cpu"]["data"]}


def stacks_of(report):
    """Names of the functions in each stack, innermost first, with its samples."""
    output = subprocess.run([HOTPATH, "export", "--format", "folded", "-o", "-", report], capture_output=True, text=True,
                            check=True).stdout
    for line in output.splitlines():
        stack, count = line.rsplit(" ", 1)
        yield stack.split(";")[::-1], int(count)


@undisturbed
def test_functions():
    """Functions have the shares of the CPU that they take, and their stacks have who called them."""
    target = Target()
    attachment = Attachment(target.pid, "--format", "json", "--report", "cpu,threads", "--rate", "4999", "--seconds", "2")
    report = json.loads(attachment.result()[0])
    counts = {"short_work": 0, "long_work": 0}
    for stack, count in stacks_of(max(segments(target.pid))):
        for name in set(stack) & set(counts):
            counts[name] += count
    expect("the program", report["program"], "attached")
    expect("the process", report["pid"], target.pid)
    expect("it runs on", report["exit"]["running"], True)
    if not 2.2 < counts["long_work"] / max(counts["short_work"], 1) < 4:
        fail(f"long_work takes three times as much as short_work: {counts}")
    if samples_of(report).get("leaf", 0) < 0.8 * report["functions_cpu"]["total_samples"]:
        fail(f"leaf does the work: {samples_of(report)}")
    cpu_ns = sum(row["user_ns"] + row["system_ns"] for row in report["threads"]["data"])
    all_ns = report["functions_cpu"]["total_samples"] * report["functions_cpu"]["period_ns"]
    if abs(all_ns / cpu_ns - 1) > 0.05:
        fail(f"samples are CPU time: {all_ns} ns, not {cpu_ns} ns")
    target.end()


@undisturbed
def test_later_threads():
    """Threads that start later have rows with their names and times, and their samples."""
    target = Target()
    attachment = Attachment(target.pid, "--format", "json", "--threads-limit", "0")
    target.ask("threads 8")
    report = json.loads(attachment.result(signal.SIGINT)[0])
    rows = {row["name"]: row for row in report["threads"]["data"]}
    expect("threads", sorted(rows), ["attached", *(f"later-{i}" for i in range(1, 9))])
    for name in rows:
        cpu_ms = (rows[name]["user_ns"] + rows[name]["system_ns"]) / 1e6
        if name != "attached" and not 190 < cpu_ms < 260:
            fail(f"{name} has computed for 200 ms, not {cpu_ms:.0f}")
    counts = {}
    for stack, count in stacks_of(max(segments(target.pid))):
        if "later_work" in stack:
            counts[stack[-1]] = counts.get(stack[-1], 0) + count
    expect("threads with samples", sorted(counts), [f"later-{i}" for i in range(1, 9)])
    if min(counts.values(), default=0) < 100:
        fail(f"some samples were not taken: {counts}")
    target.end()


def test_ends():
    """A program that is killed, exits, or executes another is reported up to then."""
    target = Target()
    attachment = Attachment(target.pid)
    wait_for("some samples", lambda: target.ask("counters") == 0 and cpu_seconds(target.pid) > 0.2)
    target.process.kill()
    output, said = attachment.result()
    expect("what is said of a kill", said, f"hotpath: process {target.pid} has ended; this is its report up to then\n")
    if "leaf" not in output:
        fail(f"the report of a killed program has its functions: {output}")
    target.end()

    target = Target()
    attachment = Attachment(target.pid)
    target.tell("exit 3")
    if "exit status 3" not in attachment.result()[0].split("\n")[0]:
        fail("the exit status is not told")
    target.end()

    target = Target()
    attachment = Attachment(target.pid, "--format", "json")
    wait_for("some samples", lambda: cpu_seconds(target.pid) > 0.2)
    target.tell("exec " + shutil.which("sleep"))
    output, said = attachment.result()
    expect("what is said of an exec", said,
           f"hotpath: process {target.pid} executes another program; this is its report up to then\n")
    expect("the program", json.loads(output)["program"], "attached")
    report = json.loads(output)
    if samples_of(report).get("leaf", 0) == 0:
        fail("samples before exec are gone")
    sampled_ns = report["functions_cpu"]["total_samples"] * report["functions_cpu"]["period_ns"]
    row = next(row for row in report["bottlenecks"]["data"] if row["pid"] == target.pid)
    if row["cpu_ns"] < min(0.95 * sampled_ns, row["wall_ns"]):
        fail(f"what was sampled before exec is computing, {sampled_ns} ns: {row}")
    target.end()


def test_many_threads():
    """Of more threads than have rows of their own, the others are known by their sums, and the first has a row."""
    target = Target()
    attachment = Attachment(target.pid, "--format", "json", "--report", "threads,bottlenecks,cpu", "--threads-limit", "0")
    target.ask("short 80")
    target.tell("exit 0")
    report = json.loads(attachment.result()[0])
    rows = report["threads"]["data"]
    expect("the threads", sum(row["threads"] for row in rows), 81)
    expect("the rows of the first thread", [row["name"] for row in rows if row["tid"] == target.pid], ["attached"])
    expect("other threads", report["threads"]["ended"]["threads"], 0)
    seen = {row["name"]: row["threads"] for row in report["bottlenecks"]["data"]}
    expect("the first thread in bottlenecks", seen.get("attached (main thread)"), 1)
    expect("the threads in bottlenecks", sum(seen.values()), 81)
    target.end()


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def facts(target):
    """What a program could notice."""
    with open(f"/proc/{target.pid}/status", encoding="utf-8") as file:
        status = {line.split(":")[0]: line for line in file}
    return {
        "signals": [status[key] for key in ("SigPnd", "ShdPnd", "SigBlk", "SigIgn", "SigCgt", "TracerPid", "Threads")],
        "descriptors": sorted((fd, os.readlink(f"/proc/{target.pid}/fd/{fd}")) for fd in os.listdir(f"/proc/{target.pid}/fd")),
        "threads": sorted(os.listdir(f"/proc/{target.pid}/task")),
        "interrupted": target.ask("counters"),
    }


def test_unnoticed():
    """Whoever attaches a hundred times and leaves changes nothing."""
    target = Target()
    before = facts(target)
    for _ in range(100):
        Attachment(target.pid, "--format", "none").result(signal.SIGTERM)
    expect("what the program could notice", facts(target), before)
    if len(segments(target.pid)) > 33:
        fail(f"{len(segments(target.pid))} segments are left")
    target.end()


def test_meanwhile():
    """Other commands show a program while it is attached to, and afterwards."""
    target = Target()
    attachment = Attachment(target.pid, "--format", "none")
    wait_for("some samples", lambda: "leaf" in shown("report", target.pid))
    if "Live" not in shown("top", "--once", target.pid):
        fail("top does not show it as live")
    if "leaf" not in shown("export", "--format", "folded", "-o", "-", target.pid):
        fail("export does not have its stacks")
    if "running" not in shown("list"):
        fail(f"list: {shown('list')}")
    attachment.result(signal.SIGINT)
    if "left" not in shown("list"):
        fail(f"list afterwards: {shown('list')}")
    if "still running" not in shown("report", target.pid):
        fail(f"the report afterwards: {shown('report', target.pid)}")
    segment = max(segments(target.pid))
    expect("the state of what was left", json.loads(shown("top", "--json-lines", segment))["state"], "left")
    if "| Left |" not in shown("top", segment):
        fail(f"top of what was left: {shown('top', segment)}")
    expect("what top says of a program that runs on", said_by("top", target.pid),
           f"hotpath: process {target.pid} runs on, but is no longer measured; 'hotpath report {target.pid}' shows its report, "
           f"'hotpath attach {target.pid}' measures it again\n")
    target.process.kill()
    wait_for("the end", lambda: "has ended" in said_by("top", target.pid))
    target.end()
    expect("what top says when it has ended", said_by("top", target.pid),
           f"hotpath: process {target.pid} has ended; 'hotpath report {target.pid}' shows its report\n")


def said_by(*arguments):
    done = subprocess.run([HOTPATH, *map(str, arguments)], capture_output=True, text=True, check=False)
    expect(f"the status of {arguments}", done.returncode, 2)
    return done.stderr


def shown(*arguments):
    return subprocess.run([HOTPATH, *map(str, arguments)], capture_output=True, text=True, check=False).stdout


def test_own_segment():
    """Of a program that records itself, its own report is shown."""
    target = Target(HOTPATH, "run", "--cpu", "--format", "none", PROGRAM)
    with open(f"/proc/{target.pid}/task/{target.pid}/children", encoding="utf-8") as file:
        child = int(file.read())
    wait_for("its segment", lambda: "leaf" in shown("report", child))
    done = subprocess.run([HOTPATH, "attach", "--seconds", "1", str(child)], capture_output=True, text=True, check=True)
    expect("what is said", done.stderr,
           f"hotpath: process {child} records itself; this is its own report, since it began\n")
    if "leaf" not in done.stdout:
        fail(f"its own report: {done.stdout}")
    target.process.communicate("exit 0\n")


def test_refusals():
    """What cannot be attached to is told in one line."""
    target = Target()
    refused("no process given")
    refused("'x' is not a process id", "x")
    refused("'0' is not a number from 1 to", "--seconds", "0", target.pid)
    refused("'20000' is not a number from 1 to 10000", "--rate", "20000", target.pid)
    refused("does not exist", 999999999)
    refused("perf events are forbidden here", target.pid, prefix=(os.path.join(PROGRAMS, "refuse_calls"), "events"))
    dead = subprocess.Popen(["true"])
    wait_for("a zombie", lambda: open(f"/proc/{dead.pid}/stat", encoding="utf-8").read().rsplit(")", 1)[1].split()[0] == "Z")
    refused("has ended; its parent has not waited for it", dead.pid)
    dead.wait()
    target.ask("threads 1")
    thread = max(os.listdir(f"/proc/{target.pid}/task"), key=int)
    refused(f"{thread} is a thread of process {target.pid}", thread)
    if os.getuid() == 0 and shutil.which("runuser"):
        refused("it belongs to another user", target.pid, prefix=("runuser", "-u", "nobody", "--", "env", "HOTPATH_DIR="))
    elif os.stat("/proc/1").st_uid != os.getuid():
        refused("it belongs to another user", 1)
    target.end()


def test_ordinary_user():
    """Everybody may attach to own programs: with samples of what they do, and the time in the kernel beside that."""
    program, options, environment = as_user(PROGRAM)
    target = Target(program, **options)
    done = subprocess.run([HOTPATH, "attach", "--seconds", "1", "--format", "json", str(target.pid)], env=environment,
                          capture_output=True, text=True, check=False, **options)
    expect(f"the status for an ordinary user: {done.stderr}", done.returncode, 0)
    if done.returncode == 0 and samples_of(json.loads(done.stdout)).get("leaf", 0) < 10:
        fail(f"the samples of an ordinary user: {done.stdout[:400]}")
    target.end()


# ---- stacks of a program without frame pointers ----

CALLERS = os.path.join(PROGRAMS, "attached_callers")


def callers(target, *prefix, environment=None, **options):
    """Attach to a program for two seconds, and end it. Returns the percentage of whole stacks, and all stacks."""
    environment = environment or os.environ
    try:
        done = subprocess.run([*prefix, HOTPATH, "attach", "--seconds", "2", "--format", "json", "--report", "cpu", str(target.pid)],
                              capture_output=True, text=True, check=False, env=environment, **options)
        if done.returncode:
            sys.exit(f"FAILED: attach says {done.stderr!r}")
        # While the program runs: it may have a file that is gone.
        stacks = list(stacks_of(max(glob.glob(f"{environment['HOTPATH_DIR']}/hotpath-{target.pid}-*.seg"))))
    finally:
        target.end()
    if sum(count for _, count in stacks) < 50:
        fail(f"too few samples: {stacks}")
    return json.loads(done.stdout)["functions_cpu"]["whole_percent"], stacks


def share(stacks, condition):
    """The percentage of samples in weigh whose stack is as wanted."""
    counts = [(count, condition(stack)) for stack, count in stacks if stack[0] == "weigh"]
    if sum(count for count, _ in counts) < 0.5 * sum(count for _, count in stacks):
        fail(f"weigh does the work: {stacks[:10]}")
    return 100 * sum(count for count, good in counts if good) / max(sum(count for count, _ in counts), 1)


def expect_most(what, percent, stacks):
    if percent < 95:
        fail(f"{what}: {percent:.1f} % only, such as {max(stacks, key=lambda stack: stack[1])}")


def is_outermost(stack, *names):
    """Whether the program has these callers, from main on."""
    at = stack.index("main") + 1 if "main" in stack else 0
    return tuple(stack[max(at - len(names), 0):at]) == names[::-1]


def is_sorted(stack):
    """Whether it is main, rounds, sort_all, one or more functions of the C library, compare, weigh."""
    return stack[1] == "compare" and is_outermost(stack, "main", "rounds", "sort_all") and stack.index("sort_all") > 2


def expect_sorted(found):
    whole, stacks = found
    expect_most("whole stacks", whole, stacks)
    expect_most("stacks with all callers", share(stacks, is_sorted), stacks)


def test_callers():
    """A program without frame pointers that a library calls back has whole stacks."""
    expect_sorted(callers(Target(CALLERS, "sort")))


def as_user(program):
    """How to run a program and the tool as an ordinary user: options, and the environment."""
    nobody = pwd.getpwnam("nobody")
    work = os.path.dirname(os.environ["HOTPATH_DIR"])
    os.chmod(work, 0o755)
    folder = os.path.join(work, "nobody")
    os.makedirs(folder, 0o700, exist_ok=True)
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return (shutil.copy(program, work), {"user": "nobody", "group": nobody.pw_gid, "extra_groups": []},
            os.environ | {"HOTPATH_DIR": folder})


def test_callers_of_user():
    """So it has for an ordinary user."""
    program, options, environment = as_user(CALLERS)
    expect_sorted(callers(Target(program, "sort", **options), environment=environment, **options))


def test_callers_deleted():
    """A program whose file is gone, because a new one was installed, has whole stacks: the kernel still has its tables."""
    program = shutil.copy(CALLERS, os.path.dirname(os.environ["HOTPATH_DIR"]))
    target = Target(program, "sort")
    os.remove(program)
    shutil.copy(PROGRAM, program)
    expect_sorted(callers(target))


def test_callers_static():
    """A program that was linked statically has whole stacks, though its unwind tables have no index."""
    program = CALLERS + "_static"
    if not os.path.exists(program):
        print("skipped: nothing can be linked statically here")
        return
    if "GNU_EH_FRAME" in subprocess.run(["readelf", "-lW", program], capture_output=True, text=True, check=True).stdout:
        fail("the program has an index")
    expect_sorted(callers(Target(program, "sort")))


def test_callers_signal():
    """The stack of a signal handler goes on with what the signal interrupted."""
    whole, stacks = callers(Target(CALLERS, "signal"))
    expect_most("whole stacks", whole, stacks)
    expect_most("handlers with what they interrupted",
                share(stacks, lambda stack: stack[1] == "handle" and is_outermost(stack, "main", "rounds", "raise_one")), stacks)


def test_callers_generated():
    """Code that is in no file is left by its frame pointer, and its caller by tables again; on aarch64 by its frame pointer, too:
    there the stack pointer is not known any more, and without frame pointers the stack does not count as whole."""
    needs_pointers = os.uname().machine == "aarch64"
    whole, stacks = callers(Target(CALLERS + ("_fp" if needs_pointers else ""), "generated"))
    expect_most("whole stacks", whole, stacks)
    expect_most("stacks through generated code",
                share(stacks, lambda stack: stack[1] == "weigh_long" and is_outermost(stack, "main", "rounds", "run_generated")),
                stacks)
    if needs_pointers:
        whole, stacks = callers(Target(CALLERS, "generated"))
        if whole > 5:
            fail(f"there are no frame pointers, but {whole} % of the stacks are whole")
        expect_most("callers of generated code", share(stacks, lambda stack: stack[3] == "run_generated"), stacks)


def test_callers_deep():
    """Of a stack that is too deep for a sample, the innermost callers are known; frame pointers tell of the others."""
    whole, stacks = callers(Target(CALLERS, "deep"))
    if whole > 5:
        fail(f"stacks of 100 KB are not whole: {whole} %")
    expect_most("stacks with some callers", share(stacks, lambda stack: stack[1:7] == ["descend"] * 6), stacks)
    whole, stacks = callers(Target(CALLERS + "_fp", "deep"))
    expect_most("whole stacks, by frame pointers", whole, stacks)
    expect_most("stacks with all callers, by frame pointers", share(stacks, lambda stack: stack.count("descend") == 100), stacks)


def test_callers_old_kernel():
    """A kernel that has no stacks in samples follows frame pointers."""
    old = ("env", "LD_PRELOAD=" + os.path.join(PROGRAMS, "old_kernel.so"), "OLD_KERNEL=3.06")
    whole, stacks = callers(Target(CALLERS + "_fp", "deep"), *old)
    expect_most("whole stacks, by frame pointers", whole, stacks)
    whole, stacks = callers(Target(CALLERS, "sort"), *old)
    if whole > 50:
        fail(f"there are no frame pointers, but {whole} % of the stacks are whole")


def may_be_reached_by_others(path):
    """Whether every folder of a path is open to all users."""
    return path == "/" or (os.stat(path).st_mode & 0o5 == 0o5 and may_be_reached_by_others(os.path.dirname(path)))


def main():
    work = tempfile.mkdtemp()
    os.environ["HOTPATH_DIR"] = os.path.join(work, "segments")
    os.mkdir(os.environ["HOTPATH_DIR"], 0o700)
    tests = {name[5:]: test for name, test in globals().items() if name.startswith("test_")}
    try:
        if "warn  attaching" in shown("doctor"):
            print("skipped: the kernel does not allow perf events here")
            return 77
        for name in sys.argv[1:] or tests:
            if name.endswith("_user") and (os.getuid() != 0 or not may_be_reached_by_others(HOTPATH)):
                print(f"skipped: {name} needs root, and a tool that everybody can run")
                continue
            tests[name]()
    finally:
        shutil.rmtree(work)
    return failed


if __name__ == "__main__":
    sys.exit(main())
