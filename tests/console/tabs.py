#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every tab with what was recorded, and without; details, calls and help; in windows from small to large."""
from terminal import console, figures, finish

ALL = figures("all")


def every_tab():
    terminal = console(ALL)
    for key, name in ((None, "timing"), ("1", "tree"), ("1", "memory"), ("1", "live"), ("1", "cpu"), ("1", "bottlenecks"),
                      ("1", "timing"), ("2", "data_flow"),
                      ("3", "threads"), ("4", "debug"), ("Tab", "timing"), ("BTab", "debug"), ("?", "help"), ("Escape", "debug"),
                      ("1", "timing")):
        if key:
            terminal.keys(key)
        terminal.wait_screen(name)
    terminal.keys("q")
    terminal.wait_left()


def data_flow():
    """The panes in turn; of each row its details, and what was logged of it."""
    terminal = console(figures("flows"))
    terminal.wait_for("^main")
    for key, name in (("2", "channels"), ("2", "latency"), ("2", "streams"), ("2", "futures"), ("2", "loops"),
                      ("Tab", "locks"), ("Tab", "lock_waits"), ("Tab", "waits"), ("Tab", "io"), ("2", "channels"), ("4", "values")):
        terminal.keys(key)
        terminal.wait_screen("flow_" + name)
    terminal.keys("o")
    terminal.wait_screen("flow_values_log")
    terminal.keys("2", "o")
    terminal.wait_screen("flow_channels_log")
    terminal.keys("i")
    terminal.wait_screen("flow_channels_details")
    terminal.keys("G")
    terminal.wait_screen("flow_channels_details_end")
    # Words are not logged.
    terminal.keys("Escape", "j", "o")
    terminal.wait_screen("flow_channels_log_none")
    # Back to where it began, and on.
    terminal.keys("2", "2", "2", "Enter")
    terminal.wait_screen("flow_streams_details")
    terminal.keys("Escape", "2", "o")
    terminal.wait_screen("flow_futures_log")
    # A loop has no log.
    terminal.keys("Escape", "2", "o")
    terminal.wait_screen("flow_loops")
    terminal.keys("Enter")
    terminal.wait_screen("flow_loops_details")
    terminal.keys("2", "BTab", "o")
    terminal.resize("40x10")
    terminal.wait_screen("flow_futures_log_small")
    terminal.keys("Escape", "4")
    terminal.wait_screen("flow_values_small")


def names_in_another_column():
    """Filters and sorts by what is not the first column."""
    terminal = console(figures("flows"))
    terminal.wait_for("^main")
    terminal.keys("4")
    terminal.wait_for("depth . 2")
    terminal.keys("/", "l", "o", "a", "Enter")
    terminal.wait_gone("depth . 2")
    terminal.wait_for("gauge +load")
    terminal.keys("Escape", "s")
    terminal.wait_for("Sorted by Type")
    terminal.keys("s")
    terminal.wait_for("Sorted by Key/Expr")


def without_data():
    """How it is recorded stands in its place."""
    terminal = console(figures("none"))
    for key, name in ((None, "none_timing"), ("1", "none_tree"), ("1", "none_memory"), ("1", "none_live"), ("1", "none_cpu"),
                      ("1", "none_bottlenecks"), ("2", "none_data_flow"), ("3", "none_threads"), ("4", "none_debug")):
        if key:
            terminal.keys(key)
        terminal.wait_screen(name)
    # There is nothing to be looked at more closely.
    terminal.keys("1", "Enter", "o", "s", "r", "j", "G")
    terminal.wait_screen("none_timing")


def one_function():
    terminal = console(ALL)
    terminal.wait_for("^look_up")
    terminal.keys("j", "j", "j", "Enter")
    terminal.wait_screen("details")
    terminal.keys("o")
    terminal.wait_screen("calls")
    terminal.keys("i")
    terminal.wait_screen("details")
    terminal.keys("G")
    terminal.wait_screen("details_end")
    terminal.keys("Escape", "G", "k", "o")
    terminal.wait_screen("calls_values")
    terminal.keys("G")
    terminal.wait_screen("calls_end")
    terminal.keys("Escape", "g", "i")
    terminal.wait_screen("details_open")
    terminal.keys("o")
    terminal.wait_screen("calls_none")


def sizes():
    terminal = console(ALL)
    terminal.wait_screen("timing")
    for size, name in (("200x50", "wide"), ("40x10", "small"), ("39x10", "too_small"), ("40x9", "too_small"),
                       ("5x2", "tiny"), ("80x24", "timing")):
        terminal.resize(size)
        terminal.wait_screen(name)
    terminal.keys("?")
    terminal.resize("40x10")
    terminal.wait_screen("small_help")
    terminal.keys("G")
    terminal.wait_screen("small_help_end")
    terminal.keys("Escape", "i")
    terminal.wait_screen("small_details")
    terminal.resize("200x50")
    terminal.keys("Escape", "j", "i")
    terminal.wait_screen("wide_details")
    terminal.keys("Escape", "q")
    terminal.wait_left()


every_tab()
data_flow()
names_in_another_column()
without_data()
one_function()
sizes()
finish()
