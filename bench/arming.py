# SPDX-License-Identifier: MIT
"""How long it takes to arm the sleds of a large program, and to disarm them: for the first time, in a new process."""
import os
import subprocess
import tempfile

from built import ROOT, build_once

FUNCTIONS = 10_000
ROUNDS = 10
LIMIT_MS = 50

# Each is called once while recording, and one that is not armed is found by the report.
FUNCTION = "__attribute__((noinline)) int function_%d(int x) { __asm__ volatile(\"\" : \"+r\"(x)); return x * 31 + %d; }\n"
PROGRAM = """
#include <hotpath.h>
#include <stdio.h>
#include <time.h>
%s
static int (*const functions[])(int) = { %s };

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(void)
{
	int x = 0;
	double begin = now_ms();
	hotpath_start(NULL);
	double armed = now_ms();
	for (int i = 0; i < %d; i++)
		x = functions[i](x);
	double called = now_ms();
	hotpath_stop();
	printf("%%f %%f\\n", armed - begin, now_ms() - called);
	return x == 1;
}
"""


def source():
    functions = "".join(FUNCTION % (n, n) for n in range(FUNCTIONS))
    return PROGRAM % (functions, ", ".join(f"function_{n}" for n in range(FUNCTIONS)), FUNCTIONS)


def build(tools):
    library = os.path.dirname(tools.library)
    text = source()

    def make(folder):
        command = [tools.tool, "cc", "gcc", "-O1", "-DHOTPATH_ENABLE=1", "-I", os.path.join(ROOT, "include"), "-x", "c", "-",
                   "-o", os.path.join(folder, "arming"), "-L", library, "-lhotpath", f"-Wl,-rpath,{library}"]
        return subprocess.run(command, input=text, text=True, check=True)

    return os.path.join(build_once(tools, "arming", text.encode(), make), "arming")


def one_round(program):
    """Milliseconds of hotpath_start and of hotpath_stop."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as segments:
        environment = {**os.environ, "HOTPATH_DIR": segments, "HOTPATH_OUTPUT_FORMAT": "none"}
        done = subprocess.run([program], env=environment, capture_output=True, text=True, check=True)
    return [float(number) for number in done.stdout.split()]


def bench(tools, table):
    program = build(tools)
    rounds = [one_round(program) for _ in range(ROUNDS)]
    for name, times in zip(("hotpath_start arms 10 000 functions", "hotpath_stop disarms them"), zip(*rounds)):
        table.row(name, min(times), "ms", min(times) / LIMIT_MS, "50 ms", 1)
