# SPDX-License-Identifier: MIT
"""A program forbids itself system calls that it does not need: it lives as natively."""
import platform

from harness import MODES, Attack, Failure, Skip, calls_of, endure, endure_as_native, program, reports_of

ACTIONS = ["kill", "trap", "EPERM", "ENOSYS"]
# Calls that a profiler might make, by their number on x86-64 and, as on all newer machines, on aarch64.
CALLS = {
    "read": (0, 63), "write": (1, 64), "close": (3, 57), "fstat": (5, 80), "poll": (7, None), "lseek": (8, 62),
    "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214), "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135), "ioctl": (16, 29), "pread64": (17, 67), "readv": (19, 65), "writev": (20, 66),
    "access": (21, None), "sched_yield": (24, 124), "mremap": (25, 216), "msync": (26, 227), "mincore": (27, 232),
    "madvise": (28, 233), "dup": (32, 23), "nanosleep": (35, 101), "getpid": (39, 172), "exit": (60, 93),
    "kill": (62, 129), "uname": (63, 160), "fcntl": (72, 25), "flock": (73, 32), "fsync": (74, 82),
    "ftruncate": (77, 46), "getcwd": (79, 17), "rename": (82, None), "mkdir": (83, None), "unlink": (87, None),
    "readlink": (89, None), "fchmod": (91, 52), "umask": (95, 166), "gettimeofday": (96, 169), "getrusage": (98, 165),
    "getuid": (102, 174), "geteuid": (107, 175), "getppid": (110, 173), "rt_sigpending": (127, 136),
    "rt_sigtimedwait": (128, 137), "sigaltstack": (131, 132), "prctl": (157, 167), "arch_prctl": (158, None),
    "gettid": (186, 178), "tkill": (200, 130), "futex": (202, 98), "sched_getaffinity": (204, 123),
    "getdents64": (217, 61), "timer_create": (222, 107), "timer_settime": (223, 110), "timer_gettime": (224, 108),
    "timer_delete": (226, 111), "clock_gettime": (228, 113), "clock_nanosleep": (230, 115), "tgkill": (234, 131),
    "openat": (257, 56), "mkdirat": (258, 34), "newfstatat": (262, 79), "unlinkat": (263, 35), "readlinkat": (267, 78),
    "faccessat": (269, 48), "ppoll": (271, 73), "set_robust_list": (273, 99), "fallocate": (285, 47),
    "perf_event_open": (298, 241), "prlimit64": (302, 261), "getcpu": (309, 168), "process_vm_readv": (310, 270),
    "getrandom": (318, 278), "memfd_create": (319, 279), "membarrier": (324, 283), "statx": (332, 291),
    "rseq": (334, 293), "pidfd_open": (434, 434), "openat2": (437, 437),
}
AFTER = ["new", "threads=2", "malloc=1", "calls=100", "exit=5"]


def numbers():
    machine = {"x86_64": 0, "aarch64": 1}.get(platform.machine())
    if machine is None:
        raise Skip(f"the system calls of {platform.machine()} are not known")
    return {name: pair[machine] for name, pair in CALLS.items() if pair[machine] is not None}


def lives_natively(scene, steps):
    done = scene.run([program("endure_bare"), scene.account("trial").path, *steps])
    return done.status == 5


def needless(scene, before, after):
    """The calls that the program can do without, natively. When a program begins, the dynamic linker reads links
    to find a library of the build folder. Whether it needs a futex depends on which thread is faster."""
    return [(name, number) for name, number in numbers().items()
            if name != "futex" and not ("again" in after and name.startswith("readlink"))
            and lives_natively(scene, [*before, f"forbid={number}", *after])]


def forbidden(scene, way, actions, before, after):
    """Forbid one system call: in turns, each that the program does not need."""
    free = scene.props.get("needless", lambda: needless(scene, before, after))
    if not free:
        raise Failure("natively it needs every call, or does not live")
    name, number = free[scene.number % len(free)]
    mode = scene.random.choice(list(MODES))
    action = ACTIONS.index(scene.random.choice(actions))
    steps = [*before, f"{way}={1000 * action + number}", *after]
    try:
        return endure(scene, steps, mode, exact=False)
    except Failure as failure:
        raise Failure(f"{name}, {ACTIONS[action]}: {failure}") from None


def killed_by_call(scene):
    """The filter is set by a function of the C library, which the profiler may interpose."""
    return forbidden(scene, "forbid", ["kill", "trap"], ["calls=100"], AFTER)


def killed_by_raw_call(scene):
    """The filter is set by a raw system call, which the profiler does not see."""
    return forbidden(scene, "forbid-raw", ["kill", "trap"], ["calls=100"], AFTER)


def failing_call(scene):
    return forbidden(scene, "forbid", ["EPERM", "ENOSYS"], ["calls=100"], AFTER)


def failing_from_start(scene):
    """The filter is there before the program begins, as in a container."""
    return forbidden(scene, "forbid", ["EPERM", "ENOSYS"], [], ["again", "calls=100", *AFTER])


def sandbox(scene):
    """All system calls are forbidden but those that the program needs natively."""
    mode = scene.random.choice(list(MODES))
    return endure(scene, ["calls=100", "allow-needed", *AFTER], mode, exact=False)


def strict(scene):
    """Reading, writing and an end are all there is; no look at the clock either. What was measured before is there."""
    mode = scene.random.choice(list(MODES))
    after = scene.random.choice([["calls=1000"], ["calls=1000", "new", "calls=100"]])
    account, _ = endure_as_native(scene, ["calls=100", "strict", *after, "exit-at-once=5"], mode)
    calls = calls_of(reports_of(scene, mode, mode), "work")
    if not 100 <= calls <= sum(account.work):
        raise Failure(f"{mode}: {calls} calls, not 100 to {sum(account.work)}")
    return calls


ATTACKS = [
    Attack("a call that kills", killed_by_call, 80, "{count} calls, as natively"),
    Attack("a call that kills, by itself", killed_by_raw_call, 80, "{count} calls, as natively"),
    Attack("a call that fails", failing_call, 80, "{count} calls, as natively"),
    Attack("a call that fails from the start", failing_from_start, 40, "{count} calls, as natively"),
    Attack("a sandbox", sandbox, 10, "{count} calls, as natively"),
    Attack("strict mode", strict, 10, "{count} calls, as natively"),
]
