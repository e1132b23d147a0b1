#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cost of measuring that a report shows is what it is. The truth is the CPU time of a program, less that of the same program
without the profiler. Each of some runs is compared by itself, because the machine may be slow for a while.

- A program that uses the caches itself has 500 functions, which it calls in an order that no predictor learns.
- A program of many short threads has little else that measuring takes than to begin and end with each of them. What the dynamic
  linker and the kernel do for that is not seen, so less may be claimed.
"""
import json
import os
import subprocess
import sys
import tempfile

TRIES = 6
FUNCTIONS = 500
CALLS = 3_000_000
THREADS = 5000
HOTPATH = os.environ["HOTPATH"]

MANY_FUNCTIONS = """
#include <stdint.h>
static volatile unsigned char data[256 * 1024];
static uint32_t state = 1;
#define FUNCTION(n) static void function_##n(void) { \\
	for (int i = 0; i < 4; i++) \\
		data[(state = state * 1664525u + 1013904223u) >> 14]++; \\
	data[n]++; }
%s
static void (*const functions[])(void) = { %s };
int main(void)
{
	for (long i = 0; i < %d; i++)
		functions[(state >> 8) %% %d]();
	return 0;
}
"""

MANY_THREADS = """
#include <pthread.h>
static void *work(void *argument) { return argument; }
int main(void)
{
	for (int i = 0; i < %d; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, work, NULL) == 0)
			pthread_join(thread, NULL);
	}
	return 0;
}
""" % THREADS


def many_functions():
    names = [f"function_{n}" for n in range(FUNCTIONS)]
    bodies = "\n".join(f"FUNCTION({n})" for n in range(FUNCTIONS))
    return MANY_FUNCTIONS % (bodies, ", ".join(names), CALLS, FUNCTIONS)


def cpu_ns(command):
    """CPU time of a command and its children."""
    child = subprocess.Popen(command)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    assert status == 0, f"{command}: {status}"
    return (usage.ru_utime + usage.ru_stime) * 1e9


def ratio(plain, measured, calls):
    """What is claimed, as a part of the truth. What the tool needs itself is measured with a program that does nothing, and the
    report is made later."""
    run = [HOTPATH, "run", "--no-cpu", "--format", "none"]
    alone, tool, used = (cpu_ns(command) for command in ([plain], [*run, "/bin/true"], [*run, measured]))
    report = json.loads(subprocess.run([HOTPATH, "report", "--format", "json"], stdout=subprocess.PIPE, check=True).stdout)
    assert sum(row["calls"] for row in report["functions_timing"]["data"]) == calls
    return report["overhead"]["estimated_ns"] / (used - alone - tool)


def build(work, text):
    """A program, plain and with sleds."""
    code, plain, measured = (os.path.join(work, name) for name in ("program.c", "plain", "measured"))
    options = ["-O2", "-fno-ipa-icf", "-pthread", code, "-o"]
    with open(code, "w", encoding="ascii") as file:
        file.write(text)
    subprocess.run(["gcc", *options, plain], check=True)
    subprocess.run([HOTPATH, "cc", "gcc", *options, measured], check=True)
    return plain, measured


def is_true(work, name, text, calls, least):
    """Whether what is claimed is at least that part of the truth, and at most 1.2 of it, in one of some runs."""
    plain, measured = build(work, text)
    claimed = []
    while len(claimed) < TRIES and not any(least <= one <= 1.2 for one in claimed):
        claimed.append(ratio(plain, measured, calls))
    print(f"{name}: claimed, as a part of the truth:", " ".join(f"{one:.2f}" for one in claimed))
    if least <= claimed[-1] <= 1.2:
        return True
    print(f"FAILED: the cost of {name} is not true in any of the runs")
    return False


def main():
    with tempfile.TemporaryDirectory() as work:
        os.environ["HOTPATH_DIR"] = work
        os.environ["HOTPATH_MAX_OVERHEAD"] = "0"
        os.environ["HOTPATH_LIMIT"] = "0"
        cases = [("many functions", many_functions(), CALLS + 1, 0.8), ("many threads", MANY_THREADS, THREADS + 1, 0.6)]
        return 0 if all([is_true(work, *case) for case in cases]) else 1


if __name__ == "__main__":
    sys.exit(main())
