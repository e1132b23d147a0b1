#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Without a name, the user chooses among the programs that run, or gets the first that comes."""
from terminal import console, end_program, finish, start_program

VARIES = ((" +PID ", " PID "), (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "DAY AND TIME"))


def waits_for_the_first():
    terminal = console("--refresh-ms", "50")
    terminal.wait_screen("waiting")
    terminal.keys("j", "Enter", "o", "1", "2", "s", "/", "p", "w", "Escape")
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
    terminal.keys("q")
    terminal.wait_left()


waits_for_the_first()
chooses()
finish()
