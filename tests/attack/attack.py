#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks programs that are measured, and the tool; prints what came of it.

    attack.py [--seed N] [--seconds N | --rounds N] [--only NAME]... [--list]

$HOTPATH is the tool, $BUILD the build folder. Without --seconds or --rounds each attack is made as often as its table
says, three to four minutes in all. A seed repeats all that is not left to the scheduler. Exits with 1 when an attack
has failed.
"""
import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import children
import ends
import file_systems
import filters
import harness
import kills
import limits
import mutations
import namespaces
import stacks

ATTACKS = [attack for family in (kills, ends, limits, filters, file_systems, namespaces, stacks, children, mutations)
           for attack in family.ATTACKS]
# Lines of failures that are shown of one attack.
SHOWN = 10


class Result:
    """What came of all tries of one attack."""

    def __init__(self, attack):
        self.attack = attack
        self.tries = self.good = self.count = 0
        self.failures = []
        self.skipped = None

    def outcome(self):
        if self.skipped:
            return f"skipped: {self.skipped}"
        if self.failures:
            return harness.shorten(self.failures[0], 100)
        return self.attack.outcome.format(count=spaced(self.count))


def spaced(number):
    return f"{number:,}".replace(",", " ")


def make_try(attack, seed, number, props):
    """One try in a folder of its own, after which nothing is left."""
    with tempfile.TemporaryDirectory(prefix="hotpath-attack-", ignore_cleanup_errors=True) as folder:
        # Others go through it to what is theirs.
        os.chmod(folder, 0o711)
        scene = harness.Scene(attack, harness.chance(seed, attack.name, number), number, props, folder)
        try:
            return attack.one_try(scene) or 0
        finally:
            scene.close()


def make(attack, seed, is_enough):
    """All tries of an attack."""
    result = Result(attack)
    with contextlib.ExitStack() as stack:
        props = harness.Props(stack)
        while not result.skipped and not is_enough(result.tries):
            try:
                result.count += make_try(attack, seed, result.tries, props)
                result.good += 1
            except harness.Skip as skip:
                result.skipped = str(skip)
                continue
            except harness.Failure as failure:
                result.failures.append(f"try {result.tries}: {failure}")
            # A report that is not as it should be, say: that is no reason to leave the others out.
            except (ArithmeticError, LookupError, OSError, TypeError, ValueError) as error:
                result.failures.append(f"try {result.tries}: {type(error).__name__}: {error}")
            result.tries += 1
    return result


def budget(attack, options, number):
    """When an attack has been made often enough: after a share of the seconds, or some rounds."""
    if options.seconds:
        end = time.monotonic() + options.seconds / number
        return lambda tries: tries > 0 and time.monotonic() > end
    rounds = options.rounds or attack.rounds
    return lambda tries: tries >= rounds


def show(results):
    """The table, and all failures above it."""
    for result in results:
        for failure in result.failures[:SHOWN]:
            print(f"FAILED: {result.attack.name}: {harness.shorten(failure, 400)}")
        if len(result.failures) > SHOWN:
            print(f"FAILED: {result.attack.name}: {len(result.failures) - SHOWN} more")
    width = max(len(result.attack.name) for result in results)
    print(f"{'attack':{width}} {'tries':>8} {'ok':>7} {'failed':>7}  outcome")
    for result in results:
        print(f"{result.attack.name:{width}} {spaced(result.tries):>8} {spaced(result.good):>7} "
              f"{spaced(len(result.failures)):>7}  {result.outcome()}")
    failed = sum(bool(result.failures) for result in results)
    skipped = sum(bool(result.skipped) and not result.failures for result in results)
    print(f"{len(results) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return failed


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seconds", type=float, help="of all attacks together")
    parser.add_argument("--rounds", type=int, help="tries of each attack")
    parser.add_argument("--only", action="append", help="attacks whose name contains this", default=[])
    parser.add_argument("--list", action="store_true", help="print the names of all attacks")
    return parser.parse_args()


def in_own_mounts():
    """Go on where mounts end with us; an ordinary user has none."""
    if os.getuid() != 0 or "HOTPATH_ATTACK_MOUNTS" in os.environ or not shutil.which("unshare"):
        return
    if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        os.environ["HOTPATH_ATTACK_MOUNTS"] = "own"
        os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])


def main():
    options = parse()
    chosen = [attack for attack in ATTACKS
              if not options.only or any(name in attack.name for name in options.only)]
    if options.list:
        print("\n".join(attack.name for attack in chosen))
        return 0
    if not chosen:
        sys.exit("no attack has such a name; --list prints all")
    if not harness.HOTPATH or not harness.BUILD:
        sys.exit("HOTPATH and BUILD must be set; 'make attack' does that")
    in_own_mounts()
    # Whatever was started and mounted ends with us.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    seed = int.from_bytes(os.urandom(4), "big") if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    results = []
    for attack in chosen:
        begin = time.monotonic()
        results.append(make(attack, seed, budget(attack, options, len(chosen))))
        print(f"{attack.name}: {time.monotonic() - begin:.1f} s", file=sys.stderr, flush=True)
    return 1 if show(results) else 0


if __name__ == "__main__":
    sys.exit(main())
