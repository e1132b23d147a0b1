#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What terminals can do differs: colours, characters, keys."""
import re

from terminal import console, eventually, fail, figures, finish

ALL = figures("all")
# Foreground colours, of 8 or of 256.
COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-7]|38;5;\d+)(?:;[0-9;]*)?m")


def same_text():
    """The same picture everywhere; the keys work, and all is left as it was."""
    for term, coloured in (("xterm-256color", True), ("screen-256color", True), ("tmux-256color", True),
                           ("linux", True), ("vt100", False)):
        terminal = console(ALL, term=term)
        terminal.wait_screen("timing")
        check_colour(terminal, term, coloured)
        terminal.keys("1", "1")
        terminal.wait_screen("memory")
        terminal.keys("q")
        terminal.wait_left()


def check_colour(terminal, name, wanted):
    if bool(COLOUR.search(terminal.screen("-e"))) != wanted:
        fail(f"{name}: colours {'are missing' if wanted else 'where there should be none'}:\n"
             f"{terminal.screen('-e')!r}")


def no_color():
    """What is chosen is still to be seen."""
    terminal = console(ALL, NO_COLOR="1")
    terminal.wait_screen("timing")
    check_colour(terminal, "NO_COLOR", False)
    if not eventually(lambda: "\x1b[7m" in terminal.screen("-e")):
        fail("nothing is chosen")
    # An empty one does not count, as https://no-color.org has it.
    terminal = console(ALL, NO_COLOR="")
    terminal.wait_screen("timing")
    check_colour(terminal, "empty NO_COLOR", True)


def ascii_alone():
    terminal = console(ALL, LC_ALL="C")
    for keys, name in (((), "ascii_timing"), (("?",), "ascii_help"), (("Escape", "j", "j", "j", "i"), "ascii_details"),
                       (("Escape", "G", "k", "o"), "ascii_calls"), (("Escape", "1"), "ascii_tree")):
        terminal.keys(*keys)
        terminal.wait_screen(name)
        if not terminal.screen().isascii():
            fail(f"{name} is not ASCII")
    terminal.keys("q")
    terminal.wait_left()


def old_mouse():
    """Terminals that send clicks in the old way."""
    terminal = console(ALL, term="screen-256color")
    terminal.wait_screen("timing")
    terminal.bytes("\x1b[M " + chr(33 + 24) + chr(33 + 1))
    terminal.wait_screen("data_flow")
    terminal.keys("q")
    terminal.wait_left()


same_text()
no_color()
ascii_alone()
old_mouse()
finish()
