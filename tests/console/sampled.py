#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that nobody changed: what it computes now, and since it began; who calls a function, and in which lines it is."""
import os
import re
import signal
import subprocess

from terminal import BUILD, HERE, HOTPATH, children, console, eventually, fail, finish

PROGRAM = os.path.join(BUILD, "tests/console/phases")


def start():
    """The program itself is what hotpath run becomes: signals reach it."""
    command = [HOTPATH, "run", "--cpu", "--alloc", "--format", "none", PROGRAM]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    children.append(child)
    child.stdout.readline()
    found = eventually(lambda: pid_of(child))
    if not found:
        fail("the program does not run")
    return child, found


def pid_of(child):
    """The process that runs the program: the child, or a child of that."""
    with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="utf-8") as file:
        candidates = [child.pid, *map(int, file.read().split())]
    return next((pid for pid in candidates if os.readlink(f"/proc/{pid}/exe") == os.path.realpath(PROGRAM)), None)


def shares(terminal, name):
    """Shares of a function in all samples, and in those of the last seconds; None if they are not on the screen."""
    found = re.search(rf"^{name} .*? ([\d.]+)% +([\d.]+)%", terminal.screen(), re.MULTILINE)
    return [float(share) for share in found.groups()] if found else None


def wait_shares(terminal, name, holds):
    if not eventually(lambda: (seen := shares(terminal, name)) and holds(*seen), 60):
        fail(f"{name} has {shares(terminal, name)}:\n{terminal.screen()}")


def line_of(text):
    with open(os.path.join(HERE, "phases.c"), encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


def phases():
    program, pid = start()
    terminal = console(str(pid), "--refresh-ms", "50", size="80x24")
    # Allocations come first; again: live blocks, and CPU time. Panes without data are left out.
    terminal.wait_for(r"Functions: Memory")
    terminal.keys("1")
    terminal.wait_for(r"Functions: Live")
    terminal.wait_for(r"^main +phases\.c:\d+ +12\.1 KB +1 ")
    terminal.keys("1")
    terminal.wait_for(r"Functions: CPU")
    terminal.wait_for(r"^phases · pid \d+ · .* · cost (?!0\.00%)[\d.]+%, 999 samples/s$")
    wait_shares(terminal, "compute_first", lambda total, recent: total > 50 and recent > 90)
    os.kill(pid, signal.SIGUSR1)
    # CPU time before the signal is in the total alone.
    wait_shares(terminal, "mix", lambda total, recent: recent > 50)
    wait_shares(terminal, "compute_first", lambda total, recent: recent < total)
    terminal.resize("160x40")
    terminal.wait_for(r" Last 5 s +Inclusive +Last minute +File$")
    terminal.wait_for(r"^mix .* phases$")
    terminal.click_on("Last 5 s ")
    terminal.wait_for(r"^Sorted by Last 5 s\.$")
    terminal.wait_for(r"^Function .*\nmix ")
    neighbours(terminal)
    terminal.keys("1")
    terminal.wait_for(r"Functions: Bottlenecks")
    terminal.wait_for(r"^phases computes for \d+ % of its .*; it is limited by the CPU\.$|^phases queues for a processor ")
    terminal.wait_for(r"^phases .* (cpu|starved|mixed)$")
    # Rows of threads have no details, and stay in this order.
    terminal.keys("Enter", "s")
    terminal.wait_for(r"^This table has an order of its own\.$")
    os.kill(pid, signal.SIGTERM)
    terminal.wait_for("· Ended ·")
    terminal.keys("q")
    terminal.wait_left()
    program.wait()


def neighbours(terminal):
    """The details of a function that is only sampled."""
    terminal.keys("g", "Enter")
    terminal.wait_for(r"^mix\n +/.*/phases$")
    terminal.wait_for(r"^ +CPU time [\d.]+ m?s \([\d.]+%\) +with calls inside [\d.]+ m?s \([\d.]+%\)$")
    terminal.wait_for(r"^ +in the last 5 s [\d.]+% +with calls inside [\d.]+%$")
    terminal.wait_for(r"% Total \| Caller +\|\n.*\n.*\| compute_second \|$")
    # Lines of the function have the text of their source; on a narrower terminal, less of it.
    terminal.wait_for(rf"Line  mix, phases\.c$(\n.*)*\n *> +\d+ .*% .* {line_of('result += i')}  .*result \+= i.*$")
    if re.search(r"calls 0|o calls", terminal.screen()):
        fail(f"it has no calls:\n{terminal.screen()}")
    # A function that is only sampled has no recent calls to be shown.
    terminal.keys("o", "Escape", "/")
    terminal.type("compute_second")
    terminal.keys("Enter", "Enter")
    terminal.wait_for(r"% Total \| Caller +\|\n.*\n.*\| main +\|$")
    terminal.wait_for(r"% Total \| Callee +\|\n.*\n.*\| mix +\|$")
    terminal.wait_for(rf"Line  compute_second, phases\.c$(\n.*)*\n *> .*[\d.]+ m?s +{line_of('the line of the call')}  .*the line of the call.*$")
    terminal.keys("Escape", "Escape")


def ended():
    """A segment that nobody writes to any more has all columns but the last seconds."""
    program, pid = start()
    terminal = console(str(pid), "--refresh-ms", "50", size="100x30")
    terminal.wait_for(r"Functions: Memory")
    terminal.keys("1", "1")
    terminal.wait_for(r"^compute_first +\d{3,} ", 60)
    terminal.keys("q")
    terminal.wait_left()
    os.kill(pid, signal.SIGTERM)
    program.wait()
    folder = os.environ["HOTPATH_DIR"]
    segment = next(os.path.join(folder, name) for name in os.listdir(folder) if f"-{pid}-" in name)
    terminal = console(segment, size="100x30")
    terminal.wait_for(r"Functions: Memory")
    terminal.keys("1", "1")
    terminal.wait_for(r"^compute_first +\d{3,} ")
    if "Last 5 s" in terminal.screen():
        fail(f"nothing is known of the last seconds:\n{terminal.screen()}")
    terminal.keys("Enter")
    terminal.wait_for(r"\| Caller +\|\n.*\n.*\| main +\|$")
    terminal.keys("q")
    terminal.wait_left()


phases()
ended()
finish()
