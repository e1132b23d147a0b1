#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows in the order and the choice that the user wants, by keys and by the mouse."""
import re

from terminal import console, eventually, fail, figures, finish

ALL = figures("all")
NAMES = ("main", "parse_document", "compress_block", "read_block", "write_index", "parse_element", "größe_prüfen",
         "look_up", "a_function")


def rows(terminal):
    """The first letters of names, from top to bottom."""
    return [name for line in terminal.screen().split("\n") for name in NAMES if line.startswith(name)]


def wait_rows(terminal, *wanted):
    if not eventually(lambda: rows(terminal) == list(wanted)):
        fail(f"{rows(terminal)} and not {wanted}:\n{terminal.screen()}")


def wait_chosen(terminal, name):
    """The row that is drawn in reverse."""
    def chosen():
        return re.search("\x1b\\[[0-9;]*7m(\x1b\\[[0-9;]*m)*" + name, terminal.screen("-e"))
    if not eventually(chosen):
        fail(f"{name} is not chosen:\n{terminal.screen('-e')}")


BY_TOTAL = ("main", "parse_document", "compress_block", "read_block", "write_index", "parse_element",
            "größe_prüfen", "look_up", "a_function")
BY_CALLS = ("parse_element", "read_block", "look_up", "compress_block", "parse_document", "größe_prüfen",
            "a_function", "write_index", "main")


def sorts_by_keys():
    terminal = console(ALL)
    wait_rows(terminal, *BY_TOTAL)
    terminal.keys("r")
    wait_rows(terminal, *reversed(BY_TOTAL))
    terminal.keys("r", "h", "h", "h")
    terminal.wait_for("^Sorted by Calls\\.$")
    wait_rows(terminal, *BY_CALLS)
    terminal.wait_screen("sorted_by_calls")
    terminal.keys("s", "Left", "r")
    wait_rows(terminal, *reversed(BY_CALLS))
    # By name, and round to the last column again.
    terminal.keys("h")
    terminal.wait_for("^Sorted by Function\\.$")
    wait_rows(terminal, *sorted(BY_TOTAL))
    terminal.keys("h")
    terminal.wait_for("^Sorted by % Total\\.$")


def sorts_by_clicks():
    terminal = console(ALL)
    wait_rows(terminal, *BY_TOTAL)
    terminal.click_on("Calls ")
    wait_rows(terminal, *BY_CALLS)
    terminal.click_on("Calls ")
    wait_rows(terminal, *reversed(BY_CALLS))
    terminal.click_on("Total ")
    wait_rows(terminal, *BY_TOTAL)
    terminal.click_on("2 Data flow")
    terminal.wait_screen("data_flow")
    terminal.click_on("1 Functions")
    wait_rows(terminal, *BY_TOTAL)
    terminal.click_on("1 Functions")
    terminal.wait_screen("tree")
    terminal.click_on("1 Functions")
    terminal.wait_screen("memory")


def selects_by_mouse():
    terminal = console(ALL)
    wait_chosen(terminal, "main")
    terminal.click_on("read_block")
    wait_chosen(terminal, "read_block")
    terminal.click(2, 3, button=65)
    wait_chosen(terminal, "größe_prüfen")
    terminal.click(2, 3, button=64)
    wait_chosen(terminal, "read_block")
    # Again on the row that is chosen; and below the last.
    terminal.click(0, 20)
    terminal.click_on("read_block")
    terminal.wait_screen("details")
    terminal.keys("Escape")
    terminal.keys("G")
    wait_chosen(terminal, "a_function")
    terminal.keys("g")
    wait_chosen(terminal, "main")
    terminal.keys("PageDown")
    wait_chosen(terminal, "a_function")
    terminal.keys("Up")
    wait_chosen(terminal, "look_up")


def filters():
    terminal = console(ALL)
    wait_rows(terminal, *BY_TOTAL)
    terminal.keys("/")
    terminal.wait_for("^filter: _$")
    terminal.type("bl")
    wait_rows(terminal, "compress_block", "read_block")
    terminal.wait_screen("filter_typed")
    terminal.keys("BSpace", "BSpace")
    wait_rows(terminal, *BY_TOTAL)
    terminal.type("größ")
    wait_rows(terminal, "größe_prüfen")
    terminal.keys("C-u")
    # A pattern that is not finished; and one that is.
    terminal.type("/^(parse")
    terminal.wait_for("^filter: /\\^\\(parse_$")
    terminal.type("|look).*[pt]$/")
    wait_rows(terminal, "parse_document", "parse_element", "look_up")
    terminal.keys("Enter")
    terminal.wait_screen("filtered")
    terminal.keys("1", "1")
    wait_rows(terminal, "parse_element", "parse_document", "look_up")
    terminal.keys("Escape")
    terminal.wait_screen("memory")
    terminal.keys("/")
    terminal.type("nowhere")
    terminal.wait_for("Nothing matches the filter\\.")
    terminal.keys("Enter", "Enter", "o")
    terminal.wait_screen("filtered_out")
    # Nothing is left out by what cannot be a pattern, and the user hears why.
    terminal.keys("Escape", "/")
    terminal.type("/(parse/")
    terminal.keys("Enter")
    terminal.wait_for("^'/\\(parse/' is not a valid regular expression: ")
    terminal.wait_screen("filter_refused")
    terminal.keys("Escape", "/")
    terminal.type("main")
    wait_rows(terminal, "main")
    # Given up while it is typed.
    terminal.keys("Escape")
    terminal.wait_screen("memory")
    terminal.keys("q")
    terminal.wait_left()


def long_lists_scroll():
    terminal = console(ALL, size="40x10")
    wait_rows(terminal, *BY_TOTAL[:6])
    terminal.keys("G")
    wait_rows(terminal, *BY_TOTAL[3:])
    wait_chosen(terminal, "a_function")
    terminal.keys("k", "k", "k", "k", "k", "k")
    wait_rows(terminal, *BY_TOTAL[2:8])
    terminal.resize("80x24")
    wait_rows(terminal, *BY_TOTAL)
    wait_chosen(terminal, "compress_block")


sorts_by_keys()
sorts_by_clicks()
selects_by_mouse()
filters()
long_lists_scroll()
finish()
