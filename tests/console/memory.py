#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Allocations are shown for the function that is responsible, not for a wrapper of malloc; its details have the stacks."""
import os
import re
import subprocess

from terminal import BUILD, HOTPATH, children, console, end_program, eventually, fail, finish, run

HOARDER = os.path.join(BUILD, "tests/console/hoarder")


def start():
    child = subprocess.Popen([HOTPATH, "run", "--no-cpu", "--alloc", "--format", "none", HOARDER], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
    children.append(child)
    child.stdout.readline()
    return child


def show(terminal, pane):
    """A pane of the tab of functions."""
    terminal.wait_for("1 Functions: ")

    def there():
        if f"Functions: {pane} " in terminal.screen():
            return True
        terminal.keys("1")
        return eventually(lambda: f"Functions: {pane} " in terminal.screen(), 0.5)
    if not eventually(there):
        fail(f"there is no pane {pane}:\n{terminal.screen()}")


def open_row(terminal, name):
    """The details of a row of the table."""
    lines = terminal.wait_for(rf"(?ms)^Function .*?^{name} ").group(0).split("\n")
    terminal.keys("g", *["j"] * (len(lines) - 2), "Enter")
    terminal.wait_for(rf"\A[^\n]*\n[^\n]*\n{name}$")


def wrappers():
    program = start()
    terminal = console("hoarder", "--refresh-ms", "50", size="100x40")
    show(terminal, "Memory")
    terminal.wait_for(r"^load_config +")
    terminal.wait_for(r"^answer +")
    terminal.wait_for(r"^pool_take +")
    if "xmalloc" in terminal.screen():
        fail(f"a wrapper has a row:\n{terminal.screen()}")
    # The whole stack is in the details.
    open_row(terminal, "load_config")
    terminal.wait_for(r"^  19\.5 KB in 10 blocks, allocated in$")
    terminal.wait_for(r"^    xmalloc +hoarder\.c:\d+\n    load_config +hoarder\.c:\d+\n    main +hoarder\.c:\d+")
    terminal.keys("Escape")
    live(terminal)
    end_program(program)
    terminal.wait_for("· Ended ·")
    open_row(terminal, "load_config")
    terminal.wait_for(r"^    xmalloc +hoarder\.c:\d+\n    load_config ")
    terminal.keys("q")
    terminal.wait_left()


def live(terminal):
    """Blocks that are there: a row for each place that is responsible, with its stacks."""
    show(terminal, "Live")
    terminal.wait_for(r"^load_config +\S*hoarder\.c:\d+ +19\.5 KB +10 ")
    terminal.wait_for(r"^pool_take +\S*hoarder\.c:\d+ +4\.9 KB +5 ")
    terminal.wait_for(r"^.*Enter details ")
    open_row(terminal, "load_config")
    terminal.wait_for(r"^  Location +\S*hoarder\.c:\d+")
    terminal.wait_for(r"^  19\.5 KB in 10 blocks, allocated in$")
    terminal.wait_for(r"^    xmalloc +hoarder\.c:\d+\n    load_config +hoarder\.c:\d+\n    main +hoarder\.c:\d+")
    terminal.keys("o")
    terminal.wait_for(r"^  19\.5 KB in 10 blocks")
    terminal.keys("Escape")
    terminal.wait_for(r"^Function +Location ")


def named_wrappers():
    """By an option or the environment."""
    program = start()
    for words, environment in ((("--through", "pool_take"), {}), ((), {"HOTPATH_THROUGH": "pool_*"})):
        terminal = console("hoarder", "--refresh-ms", "50", *words, **environment)
        show(terminal, "Memory")
        terminal.wait_for(r"^fill_cache +")
        if "pool_take" in terminal.screen():
            fail(f"a wrapper that was named has a row:\n{terminal.screen()}")
        terminal.keys("q")
        terminal.wait_left()
    end_program(program)


def plain_lines():
    """hotpath top has the same rows."""
    program = start()
    text = run(HOTPATH, "top", "--once", "hoarder")
    for name in ("load_config", "answer", "pool_take"):
        if not re.search(rf"^\| {name} ", text, re.MULTILINE):
            fail(f"top has no {name}:\n{text}")
    if "xmalloc" in text:
        fail(f"top has a row of a wrapper:\n{text}")
    end_program(program)


wrappers()
named_wrappers()
plain_lines()
finish()
