#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Without a name, the user gets the newest program that runs, or the first that comes, and can choose another."""
import os
import shutil
import subprocess

from terminal import BUILD, HOTPATH, WORK, children, console, end_program, fail, finish, start_program

VARIES = ((r"^ticker · pid .*", "THE PROGRAM"), (" +PID ", " PID "), (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "DAY AND TIME"))


def waits_for_the_first():
    terminal = console("--refresh-ms", "50")
    terminal.wait_screen("waiting")
    terminal.keys("j", "Enter", "o", "1", "2", "s", "/", "p", "w", "Escape")
    terminal.wait_screen("waiting")
    # Help has no tabs to go to.
    terminal.keys("?")
    terminal.wait_for("The next row\\.")
    terminal.keys("1", "Tab", "Escape")
    terminal.wait_screen("waiting")
    program = start_program()
    terminal.wait_for(f"^ticker · pid {program.pid} .* Live")
    terminal.wait_for(r"^tick +\d")
    end_program(program)
    terminal.wait_for("· Ended ·")
    terminal.keys("q")
    terminal.wait_left()


def chooses():
    programs = [start_program(arguments=[word]) for word in ("first", "second")]
    varies = VARIES + tuple((rf" +{program.pid}", f" PID-{nth}") for nth, program in enumerate(programs, 1))
    terminal = console("--refresh-ms", "50")
    # The newest is watched, and the first of the list.
    terminal.wait_for(f"^ticker · pid {programs[1].pid} .* Live")
    terminal.keys("c")
    terminal.wait_screen("programs", *varies)
    terminal.keys("j", "Enter")
    terminal.wait_for(f"^ticker · pid {programs[0].pid} .* Live")
    terminal.keys("c")
    terminal.wait_for("ticker second")
    terminal.keys("Escape")
    terminal.wait_for(r"^tick +\d")
    terminal.keys("c")
    terminal.wait_for("ticker second")
    terminal.click_on("ticker second")
    terminal.wait_for(f"^ticker · pid {programs[1].pid} .* Live")
    for program in programs:
        end_program(program)
    terminal.keys("c")
    terminal.wait_for("Waiting for a measured program")
    terminal.wait_for("^ticker · pid .* · Waiting ·")
    terminal.keys("q")
    terminal.wait_left()


def goes_to_a_process():
    """A run of two processes: from one to the other, in their table."""
    ticker = os.path.join(BUILD, "tests/console/ticker")
    script = f'{ticker} one & {ticker} two & trap "kill %1 %2" TERM; wait; wait'
    command = [HOTPATH, "run", "--no-cpu", "--format", "none", "bash", "-m", "-c", script]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    children.append(run)
    for _ in range(2):
        run.stdout.readline()
    terminal = console("ticker", "--refresh-ms", "50")
    first = terminal.wait_for(r"^ticker · pid (\d+) .* Live").group(1)
    terminal.keys("3", "3")
    terminal.wait_for("Threads: Processes")
    other = next(pid for pid in pids_of(terminal, "ticker") if pid != first)
    terminal.keys("j")
    if pids_of(terminal, "ticker")[0] == first:
        terminal.keys("j")
    terminal.keys("Enter")
    terminal.wait_for(f"^ticker · pid {other} .* Live")
    # The shell has measured nothing, so it has no segment.
    terminal.keys("3", "3", "g", "Enter")
    terminal.wait_for(r"^Process \d+ has recorded nothing\.$")
    terminal.keys("q")
    terminal.wait_left()
    end_program(run)


def pids_of(terminal, name):
    """Those of two processes, in the order of their lines: whichever has begun first."""
    return terminal.wait_for(rf"(?s){name} (?:one|two) +(\d+) .*{name} (?:one|two) +(\d+) ").groups()


def keeps_to_its_line():
    """A name that begins with an accent has no letter to put it on: not the last one of the line above."""
    path = os.path.join(WORK, "\u0301accent")
    shutil.copy(os.path.join(BUILD, "tests/console/ticker"), path)
    os.environ["LD_LIBRARY_PATH"] = os.path.join(BUILD, "src/library")
    program = start_program(path)
    terminal = console()
    terminal.wait_for("^accent · pid ")
    terminal.keys("c")
    terminal.wait_for("^accent +[0-9]")
    if "\u0301" in terminal.screen():
        fail(f"an accent is somewhere else:\n{terminal.screen()}")
    terminal.keys("q")
    terminal.wait_left()
    end_program(program)


waits_for_the_first()
chooses()
goes_to_a_process()
keeps_to_its_line()
finish()
