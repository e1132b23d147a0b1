# SPDX-License-Identifier: MIT
"""A program runs where its process id and its clock are others than outside, as in containers."""
import json
import os
import subprocess
import time

from harness import (Attack, Failure, Skip, endure_native, expect_calls, expect_native, program, segment_reports,
                     wait_until)
from liveness import STEPS, listed, segment_of, watch


def unshared(*options):
    """The command that goes on in new namespaces, all of which end with it."""
    command = ["unshare", *([] if os.getuid() == 0 else ["-r"]), *options]
    try:
        done = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise Skip("there is no unshare") from None
    if done.returncode:
        raise Skip(done.stderr.strip().splitlines()[-1])
    return command


def in_pid_namespace(scene):
    """Its process id is a small number, which outside is somebody else's, or nobody's."""
    command = unshared("-p", "-f", "--kill-child")
    # Numbers are given away in turns.
    burnt = scene.random.choice([0, 0, 1, 5, scene.random.randrange(300)])
    if burnt:
        script = f'i=0; while [ $i -lt {burnt} ]; do (:); i=$((i + 1)); done; "$@"; exit $?'
        command += ["sh", "-c", script, "sh"]
    return watch(scene, command)


def seen_from_inside(scene):
    """A program outside is looked at from inside, where its process id means nothing."""
    command = unshared("-p", "-f", "--kill-child", "--mount-proc")
    account = scene.account()
    native = endure_native(scene, STEPS)
    running = scene.start([program("endure"), account.path, *STEPS], scene.environment(HOTPATH_OUTPUT_FORMAT="none"))
    path = segment_of(scene, running)
    wait_until("a call", lambda: sum(account.work) > 100)
    scene.tool_prefix = command
    entry = listed(scene).get(path)
    if not entry or not entry["live"]:
        raise Failure(f"list says of a program outside that runs: {entry}")
    scene.tool("list", "--clean")
    if not os.path.exists(path):
        raise Failure("list --clean has removed the segment of a program outside that runs")
    account.go_on()
    expect_native(native, running.wait(), "held")
    return expect_calls(segment_reports(scene, "held"), account, "held")


def uptime():
    with open("/proc/uptime", encoding="ascii") as file:
        return int(float(file.read().split()[0]))


def expect_elapsed(scene, path, account, begin):
    """At least what the program has measured itself before, at most what has passed here since it was started."""
    least = account.elapsed_ns
    report = json.loads(scene.tool("report", "--format", "json", path).stdout)
    most = (time.monotonic() - begin) * 1e9
    if not least <= report["elapsed_ns"] <= most:
        raise Failure(f"elapsed: {report['elapsed_ns'] / 1e9:.3f} s, not {least / 1e9:.3f} to {most / 1e9:.3f} s")
    entry = listed(scene).get(path)
    if not entry or entry["state"] != "running":
        raise Failure(f"list says of a program that runs: {entry}")
    started = time.time() - entry["start_unix_ns"] / 1e9
    if not least / 1e9 - 0.1 <= started <= most / 1e9 + 1:
        raise Failure(f"list says that it was started {started:.3f} s ago, not {least / 1e9:.3f} to {most / 1e9:.3f} s")


def in_time_namespace(scene):
    """Its monotonic clock is hours ahead or behind."""
    offset = scene.random.choice([1000, -min(1000, uptime() - 1), scene.random.randrange(10 ** 6),
                                  -scene.random.randrange(uptime())])
    command = unshared("-T", f"--monotonic={offset}", f"--boottime={offset}")
    native = endure_native(scene, STEPS, command)
    account = scene.account()
    clock = scene.random.choice(["counter", "monotonic"])
    begin = time.monotonic()
    running = scene.start([*command, program("endure"), account.path, *STEPS],
                          scene.environment(HOTPATH_OUTPUT_FORMAT="none", HOTPATH_CLOCK=clock))
    path = segment_of(scene, running)
    for _ in range(3):
        before = account.elapsed_ns
        wait_until("time to pass", lambda: account.elapsed_ns > before + 50_000_000 or not running.is_running())
        try:
            expect_elapsed(scene, path, account, begin)
        except Failure as failure:
            raise Failure(f"{offset} s, {clock}: {failure}") from None
    account.go_on()
    expect_native(native, running.wait(), f"{offset} s")
    return expect_calls(segment_reports(scene, "held"), account, f"{offset} s")


ATTACKS = [
    Attack("PID namespace, seen from outside", in_pid_namespace, 4, "{count} calls; neither ended nor removed"),
    Attack("PID namespace, seen from inside", seen_from_inside, 3, "{count} calls; neither ended nor removed"),
    Attack("time namespace", in_time_namespace, 8, "{count} calls, elapsed time as it was"),
]
