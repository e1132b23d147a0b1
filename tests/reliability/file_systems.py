#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Segments on file systems that are not plain: overlays, on which locks do not last, and btrfs, which is not safe."""
import contextlib
import os
import subprocess
import sys
import tempfile

from alive import HOTPATH, Program, can, expect_alive, expect_ended, fail, failures, listed, skip

MANY = os.path.join(os.environ["BUILD"], "tests/reliability/many")


def own_mounts():
    """The test goes on in a mount namespace that ends with it."""
    own = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-rm"]
    if sys.argv[1:] == ["mounted"]:
        return
    if not can(*own, "mount", "-t", "tmpfs", "none", "/mnt"):
        skip("a file system of its own may not be mounted here")
    os.execvp(own[0], [*own, sys.argv[0], "mounted"])


@contextlib.contextmanager
def mounted(place, *arguments):
    os.makedirs(place, exist_ok=True)
    done = subprocess.run(["mount", *arguments, place], stderr=subprocess.PIPE, text=True, check=False)
    try:
        yield done.returncode == 0
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", "-l", place], check=False)


@contextlib.contextmanager
def overlay_on(folder):
    """An overlay whose upper folder is in another one."""
    for name in ("lower", "upper", "work"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    options = ",".join(f"{key}={os.path.join(folder, name)}" for key, name in
                       (("lowerdir", "lower"), ("upperdir", "upper"), ("workdir", "work")))
    place = os.path.join(work, "overlay")
    with mounted(place, "-t", "overlay", "-o", options, "overlay") as there:
        yield place if there else None


def own_folder(parent):
    """Where nobody else may write."""
    folder = os.path.join(parent, "segments")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def on_overlay(parent):
    """The kernel's list of mappings tells of programs in this PID namespace; those of others may be alive."""
    folder = own_folder(parent)
    program = Program(folder)
    expect_alive("a program on an overlay", folder)
    program.end()
    expect_ended("a program that ended on an overlay", folder)
    program = Program(folder)
    program.process.kill()
    program.end()
    expect_ended("a program that was killed on an overlay", folder)
    by = ["unshare", "--pid", "--fork", "--kill-child"]
    if can(*by, "true"):
        program = Program(folder, *by)
        expect_alive("a program on an overlay in another PID namespace", folder)
        program.end()
        expect_ended("a program that ended on an overlay in another PID namespace", folder)


def refused_on(what, parent):
    """The program runs as ever, one line says why there is no segment, and its own report is complete."""
    folder = own_folder(parent)
    alone = subprocess.run([MANY, "50", "20", "5"], env={**os.environ, "HOTPATH_OFF": "1"}, check=False,
                           stdout=subprocess.PIPE, text=True)
    report = os.path.join(work, "report")
    done = subprocess.run([MANY, "50", "20", "5"], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, "HOTPATH_DIR": folder, "HOTPATH_OUTPUT_PATH": report}, text=True)
    if (done.returncode, done.stdout) != (alone.returncode, alone.stdout):
        fail(f"{what}: ends with {done.returncode}, '{done.stdout}', not {alone.returncode}, '{alone.stdout}'")
    if done.stderr.count("\n") != 1 or "not safe when full" not in done.stderr:
        fail(f"{what}: {done.stderr}")
    if listed(folder):
        fail(f"{what}: there is a segment")
    if not os.path.exists(report):
        fail(f"{what}: there is no report")
    measured = subprocess.run([HOTPATH, "run", MANY, "50", "20", "5"], check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, "HOTPATH_DIR": folder}, text=True)
    if (measured.returncode, measured.stdout) != (alone.returncode, alone.stdout):
        fail(f"{what}: under hotpath run: {measured.returncode}, '{measured.stdout}'")


def on_btrfs():
    image = os.path.join(work, "btrfs.image")
    with open(image, "wb") as file:
        file.truncate(128 << 20)
    if not can("mkfs.btrfs", "-q", image):
        print("skipped: there is no mkfs.btrfs")
        return
    place = os.path.join(work, "btrfs")
    with mounted(place, "-o", "loop", image) as there:
        if not there:
            print("skipped: btrfs cannot be mounted here")
            return
        refused_on("btrfs", place)
        with overlay_on(place) as overlay:
            if overlay:
                refused_on("an overlay on btrfs", overlay)


own_mounts()
with tempfile.TemporaryDirectory() as work, mounted(os.path.join(work, "tmpfs"), "-t", "tmpfs", "none"):
    with overlay_on(os.path.join(work, "tmpfs")) as place:
        if place:
            on_overlay(place)
        else:
            print("skipped: overlays cannot be mounted here")
    on_btrfs()
raise SystemExit(1 if failures else 0)
