# SPDX-License-Identifier: MIT
"""Programs end in every way, on any thread, with any family: as natively, and with all their calls."""
from harness import (MODES, Attack, Failure, calls_of, expect_native, measured, program, reports_of, shell_status,
                     shorten)
from kills import KILLED, expect_counted

# The status that a shell sees, and which calls are in the report of a program that runs alone: that of one that reports
# itself stands at the moment when it began to end, while its threads run on.
WAYS = {
    "exit": (7, "before"),
    "exit_elsewhere": (7, "before"),
    "return": (7, "before"),
    "quick_exit": (7, "now"),
    "_exit": (7, "now"),
    "exec": (7, "now"),
    "abort": (134, "now"),
    "segv": (139, "now"),
}


def end(scene, ways):
    mode = scene.random.choice(list(MODES))
    way = ways[scene.number % len(ways)]
    status, since = WAYS[way]
    what = f"{mode}, {way}"
    counts = scene.path("counts")
    with open(counts, "wb"):
        pass
    done = scene.run(*measured(scene, mode, [KILLED, "run", counts, way]))
    if shell_status(done.status) != status or done.stdout:
        raise Failure(f"status {done.status}: {what}: {shorten(done.stdout + done.stderr)}")
    return expect_counted(scene, mode, counts, what, "now" if mode != "alone" else since)


def end_somehow(scene):
    return end(scene, [way for way in WAYS if way != "exit_elsewhere"])


def end_elsewhere(scene):
    """exit() on another thread than main, with calls in progress on all others: those that end later count."""
    return end(scene, ["exit_elsewhere"])


def family(scene):
    """Each of many forked processes has a report of its own, of what it called itself."""
    mode = scene.random.choice([mode for mode in MODES if mode != "alone"])
    seed = str(scene.random.randrange(1 << 15))
    what = f"{mode}, seed {seed}"
    native = scene.run([program("offspring_bare"), scene.account("native").path, seed])
    account = scene.account()
    done = scene.run(*measured(scene, mode, [program("offspring"), account.path, seed]))
    expect_native(native, done, what)
    reports = reports_of(scene, mode, what)
    for pid, counted in zip(account.fresh, account.work):
        calls = calls_of([report for report in reports if report["pid"] == pid], "work")
        if pid and calls != counted:
            raise Failure(f"{what}: process {pid} has {calls} calls, not {counted}")
    return sum(pid != 0 for pid in account.fresh)


ATTACKS = [
    Attack("crashes and exits", end_somehow, 24, "{count} finished calls, none lost"),
    Attack("exit on another thread", end_elsewhere, 15, "{count} finished calls, none lost"),
    Attack("families of processes", family, 12, "{count} processes, each with its own calls"),
]
