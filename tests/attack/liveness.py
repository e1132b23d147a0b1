# SPDX-License-Identifier: MIT
"""Whether a program runs is told rightly from outside, and what it writes stays while it does.

Shared by attacks that hide the program: behind file systems and in namespaces.
"""
import json
import os

from harness import HOTPATH, Failure, endure_native, expect_calls, expect_native, program, segment_reports, wait_until

# More than are kept of programs that have ended, so that the oldest are removed.
ENDED = 34
STEPS = ["calls=100", "hold", "calls=100", "exit=5"]


def listed(scene):
    """What the tool lists, by path."""
    done = scene.tool("list", "--json")
    return {entry["path"]: entry for entry in json.loads(done.stdout or "[]")}


def segment_of(scene, running):
    """The program has begun, and its segment is there: its path."""
    def first():
        if not running.is_running():
            raise Failure(f"the program has ended by itself: {running.wait()}")
        names = os.listdir(scene.segments)
        return os.path.join(scene.segments, names[0]) if names else None
    return wait_until("a segment", first)


def run_many(scene):
    """So many measured programs begin and end that old segments are tidied away, by them and by the tool."""
    account = scene.account("others")
    command = [program("endure"), account.path, "calls=1", "exit=5"]
    for _ in range(ENDED):
        scene.run(command, scene.environment(HOTPATH_OUTPUT_FORMAT="none"))
    scene.run([HOTPATH, "run", "--format", "none", *command])


def expect_there(path, after):
    if not os.path.exists(path):
        raise Failure(f"{after} has removed the segment of a program that runs")


def expect_running(scene, path):
    entry = listed(scene).get(path)
    if not entry or not entry["live"] or entry["state"] != "running":
        raise Failure(f"list says of a program that runs: {entry}")
    report = json.loads(scene.tool("report", "--format", "json", path).stdout)
    if not report["exit"]["running"]:
        raise Failure(f"the report says of a program that runs: {report['exit']}")


def expect_kept(scene, path):
    """Neither the user's wish to clean up nor the profiler's own tidying touches it."""
    scene.tool("list", "--clean")
    expect_there(path, "list --clean")
    run_many(scene)
    expect_there(path, "another program, or run,")
    scene.tool("list", "--clean")


def expect_removed(scene, path):
    entry = listed(scene).get(path)
    if not entry or entry["live"]:
        raise Failure(f"list says of a program that has ended: {entry}")
    scene.tool("list", "--clean")
    if os.path.exists(path):
        raise Failure("list --clean has left the segment of a program that has ended")


def watch(scene, prefix=()):
    """A program runs behind the command of the prefix and is looked at from here; returns its calls."""
    native = endure_native(scene, STEPS, prefix)
    account = scene.account()
    running = scene.start([*prefix, program("endure"), account.path, *STEPS],
                          scene.environment(HOTPATH_OUTPUT_FORMAT="none"))
    path = segment_of(scene, running)
    wait_until("a call", lambda: sum(account.work) > 100)
    expect_running(scene, path)
    expect_kept(scene, path)
    expect_running(scene, path)
    account.go_on()
    expect_native(native, running.wait(), "held")
    calls = expect_calls(segment_reports(scene, "held"), account, "held")
    expect_removed(scene, path)
    return calls
