#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""However the console ends, the terminal is left as it was found."""
import os
import signal

from terminal import console, end_program, eventually, fail, figures, finish, start_program

ALL = figures("all")


def opened(term="xterm-256color"):
    terminal = console(ALL, term=term)
    terminal.wait_for("^parse_document ")
    if terminal.flag("alternate_on") != "1" or terminal.flag("cursor_flag") != "0":
        fail("the test does not see that the screen was taken over")
    return terminal


def by_keys():
    for keys, status in (("q", 0), ("C-c", 128 + signal.SIGINT), ("C-\\", 128 + signal.SIGQUIT)):
        terminal = opened()
        if terminal.flag("mouse_any_flag") != "1":
            fail("the mouse is not used")
        terminal.keys(keys)
        terminal.wait_left(status)
        terminal.close()


def by_signals():
    """Those by which others end us, and those of a fault of ours."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV, signal.SIGABRT,
                   signal.SIGBUS, signal.SIGFPE, signal.SIGILL):
        terminal = opened()
        os.kill(terminal.pid(), number)
        terminal.wait_left(128 + number)
        terminal.close()


def by_faults_elsewhere():
    """A terminal that has other sequences, or hardly any."""
    for term in ("linux", "screen-256color"):
        for number in (signal.SIGTERM, signal.SIGSEGV):
            terminal = console(ALL, term=term)
            terminal.wait_for("^parse_document ")
            os.kill(terminal.pid(), number)
            terminal.wait_left(128 + number)
            terminal.close()


def in_the_midst():
    """While something is typed, or another view is open."""
    for keys in (("/", "x"), ("w",), ("?",), ("i",), ("j", "o")):
        terminal = opened()
        terminal.keys(*keys)
        terminal.keys("C-c")
        terminal.wait_left(128 + signal.SIGINT)
        terminal.close()


def program_dies():
    program = start_program()
    terminal = console(str(program.pid), "--refresh-ms", "50")
    terminal.wait_for(r"^tick +\d")
    end_program(program, signal.SIGKILL)
    terminal.wait_for("· Ended ·")
    terminal.keys("q")
    terminal.wait_left()


def terminal_closes():
    """Nothing stays behind."""
    terminal = opened()
    pid = terminal.pid()
    terminal.tmux("kill-pane")
    if not eventually(lambda: not os.path.exists(f"/proc/{pid}/fd")):
        fail("the console goes on without a terminal")


by_keys()
by_signals()
by_faults_elsewhere()
in_the_midst()
program_dies()
terminal_closes()
finish()
