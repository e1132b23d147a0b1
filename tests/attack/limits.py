# SPDX-License-Identifier: MIT
"""Memory, files and descriptors are limited, by the program itself or before it begins: it lives as natively."""
from harness import MODES, Attack, as_ordinary_user, endure, expect_native, measured, need_command

# What the profiler may take of the address space that a program has left itself, in megabytes.
MARGIN = 200


def any_mode(scene):
    return scene.random.choice(list(MODES))


def own_memory(scene):
    """A program limits its own address space after a measured call, and uses most of what is left."""
    megabytes = scene.random.randrange(400, 2000)
    most = megabytes - MARGIN
    allocated, mapped = (scene.random.randrange(most // 2, most) for _ in range(2))
    steps = ["calls=100", f"memory={megabytes}", f"malloc={allocated}", f"map={mapped}", "wide-threads=4", "new",
             "malloc=1", "calls=100", "exit=5"]
    return endure(scene, steps, any_mode(scene))


def given_memory(scene):
    """The limit is there when the program begins."""
    need_command("prlimit")
    megabytes = scene.random.randrange(100, 4000)
    limit = ["prlimit", f"--as={megabytes << 20}"]
    steps = ["calls=100", f"malloc={megabytes // 3}", "threads=4", "new", "calls=100", "exit=5"]
    return endure(scene, steps, any_mode(scene), limit)


SHELL = """ulimit -v {kilobytes} || exit 9
text=$(head -c {bytes} /dev/zero | tr '\\0' x)
echo "${{#text}}"
list=()
for ((i = 0; i < 20000; i++)); do list[i]=$i; done
echo "${{#list[@]}}" | (read -r n; echo "$((n + 1))")
exit 6
"""


def shell_memory(scene):
    """A shell that limits itself, and all that it starts."""
    need_command("bash")
    kilobytes = scene.random.randrange(300_000, 1_000_000)
    script = SHELL.format(kilobytes=kilobytes, bytes=scene.random.randrange(1000, 10_000_000))
    mode = scene.random.choice([mode for mode in MODES if mode != "alone"])
    native = scene.run(["bash", "-c", script])
    done = scene.run(*measured(scene, mode, ["bash", "-c", script]))
    expect_native(native, done, f"{mode}, bash, ulimit -v {kilobytes}")


def locked(scene):
    """An ordinary user may lock 8 MB: enough for a small program, with a profiler or without."""
    need_command("prlimit")
    flags = scene.random.choice([1, 2, 3])
    command = ["prlimit", f"--memlock={8 << 20}", *as_ordinary_user(scene)]
    steps = ["calls=100", f"lock={flags}", "malloc=1", "threads=2", "new", "calls=100", "exit=5"]
    return endure(scene, steps, any_mode(scene), by=command)


def file_size(scene):
    """What does not fit into the largest file that may be is counted; nobody gets a signal for it."""
    limit = scene.random.choice([0, 1, 4096, 65536, scene.random.randrange(10_000_000)])
    steps = scene.random.sample(["calls=100", f"file-size={limit}"], 2)
    return endure(scene, steps + ["new", "threads=4", "calls=100", "exit=5"], any_mode(scene), exact=False)


def descriptors(scene):
    """A program has all the descriptors that it may have, from the first measured call on."""
    limit = scene.random.randrange(8, 200)
    steps = ["calls=100", f"descriptors={limit}", "open", "new", "threads=2", "open", "calls=100", "exit=5"]
    return endure(scene, steps, any_mode(scene))


ATTACKS = [
    Attack("address space, limited by itself", own_memory, 30, "{count} calls, as natively"),
    Attack("address space, limited before", given_memory, 20, "{count} calls, as natively"),
    Attack("address space of a shell", shell_memory, 10, "as natively"),
    Attack("memory locked by a user", locked, 20, "{count} calls, as natively"),
    Attack("size of files", file_size, 20, "{count} calls, all accounted for"),
    Attack("descriptors", descriptors, 20, "{count} calls, as natively"),
]
