# SPDX-License-Identifier: MIT
"""A terminal to test the console in: a tmux server of its own, keys in, screens out.

A test is a script that imports this, and ends with finish(). Its functions look at what a person would see; they
wait for it, and complain when it does not come. $HOTPATH is the tool, $BUILD the build folder.

Whole screens are in screens/NAME.txt. SCREENS=write makes them anew, to be looked at before they are kept.
"""
import atexit
import difflib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HOTPATH = os.environ["HOTPATH"]
BUILD = os.environ["BUILD"]
WORK = tempfile.mkdtemp(prefix="hotpath-")
SEGMENTS = os.path.join(WORK, "segments")
# How long to wait for what must come. It usually takes some milliseconds.
PATIENCE = 20

# Terminals in which what was there before is lost.
NO_OTHER_SCREEN = ("linux", "vt100")

failures = []
# What was started and has to go at the end: programs, and tmux servers.
children = []
terminals = []


def fail(what):
    print("FAILED:", what, flush=True)
    failures.append(what)


def clean_up():
    for terminal in terminals:
        terminal.close()
    for child in children:
        if child.poll() is None:
            child.kill()
            child.wait()
    shutil.rmtree(WORK, ignore_errors=True)


def finish():
    sys.exit(1 if failures else 0)


def eventually(look, seconds=PATIENCE):
    """What look() returns, as soon as that is something; or else the last nothing."""
    end = time.monotonic() + seconds
    while True:
        found = look()
        if found or time.monotonic() > end:
            return found
        time.sleep(0.02)


