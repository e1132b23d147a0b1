#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Without a name, the user chooses among the programs that run, or gets the first that comes."""
import os
import shutil

from terminal import BUILD, WORK, console, end_program, fail, finish, start_program

VARIES = ((" +PID ", " PID "), (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "DAY AND TIME"))


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
    terminal.wait_screen("programs", *varies)
    # The newest is the first.
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


def keeps_to_its_line():
    """A name that begins with an accent has no letter to put it on: not the last one of the line above."""
    path = os.path.join(WORK, "\u0301accent")
    shutil.copy(os.path.join(BUILD, "tests/console/ticker"), path)
    os.environ["LD_LIBRARY_PATH"] = os.path.join(BUILD, "src/library")
    program = start_program(path)
    terminal = console()
    terminal.wait_for("^accent ")
    if "\u0301" in terminal.screen():
        fail(f"an accent is somewhere else:\n{terminal.screen()}")
    terminal.keys("q")
    terminal.wait_left()
    end_program(program)


waits_for_the_first()
chooses()
keeps_to_its_line()
finish()
