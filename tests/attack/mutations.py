# SPDX-License-Identifier: MIT
"""Random changes of what the tool reads: segments, saved reports, programs and libraries; also while it reads."""
import functools
import os
import re
import shutil
import struct
import subprocess
import threading

from harness import BUILD, HOTPATH, Attack, Failure, Skip, measured, program, shorten

FUZZ = os.path.join(os.path.dirname(__file__), "../fuzz")
TARGETS = os.path.join(BUILD, "tests/fuzz/targets")
# Mutations of one try, some seconds each.
RUNS = {"segment": 1000, "segment_fields": 150, "saved": 5000, "compare": 4000, "elf": 20000}
KINDS = {"segments": ["segment", "segment_fields"], "reports": ["saved", "compare"], "programs": ["elf"]}
# Offset of the field that says how much of a segment is used.
USED_AT = 32
GIGABYTE = 1 << 30


def build_targets():
    """Under the sanitizers; takes a minute when a source has changed."""
    done = subprocess.run([os.path.join(FUZZ, "build.sh"), TARGETS], capture_output=True, text=True, check=False)
    if done.returncode == 77:
        raise Skip(done.stdout.strip().removeprefix("skipped: "))
    if done.returncode:
        raise Failure(f"the targets cannot be built: {shorten(done.stderr)}")
    return True


def mutate(scene, targets):
    """Make mutations by libFuzzer, whose own random numbers depend on ours."""
    scene.props.get("built", build_targets)
    target = targets[scene.number % len(targets)]
    seed = scene.random.randrange(1, 1 << 31)
    # Inputs that fail are left in the build folder.
    done = scene.run([os.path.join(FUZZ, "one.sh"), TARGETS, target, f"-runs={RUNS[target]}", f"-seed={seed}",
                      scene.folder("corpus")], cwd=BUILD)
    if done.status:
        kept = re.search(r"failed-\S+", done.stderr)
        summary = re.search(r"SUMMARY: .*|ERROR: .*", done.stderr)
        raise Failure(f"{target}, seed {seed}: {summary.group() if summary else shorten(done.stderr[-300:])}"
                      f"{', input ' + kept.group() if kept else ''}")
    return int(re.search(r"number_of_executed_units: *(\d+)", done.stderr).group(1))


def left_segment(scene, command):
    """The segment of a program that was sampled, with its symbols still to be read."""
    done = scene.run(*measured(scene, "run --alloc --cpu", command))
    names = [name for name in os.listdir(scene.segments) if name.endswith(".seg")]
    if done.status or not names:
        raise Failure(f"no segment: status {done.status}: {shorten(done.stderr)}")
    return os.path.join(scene.segments, names[0])


def cut_again_and_again(path, whole, chance, is_over):
    """Cut a file short, at any length, and write it anew, as a rebuild in place does."""
    while not is_over.is_set():
        with open(path, "r+b") as file:
            file.truncate(chance.randrange(len(whole)))
            file.truncate(0)
            file.write(whole)


def cut_program(scene):
    """The file of the program is cut short and written anew while its symbols are read."""
    copy = scene.path("program")
    shutil.copy(program("small_stacks"), copy)
    segment = left_segment(scene, [copy, scene.account().path, "threads", "0"])
    with open(copy, "rb") as file:
        whole = file.read()
    is_over = threading.Event()
    cutter = threading.Thread(target=cut_again_and_again, args=(copy, whole, scene.random, is_over))
    cutter.start()
    try:
        for _ in range(10):
            scene.tool("report", "--report", "all", "--format", "json", segment)
            scene.tool("export", "--format", "folded", "-o", "-", segment)
    finally:
        is_over.set()
        cutter.join()
    return 20


def most_memory(command, environment):
    """The most memory that a command takes, in bytes."""
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 2):
        raise Failure(f"{shorten(' '.join(command[1:]))}: status {process.returncode}")
    return usage.ru_maxrss * 1024


def large_segment(scene):
    """A file of holes that says it is full of figures: nobody takes memory for that."""
    segment = left_segment(scene, [program("small_stacks"), scene.account().path, "threads", "0"])
    claimed = scene.random.randrange(2 * GIGABYTE, 3 * GIGABYTE)
    with open(segment, "r+b") as file:
        file.truncate(claimed)
        file.seek(USED_AT)
        file.write(struct.pack("Q", claimed))
    memory = most_memory([HOTPATH, "report", "--format", "json", segment], scene.environment())
    if memory > GIGABYTE:
        raise Failure(f"{memory >> 20} MB for a segment that has {os.stat(segment).st_blocks >> 1} KB")


ATTACKS = [
    *(Attack(f"mutated {what}", functools.partial(mutate, targets=targets), 2 * len(targets), "{count} mutations")
      for what, targets in KINDS.items()),
    Attack("a program cut short while it is read", cut_program, 5, "{count} reports and exports"),
    Attack("a segment that claims to be large", large_segment, 2, "no more memory than it has figures"),
]
