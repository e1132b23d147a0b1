# SPDX-License-Identifier: MIT
"""Measured and sampled code runs on stacks that are hardly large enough: none overflows that natively does not."""
import functools

from harness import Attack, Failure, expect_calls, expect_native, measured, program, reports_of, shorten

# Bytes; 0 is the least that the system tells.
SIZES = {
    "signals": [8192, 0, 6144, 10240, 16384],
    "contexts": [6144, 4096, 5120, 8192, 16384],
    "threads": [0, 32768, 65536],
}
# Sampling is what makes a stack small, so it is in most of them.
WAYS = ["run --cpu", "run --cpu", "run --alloc --cpu", "run", "alone"]


def small(scene, kind):
    sizes = SIZES[kind]
    size, mode = sizes[scene.number % len(sizes)], scene.random.choice(WAYS)
    what = f"{mode}, {size or 'least'} bytes"
    native = scene.run([program("small_stacks_bare"), scene.account("native").path, kind, str(size)])
    if native.status != 0:
        raise Failure(f"{what}: natively it does not live: {native.status}: {shorten(native.stdout + native.stderr)}")
    account = scene.account()
    done = scene.run(*measured(scene, mode, [program("small_stacks"), account.path, kind, str(size)]))
    expect_native(native, done, what)
    return expect_calls(reports_of(scene, mode, what), account, what)


ATTACKS = [
    Attack("small stacks of signals", functools.partial(small, kind="signals"), 15, "{count} calls, as natively"),
    Attack("small stacks of coroutines", functools.partial(small, kind="contexts"), 15, "{count} calls, as natively"),
    Attack("small stacks of threads", functools.partial(small, kind="threads"), 9, "{count} calls, as natively"),
]
