#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""At a terminal, ^C reaches the program once and the report still comes; ^Z stops both."""
import os
import pty
import signal
import subprocess
import sys
import tempfile
import time

HOTPATH = os.environ["HOTPATH"]
failed = 0


def fail(what):
    global failed
    print("FAILED:", what)
    failed = 1


class Terminal:
    """The tool in the foreground of a terminal of its own, running a shell script."""

    def __init__(self, script):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execv(HOTPATH, [HOTPATH, "run", "--", "sh", "-c", script])
        self.text = ""

    def read_until(self, text, seconds=10):
        end = time.monotonic() + seconds
        while text not in self.text and time.monotonic() < end:
            try:
                self.text += os.read(self.master, 4096).decode()
            except OSError:
                break
        if text not in self.text:
            fail(f"no '{text}' in {self.text!r}")

    def type(self, keys):
        os.write(self.master, keys)

    def wait(self, options=0, seconds=10):
        """The wait status; None after a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, options | os.WNOHANG)
            if pid:
                return status
            time.sleep(0.01)
        fail(f"waited in vain: {self.text!r}")
        os.kill(self.pid, signal.SIGKILL)
        return None


def interrupt_is_counted_once():
    terminal = Terminal("n=0; trap 'n=$((n+1))' INT; echo ready; "
                        "sleep 0.4; sleep 0.4; echo count=$n; exit 7")
    terminal.read_until("ready")
    terminal.type(b"\x03")
    terminal.read_until("count=")
    terminal.read_until("[hotpath]")
    status = terminal.wait()
    if "count=1" not in terminal.text or os.WEXITSTATUS(status) != 7:
        fail(f"^C: {terminal.text!r}, {status}")


def interrupt_ends_both_after_the_report():
    terminal = Terminal("echo ready; exec sleep 60")
    terminal.read_until("ready")
    terminal.type(b"\x03")
    terminal.read_until("[hotpath]")
    terminal.read_until("killed by SIGINT")
    status = terminal.wait()
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGINT:
        fail(f"^C: the tool ends with {status}")


def stop_stops_both():
    """Started as a shell would: in a group of its own, which is in the foreground."""
    script = ("echo ready; sleep 0.3; echo over")
    pid, master = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            os.tcsetpgrp(0, os.getpid())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            os.execv(HOTPATH, [HOTPATH, "run", "--format", "none", "sh", "-c", script])
        _, status = os.waitpid(child, os.WUNTRACED)
        print("stopped" if os.WIFSTOPPED(status) else f"status {status}", flush=True)
        os.killpg(child, signal.SIGCONT)
        _, status = os.waitpid(child, 0)
        print("ended", status, flush=True)
        os._exit(0)
    terminal = Terminal.__new__(Terminal)
    terminal.pid, terminal.master, terminal.text = pid, master, ""
    terminal.read_until("ready")
    terminal.type(b"\x1a")
    terminal.read_until("stopped")
    terminal.read_until("over")
    terminal.read_until("ended 0")
    terminal.wait()


def colour_is_for_terminals():
    environment = {"TERM": "xterm"}
    for extra, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        os.environ.pop("NO_COLOR", None)
        os.environ.update(environment, **extra)
        terminal = Terminal("exit 0")
        terminal.read_until("[hotpath]")
        terminal.wait()
        if ("\x1b[" in terminal.text) != coloured:
            fail(f"{extra}: {terminal.text!r}")
    os.environ.pop("NO_COLOR", None)
    os.environ["TERM"] = "xterm"
    done = subprocess.run([HOTPATH, "run", "true"], stderr=subprocess.PIPE, check=False)
    if b"\x1b" in done.stderr:
        fail(f"colour in a pipe: {done.stderr!r}")


with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o700)
    os.environ["HOTPATH_DIR"] = folder
    for name in list(os.environ):
        if name.startswith("HOTPATH_") and name != "HOTPATH_DIR":
            del os.environ[name]
    interrupt_is_counted_once()
    interrupt_ends_both_after_the_report()
    stop_stops_both()
    colour_is_for_terminals()
sys.exit(failed)
