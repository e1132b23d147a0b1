# SPDX-License-Identifier: MIT
"""Segments are kept on file systems of every kind, which others fill to the last byte."""
import contextlib
import errno
import functools
import os
import shutil
import subprocess
import tempfile

from harness import (Attack, Skip, endure, endure_native, expect_accounted, expect_native, measured, need_command,
                     need_root, program, wait_until)
from kills import kill_growing
from liveness import watch

MEGABYTE = 1 << 20
# Kind, and the size and the command by which it is made in a file; or the options by which it is mounted.
IN_FILES = {"ext4": (32, ["mkfs.ext4", "-q", "-F"]), "btrfs": (160, ["mkfs.btrfs", "-q", "-f"])}
# How often it is filled, and written back, while a program runs.
FILLINGS = 4


def do(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Skip(f"{command[0]}: {done.stderr.strip().splitlines()[-1] if done.stderr else done.returncode}")


def make_in_file(kind, folder):
    size, command = IN_FILES[kind]
    need_command(command[0])
    image = os.path.join(folder, "image")
    with open(image, "wb") as file:
        file.truncate(size * MEGABYTE)
    do(*command, image)
    return ["-t", kind, "-o", "loop", image]


def make_overlay(folder):
    """What is written goes to a small file system in memory, what was there is on another."""
    lower, top = os.path.join(folder, "lower"), os.path.join(folder, "top")
    os.mkdir(lower)
    os.mkdir(top)
    do("mount", "-t", "tmpfs", "-o", "size=16m", "none", top)
    for name in ("upper", "work"):
        os.mkdir(os.path.join(top, name))
    return ["-t", "overlay", "-o", f"lowerdir={lower},upperdir={top}/upper,workdir={top}/work", "none"]


def options_of(kind, folder):
    if kind == "tmpfs":
        return ["-t", "tmpfs", "-o", "size=16m", "none"]
    return make_overlay(folder) if kind == "overlay" else make_in_file(kind, folder)


@contextlib.contextmanager
def mounted(kind):
    """A new file system of this kind, in the mount namespace of the attacks."""
    need_root()
    if "HOTPATH_ATTACK_MOUNTS" not in os.environ:
        raise Skip("it needs a mount namespace")
    with tempfile.TemporaryDirectory(prefix="hotpath-attack-") as folder, contextlib.ExitStack() as stack:
        os.chmod(folder, 0o711)
        stack.callback(subprocess.run, ["umount", "-q", os.path.join(folder, "top")], check=False,
                       stderr=subprocess.DEVNULL)
        place = os.path.join(folder, "mounted")
        os.mkdir(place)
        do("mount", *options_of(kind, folder), place)
        stack.callback(subprocess.run, ["umount", "-l", place], check=False)
        yield place


def settle(scene, kind):
    """The segments of this try are on such a file system."""
    place = scene.props.get("mounted", lambda: mounted(kind))
    scene.segments = os.path.join(place, "segments")
    os.mkdir(scene.segments, 0o700)
    scene.stack.callback(shutil.rmtree, scene.segments)
    return place


def live(scene, kind):
    settle(scene, kind)
    return watch(scene)


def kill(scene, kind):
    settle(scene, kind)
    return kill_growing(scene)


def fill(path):
    """Until not a byte fits; large pieces first."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        for size in (MEGABYTE, 4096, 1):
            with contextlib.suppress(OSError):
                while os.write(file, bytes(size)):
                    pass
        os.fsync(file)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EIO):
            raise
    finally:
        os.close(file)


def calls_more(account, running, number):
    """The program goes on calling; its end is as good as that, since it is looked at then."""
    before = sum(account.work)
    wait_until("more calls", lambda: sum(account.work) > before + number or not running.is_running())


def filled(scene, kind):
    """Others fill the file system while a program runs, and what is there is written back again and again."""
    place = settle(scene, kind)
    mode = scene.random.choice(["alone", "run", "run --alloc --cpu"])
    held = scene.random.choice(["hold", "hold-growing=4"])
    steps = ["calls=100", held, "new", "calls=100", "exit=5"]
    what = f"{mode}, {held}"
    native = endure_native(scene, steps)
    account = scene.account()
    running = scene.start(*measured(scene, mode, [program("endure"), account.path, *steps]))
    scene.stack.callback(remove_filling, place)
    wait_until("a call", lambda: sum(account.work) > 100 or not running.is_running())
    for number in range(FILLINGS):
        fill(os.path.join(place, f"filling-{number}"))
        subprocess.run(["sync", "-f", place], check=False, stderr=subprocess.DEVNULL)
        calls_more(account, running, scene.random.randrange(200, 2000))
    account.go_on()
    done = running.wait()
    expect_native(native, done, what)
    return expect_accounted(scene, mode, done, account, what)


def remove_filling(place):
    for name in os.listdir(place):
        if name.startswith("filling-"):
            os.truncate(os.path.join(place, name), 0)
            os.unlink(os.path.join(place, name))


def full_before(scene):
    """Hardly anything fits from the start, as little as a few pages."""
    place = settle(scene, "tmpfs")
    scene.stack.callback(remove_filling, place)
    path = os.path.join(place, "filling-0")
    fill(path)
    os.truncate(path, os.path.getsize(path) - scene.random.randrange(0, 400_000))
    mode = scene.random.choice(["alone", "run", "run --alloc --cpu"])
    steps = ["calls=100", "new", "threads=4", "calls=100", "exit=5"]
    return endure(scene, steps, mode, exact=False)


# On btrfs the recorder keeps no segment: there a full disk would end the program.
KEPT = ["tmpfs", "ext4", "overlay"]
KINDS = [*KEPT, "btrfs"]
ATTACKS = [
    *(Attack(f"{kind}: killed", functools.partial(kill, kind=kind), 6, "{count} finished calls, none lost")
      for kind in KEPT),
    *(Attack(f"{kind}: filled while it runs", functools.partial(filled, kind=kind), 4, "{count} calls, as natively")
      for kind in KINDS),
    *(Attack(f"{kind}: seen to run", functools.partial(live, kind=kind), 1, "{count} calls; neither ended nor removed")
      for kind in KEPT),
    Attack("tmpfs: full from the start", full_before, 15, "{count} calls, all accounted for"),
]
