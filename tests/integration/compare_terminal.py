#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""At a terminal, hotpath compare shows how far it is, and ^C ends it, the program, and the line."""
import fcntl
import os
import pty
import signal
import struct
import sys
import tempfile
import termios
import threading
import time

HOTPATH = os.environ["HOTPATH"]
BASIC = os.environ["BUILD"] + "/examples/basic"
failed = 0


def fail(what):
    global failed
    print("FAILED:", what)
    failed = 1


class Terminal:
    """The tool in the foreground of a terminal of its own."""

    def __init__(self, *arguments, columns=80):
        ready, go = os.pipe()
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.close(go)
            os.read(ready, 1)
            os.execv(HOTPATH, [HOTPATH, "compare", *arguments])
        os.close(ready)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        # A terminal would throw away what we have not read when ^C is typed.
        modes = termios.tcgetattr(self.master)
        modes[3] |= termios.NOFLSH
        termios.tcsetattr(self.master, termios.TCSANOW, modes)
        os.close(go)
        self.text = ""

    def read_until(self, text=None):
        """Until there is this text, or no more."""
        while text is None or text not in self.text:
            try:
                part = os.read(self.master, 4096).decode()
            except OSError:
                break
            if not part:
                break
            self.text += part
        if text and text not in self.text:
            fail(f"no '{text}' in {self.text!r}")

    def wait(self):
        self.read_until()
        return os.waitpid(self.pid, 0)[1]

    def screen(self):
        """What stands in the line of the cursor at the end, and the longest there was in it."""
        line, longest = "", 0
        for part in self.text.replace("^C", "").split("\n")[-1].split("\r"):
            longest = max(longest, len(part.rstrip()))
            line = part + line[len(part):]
        return line.rstrip(), longest


def bar_is_drawn_and_taken_away():
    for columns in 30, 80, 200:
        terminal = Terminal("--runs", "3", "-o", "/dev/null", "--fail-on", "none", BASIC, BASIC, columns=columns)
        status = terminal.wait()
        if status != 0:
            fail(f"it ends with {status}: {terminal.text!r}")
        for what in "warm-up base  1/1", "warm-up head  1/1", "base  1/3", "head  3/3":
            if what not in terminal.text:
                fail(f"'{what}' is not shown in {terminal.text!r}")
        if columns >= 80 and ("[" not in terminal.text or "s left" not in terminal.text):
            fail(f"no bar: {terminal.text!r}")
        line, longest = terminal.screen()
        if line or longest >= columns:
            fail(f"{columns} columns: '{line}' is left, the longest line had {longest}")
        if "\n" in terminal.text:
            fail(f"more than one line: {terminal.text!r}")


def nothing_is_drawn_over_what_programs_print():
    terminal = Terminal("--runs", "1", "-o", "/dev/null", "--fail-on", "none", "--show-output",
                        f"echo printed; '{BASIC}'", BASIC)
    if terminal.wait() != 0 or "printed" not in terminal.text or "1/1" in terminal.text:
        fail(f"with --show-output: {terminal.text!r}")


def programs_have_no_terminal():
    """Whoever reads from a terminal in the background is stopped, and would be waited for in vain."""
    terminal = Terminal("--runs", "1", "--warmup", "0", "-o", "/dev/null", "--fail-on", "none",
                        f"read word < /dev/tty; '{BASIC}'", f"stty -echo < /dev/tty; '{BASIC}'")
    # Only one that waits needs to be told.
    despair = threading.Timer(30, os.kill, (terminal.pid, signal.SIGKILL))
    despair.start()
    status = terminal.wait()
    despair.cancel()
    if status != 0:
        fail(f"programs that want a terminal: it ends with {status}: {terminal.text!r}")


def type_until(master, done):
    while not done.is_set():
        try:
            os.write(master, b"\x03")
        except OSError:
            return
        done.wait(0.05)


def interrupted(program, folder):
    terminal = Terminal("--runs", "9", "--warmup", "0", BASIC, program)
    while not os.path.exists(folder + "/started"):
        time.sleep(0.01)
    # One that does not want to end has to the second time, and a signal that is still to be taken counts once.
    done = threading.Event()
    typist = threading.Thread(target=type_until, args=(terminal.master, done))
    typist.start()
    status = terminal.wait()
    done.set()
    typist.join()
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGINT:
        fail(f"^C: it ends with {status}: {terminal.text!r}")
    line, _ = terminal.screen()
    if line:
        fail(f"^C leaves '{line}'")
    if os.path.exists(folder + "/after") or os.listdir(os.environ["HOTPATH_DIR"]):
        fail(f"^C leaves {os.listdir(folder)}, {os.listdir(os.environ['HOTPATH_DIR'])}")
    os.remove(folder + "/started")


with tempfile.TemporaryDirectory() as work:
    os.environ["HOTPATH_DIR"] = work + "/segments"
    os.mkdir(os.environ["HOTPATH_DIR"], 0o700)
    os.environ["TERM"] = "xterm"
    bar_is_drawn_and_taken_away()
    nothing_is_drawn_over_what_programs_print()
    programs_have_no_terminal()
    # The program itself, and what a shell waits for.
    interrupted(f": > '{work}/started'; exec sleep 1000", work)
    interrupted(f": > '{work}/started'; sleep 1000; : > '{work}/after'", work)
    interrupted(f"trap '' INT; : > '{work}/started'; sleep 1000; : > '{work}/after'", work)
    sys.exit(failed)
