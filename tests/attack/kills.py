# SPDX-License-Identifier: MIT
"""Programs are killed at random moments: no call that had ended is lost."""
import json
import os
import signal
import time

from harness import (BUILD, MODES, Attack, Failure, calls_of, expect_calls, measured, parse_reports, program,
                     reports_of, saved_reports, shell_status, shorten)

KILLED = os.path.join(BUILD, "tests/reliability/killed")
# From before the first measured call to when all threads have long been at work.
LATEST_SECONDS = 0.4


def own_counts(scene, path):
    """What the program has counted itself; its file is shared, and outlives it."""
    return json.loads(scene.run([KILLED, "counts", path]).stdout)


def reports_by_pid(scene, mode, pid, what):
    if mode != "alone":
        return saved_reports(scene, what)
    return parse_reports(scene.tool("report", "--format", "json", str(pid)).stdout, what)


def expect_counted(scene, mode, counts, what, since="now"):
    """Every call that had returned ("now"), or had when the program began to end ("before"), is in the report, and at
    most one more of each thread; returns how many."""
    own = own_counts(scene, counts)
    if not any(own[since].values()):
        return 0
    reports = [report for report in reports_by_pid(scene, mode, own["pid"], what) if report["pid"] == own["pid"]]
    for name, least in own[since].items():
        calls = calls_of(reports, name)
        if not least <= calls <= own["now"][name] + own["threads"]:
            raise Failure(f"{calls} calls of {name}, not {least} to {own['now'][name]}: {what}")
    return sum(own[since].values())


def sleep_while(running, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end and running.is_running():
        time.sleep(max(0, min(0.001, end - time.monotonic())))


def strike(running, pid, number, what):
    """Kill the program, and whoever runs it too where it has not begun; false then."""
    if not pid:
        running.kill()
        return False
    os.kill(pid, number)
    done = running.wait()
    if shell_status(done.status) != 128 + number or done.stdout:
        raise Failure(f"status {done.status}: {what}: {shorten(done.stdout + done.stderr)}")
    return True


def moment(scene):
    """How and when to strike, and the name of that."""
    mode = scene.random.choice(list(MODES))
    seconds = scene.random.uniform(0, LATEST_SECONDS)
    number = scene.random.choice([signal.SIGKILL] * 7 + [signal.SIGTERM])
    return mode, seconds, number, f"{mode}, {number.name} after {seconds * 1000:.1f} ms"


def kill(scene):
    mode, seconds, number, what = moment(scene)
    counts = scene.path("counts")
    with open(counts, "wb"):
        pass
    running = scene.start(*measured(scene, mode, [KILLED, "run", counts, "KILL"]))
    sleep_while(running, seconds)
    if not strike(running, own_counts(scene, counts)["pid"], number, what):
        return 0
    return expect_counted(scene, mode, counts, what)


def kill_growing(scene):
    """Threads come and go, each with functions that are new to it."""
    threads = 4
    mode, seconds, number, what = moment(scene)
    account = scene.account()
    running = scene.start(*measured(scene, mode, [program("endure"), account.path, f"hold-growing={threads}"]))
    sleep_while(running, seconds)
    if not strike(running, account.pid, number, what):
        return 0
    reports = reports_of(scene, mode, what) if sum(account.work) else []
    return expect_calls(reports, account, what, in_progress=threads + 1)


ATTACKS = [
    Attack("kill at random moments", kill, 40, "{count} finished calls, none lost"),
    Attack("kill while the segment grows", kill_growing, 30, "{count} finished calls, none lost"),
]