def run(*command, **more):
    """Run to the end, and return its standard output."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def figures(what):
    """A segment whose figures are always the same."""
    path = os.path.join(WORK, what + ".seg")
    run(os.path.join(BUILD, "tests/console/figures"), what, path)
    return path


def start_program(name="ticker", arguments=()):
    """A measured program that says when it has begun."""
    command = [os.path.join(BUILD, "tests/console", name), *arguments]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"HOTPATH_OUTPUT_FORMAT": "none"})
    children.append(child)
    child.stdout.readline()
    return child


def end_program(child, how=signal.SIGTERM):
    child.send_signal(how)
    child.wait()


class Terminal:
    """A shell in tmux that runs one command, and then waits."""

    def __init__(self, command, size="80x24", term="xterm-256color", **environment):
        """Leaves modes before and after, and the status, in files; says "left" at the end."""
        self.columns, self.lines = map(int, size.split("x"))
        self.term = term
        self.folder = tempfile.mkdtemp(dir=WORK)
        self.socket = os.path.join(self.folder, "tmux")
        variables = {"TERM": term, "LC_ALL": "C.UTF-8"} | environment
        settings = [f"{name}={value}" for name, value in variables.items() if value is not None]
        unset = [word for name, value in variables.items() if value is None for word in ("-u", name)]
        line = shlex.join(["env", *unset, *settings, *command])
        script = (f"trap : INT QUIT HUP; cd {self.folder}; stty -g > before; echo at the shell; {line} 2> stderr; "
                  "echo $? > status; stty -g > after; echo left; exec sleep 1000")
        terminals.append(self)
        self.tmux("new-session", "-d", "-x", str(self.columns), "-y", str(self.lines), "sh", "-c", script,
                  ";", "set", "-g", "window-size", "manual", ";", "set", "-g", "status", "off",
                  ";", "set", "-s", "escape-time", "0")

    def tmux(self, *command):
        environment = os.environ | {"LC_ALL": "C.UTF-8"}
        done = subprocess.run(["tmux", "-u", "-S", self.socket, "-f", "/dev/null", *command], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        return done.stdout.decode()

    def close(self):
        self.tmux("kill-server")

    # ---- what a person does ----

    def keys(self, *keys):
        """By their names in tmux; anything else is typed as it is."""
        self.tmux("send-keys", *keys)

    def type(self, text):
        self.tmux("send-keys", "-l", "--", text)

    def bytes(self, sequence):
        self.tmux("send-keys", "-H", *[f"{byte:02x}" for byte in sequence.encode()])

    def click(self, column, line, button=0):
        """Columns and lines from 0 on; the wheel is buttons 64 and 65."""
        self.bytes(f"\x1b[<{button};{column + 1};{line + 1}M\x1b[<{button};{column + 1};{line + 1}m")

    def click_on(self, text):
        for line, content in enumerate(self.screen().split("\n")):
            if text in content:
                self.click(content.index(text), line)
                return
        fail(f"nothing to click on: {text}")

    def resize(self, size):
        self.columns, self.lines = map(int, size.split("x"))
        self.tmux("resize-window", "-x", str(self.columns), "-y", str(self.lines))

    # ---- what a person sees ----

    def screen(self, *how):
        lines = self.tmux("capture-pane", "-p", *how).split("\n")
        return "\n".join(line.rstrip() for line in lines).rstrip("\n")

    def flag(self, name):
        return self.tmux("display-message", "-p", "#{" + name + "}").strip()

    def pid(self):
        """Of the command that runs."""
        shell = self.flag("pane_pid")

        def child():
            with open(f"/proc/{shell}/task/{shell}/children", encoding="utf-8") as file:
                return file.read().split()
        return int(eventually(child)[0])

    def wait_for(self, pattern, seconds=PATIENCE):
        """A regular expression, over lines. Returns what it matched; says so when it does not come."""
        found = eventually(lambda: re.search(pattern, self.screen(), re.MULTILINE), seconds)
        if not found:
            fail(f"'{pattern}' is not to be seen:\n{self.screen()}")
        return found

    def wait_gone(self, pattern):
        if not eventually(lambda: not re.search(pattern, self.screen(), re.MULTILINE)):
            fail(f"'{pattern}' is still to be seen:\n{self.screen()}")

    def wait_screen(self, name, *variable):
        """The whole screen, where all that matches one of the (pattern, word) pairs is that word."""
        path = os.path.join(HERE, "screens", name + ".txt")
        if os.environ.get("SCREENS") == "write":
            self.write_screen(path, variable)
            return
        with open(path, encoding="utf-8") as file:
            wanted = file.read().rstrip("\n")
        if not eventually(lambda: self.settled(variable) == wanted):
            lines = difflib.unified_diff(wanted.split("\n"), self.settled(variable).split("\n"), name,
                                         "the screen", lineterm="")
            fail("\n".join(lines))

    def settled(self, variable):
        screen = self.screen()
        for pattern, word in variable:
            screen = re.sub(pattern, word, screen)
        return screen

    def write_screen(self, path, variable):
        before = None
        while before != self.settled(variable):
            before = self.settled(variable)
            time.sleep(0.8)
        with open(path, "w", encoding="utf-8") as file:
            file.write(before + "\n")

    # ---- how it ended ----

    def file(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return ""
        with open(path, encoding="utf-8") as file:
            return file.read()

    def wait_left(self, status=0):
        """The command has ended, and the terminal is as it was found; or the shell has a line of its own."""
        self.wait_for("^left$")
        if self.file("status").strip() != str(status):
            fail(f"it ends with {self.file('status').strip()}, not {status}")
        if self.file("before") != self.file("after"):
            fail(f"modes were {self.file('before')} and are {self.file('after')}")
        if self.term not in NO_OTHER_SCREEN and not self.screen().startswith("at the shell\n"):
            fail(f"the old screen is not back:\n{self.screen()}")
        for flag, wanted in (("cursor_flag", "1"), ("alternate_on", "0"), ("mouse_any_flag", "0"),
                             ("keypad_flag", "0"), ("keypad_cursor_flag", "0")):
            if self.flag(flag) != wanted:
                fail(f"{flag} is {self.flag(flag)}")


def console(*arguments, **more):
    return Terminal([HOTPATH, "console", *arguments], **more)


atexit.register(clean_up)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
os.mkdir(SEGMENTS, 0o700)
for variable in [name for name in os.environ if name.startswith("HOTPATH_") or name in ("NO_COLOR", "TMUX")]:
    del os.environ[variable]
os.environ["HOTPATH_DIR"] = SEGMENTS
if not shutil.which("tmux"):
    print("tmux is not installed")
    sys.exit(77)
