#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A run of several processes is one thing: the sum of all; one of them can be chosen, and left for the whole."""
import json
import os
import re
import signal
import subprocess

from terminal import (BUILD, HOTPATH, WORK, children, console, end_program, eventually, fail, finish, run,
                      start_program)

TICKER = os.path.join(BUILD, "tests/console/ticker")


class Run:
    """bash that starts tickers, one after the other as it is told; the one called gone ends at once."""

    nth = 0

    def __init__(self, tickers=("one", "two", "gone"), options=("--no-cpu",)):
        Run.nth += 1
        self.go = os.path.join(WORK, f"go{Run.nth}")
        self.pids = {}
        os.mkfifo(self.go)
        script = f'exec 3<> {self.go}; while read -r word <&3; do {TICKER} "$word" & echo $!; done'
        command = [HOTPATH, "run", *options, "--format", "none", "bash", "-c", script]
        self.child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        children.append(self.child)
        for word in tickers:
            self.start(word)
        if "gone" in tickers:
            self.stop("gone")

    def stop(self, word):
        os.kill(self.pids[word], signal.SIGTERM)
        eventually(lambda: has_ended(self.pids[word]))

    def start(self, word):
        with open(self.go, "w", encoding="utf-8") as file:
            file.write(word + "\n")
        for _ in range(2):
            line = self.child.stdout.readline().strip()
            if line != "begun":
                self.pids[word] = int(line)

    def name(self):
        return json.loads(run(HOTPATH, "list", "--json"))[0]["run"]

    def end(self):
        """All processes, and the shell last."""
        for word in self.pids:
            if not has_ended(self.pids[word]):
                self.stop(word)
        self.child.send_signal(signal.SIGTERM)
        self.child.wait()


def has_ended(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return " Z " in file.read()
    except (FileNotFoundError, ProcessLookupError):
        return True


def ticks(terminal):
    return int(terminal.wait_for(r"^tick +(\d+)").group(1))


def row_of(terminal, word):
    """Where a process is in the pane of processes, from 0 on."""
    lines = terminal.wait_for(rf"(?ms)^Process .*?ticker {word} ").group(0).split("\n")
    return len(lines) - 2


def choose(terminal, word):
    terminal.keys("g", *["j"] * row_of(terminal, word), "Enter")


def heading(terminal):
    """The first column of the table, by which panes differ."""
    return terminal.wait_for(r"^(Function|Thread|Process) ").group(1)


def show_processes(terminal):
    """The key leads to the tab, and there from pane to pane: each is waited for before it is pressed again."""
    while (before := heading(terminal)) != "Process":
        terminal.keys("3")
        if not eventually(lambda shown=before: heading(terminal) != shown):
            fail(f"the key 3 leads nowhere:\n{terminal.screen()}")
            return


def whole_and_parts():
    tickers = Run()
    terminal = console("--refresh-ms", "50")
    terminal.wait_for(r"^bash · 4 processes · .* Live")
    terminal.wait_for(r"^main +1 \+2 ")
    terminal.wait_for(r"^tick +\d+ \+2 +[1-9]\d* ")
    terminal.wait_for(r"^prepare +9 ")

    # A process: from the pane of processes, and back.
    show_processes(terminal)
    for word in ("one", "two", "gone"):
        terminal.wait_for(rf"^  ticker {word} +{tickers.pids[word]} ")
    choose(terminal, "two")
    terminal.wait_for(rf"^ticker · pid {tickers.pids['two']} .* Live")
    terminal.keys("1")
    terminal.wait_for(r"^main +0 \+1 ")
    terminal.wait_for(r"^Esc all processes ")
    terminal.keys("a")
    terminal.wait_for(r"^bash · 4 processes · .* Live")
    terminal.wait_for(r"^main +1 \+2 ")

    # One that has ended, left by Escape.
    show_processes(terminal)
    choose(terminal, "gone")
    terminal.wait_for(rf"^ticker · pid {tickers.pids['gone']} .* Ended")
    terminal.keys("1")
    terminal.wait_for(r"^prepare +3 ")
    terminal.keys("Escape")
    terminal.wait_for(r"^bash · 4 processes · .* Live")
    terminal.wait_for(r"^prepare +9 ")

    # The shell has measured nothing.
    show_processes(terminal)
    terminal.keys("g", "Enter")
    terminal.wait_for(r"^Process \d+ has recorded nothing\.$")
    terminal.wait_for(r"^bash · 4 processes · .* Live")

    # Another process becomes part of the sum.
    tickers.start("four")
    terminal.keys("1")
    terminal.wait_for(r"^bash · 5 processes · .* Live")
    terminal.wait_for(r"^main +1 \+3 ")
    details(terminal, tickers)

    tickers.end()
    terminal.wait_for(r"^bash · 5 processes · .* Ended")
    terminal.wait_for(r"^main +4 ")
    report = json.loads(run(HOTPATH, "report", "--format", "json"))
    calls = next(row["calls"] for row in report["functions_timing"]["data"] if row["name"] == "tick")
    if ticks(terminal) != calls:
        fail(f"the console has {ticks(terminal)} ticks, the report {calls}")
    saves(terminal, calls)
    terminal.keys("q")
    terminal.wait_left()

    # A run that has ended, by its name.
    terminal = console(tickers.name())
    terminal.wait_for(r"^bash · 5 processes · .* Ended")
    if ticks(terminal) != calls:
        fail(f"after its end, the console has {ticks(terminal)} ticks, the report {calls}")
    terminal.keys("q")
    terminal.wait_left()


def details(terminal, tickers):
    """Of a function, with the processes that call it. Its recent calls are known of one process."""
    terminal.keys("g", "j", "Enter")
    terminal.wait_for(r"^  Process +PID +Calls +Total")
    for word in ("one", "two", "gone", "four"):
        terminal.wait_for(rf"^  ticker +{tickers.pids[word]} +\d+ ")
    terminal.keys("o")
    terminal.wait_for("^That is known of one process")
    terminal.keys("Escape")
    terminal.wait_for(r"^Function ")


def saves(terminal, calls):
    """What is saved has all processes, and the report of each."""
    terminal.keys("w")
    terminal.wait_for("^save the report to: ")
    path = os.path.join(WORK, "saved.json")
    terminal.keys(*["BSpace"] * 60)
    terminal.type(path)
    terminal.keys("Enter")
    terminal.wait_for("^Saved; ")
    saved = json.loads(run(HOTPATH, "report", "--format", "json", path))
    found = next(row["calls"] for row in saved["functions_timing"]["data"] if row["name"] == "tick")
    # Short ones that are alike share a row.
    if found != calls or sum(row["processes"] for row in saved["process_tree"]["data"]) != 5:
        fail(f"{found} ticks were saved, and processes: {saved['process_tree']}")
    run(HOTPATH, "report", "--format", "none", "--process", "ticker", path)


def by_command_line():
    tickers = Run(("one", "two"))
    for words, header in ((("--process", str(tickers.pids["one"])), f"ticker · pid {tickers.pids['one']} "),
                          (("--process=3",), rf"ticker · pid {tickers.pids['two']} "),
                          (("--process", "ticker"), "ticker · 2 processes "),
                          ((tickers.name(), "--process", "2"), f"ticker · pid {tickers.pids['one']} "),
                          ((tickers.name(),), "bash · 3 processes ")):
        terminal = console("--refresh-ms", "50", *words)
        terminal.wait_for(rf"^{header}.* Live")
        terminal.wait_for(r"^tick +\d+ \+[12] +[1-9]\d* ")
        terminal.keys("a")
        terminal.wait_for(r"^bash · 3 processes · .* Live")
        terminal.keys("q")
        terminal.wait_left()
    for word in ("nothing", "99"):
        terminal = console("--process", word)
        terminal.wait_left(2)
        if f"no process '{word}' in this run" not in terminal.file("stderr"):
            fail(f"--process {word}: {terminal.file('stderr')}")
    tickers.end()
    terminal = console("--process", "ticker")
    terminal.wait_left(2)
    if "no measured program is running" not in terminal.file("stderr"):
        fail(f"nothing runs: {terminal.file('stderr')}")


def becomes_a_run():
    """It begins with one process, and is a run when there is another. A process that was named stays alone."""
    tickers = Run(("one",))
    alone = console(str(tickers.pids["one"]), "--refresh-ms", "50")
    terminal = console("--refresh-ms", "50")
    terminal.wait_for(rf"^ticker · pid {tickers.pids['one']} .* Live")
    terminal.keys("a")
    terminal.wait_for("^It is the only process of its run")
    tickers.start("two")
    terminal.wait_for(r"^bash · 3 processes · .* Live")
    terminal.wait_for(r"^main +0 \+2 ")
    alone.wait_for(rf"^ticker · pid {tickers.pids['one']} .* Live")
    alone.keys("a")
    alone.wait_for(r"^bash · 3 processes · .* Live")
    alone.keys("q")
    alone.wait_left()
    # All others are stopped: there is nothing new.
    for word in ("one", "two"):
        os.kill(tickers.pids[word], signal.SIGSTOP)
    terminal.wait_for(r"^bash · 3 processes · .* Stale \(")
    for word in ("one", "two"):
        os.kill(tickers.pids[word], signal.SIGCONT)
    terminal.wait_for(r"^bash · 3 processes · .* Live")
    tickers.end()
    terminal.wait_for("· Ended ·")
    # Another run of the same program.
    again = Run(("one", "two"))
    terminal.wait_for(r"^bash · 3 processes · .* Live")
    terminal.wait_for(r"^main +0 \+2 ")
    again.end()
    terminal.keys("q")
    terminal.wait_left()


def named_stays():
    """A run that was named is not left for the next one, also after a process was chosen and left."""
    tickers = Run(("one", "two"))
    named, other = console(tickers.name(), "--refresh-ms", "50"), console("--refresh-ms", "50")
    for terminal in (named, other):
        terminal.wait_for(r"^bash · 3 processes · .* Live")
    show_processes(named)
    choose(named, "two")
    named.wait_for(rf"^ticker · pid {tickers.pids['two']} .* Live")
    named.keys("a")
    named.wait_for(r"^bash · 3 processes · .* Live")
    tickers.end()
    named.wait_for("· Ended ·")
    other.wait_for("· Ended ·")
    again = Run(("one", "two", "three"))
    other.wait_for(r"^bash · 4 processes · .* Live")
    # It has looked for another run by then.
    begin = ticks(other)
    eventually(lambda: ticks(other) > begin + 2000)
    named.wait_for(r"^bash · 3 processes · .* Ended")
    again.end()
    for terminal in (named, other):
        terminal.keys("q")
        terminal.wait_left()


def by_its_first_process():
    """The process that a run began with stands for it, by its number, its name or its path; its segment does not."""
    tickers = Run(("one", "two"), ("--no-cpu", "--alloc"))
    first = next(row for row in json.loads(run(HOTPATH, "list", "--json")) if row["program"] == "bash" and row["live"])
    for name in (str(first["pid"]), "bash", os.path.realpath(f"/proc/{first['pid']}/exe")):
        terminal = console(name, "--refresh-ms", "50")
        terminal.wait_for(r"^bash · \d processes · .* Live")
        terminal.wait_for(r"^main +0 \+2 ")
        terminal.keys("q")
        terminal.wait_left()
    terminal = console(first["path"])
    terminal.wait_for(rf"^bash · pid {first['pid']} · .* Live")
    terminal.keys("q")
    terminal.wait_left()
    tickers.end()


def in_the_list():
    """A run is one row, beside programs that are none."""
    tickers = Run(("one", "two"))
    alone = start_program(arguments=["alone"])
    terminal = console("--refresh-ms", "50")
    terminal.wait_for(rf"^ticker · pid {alone.pid} .* Live")
    terminal.keys("c")
    terminal.wait_for(r"^ticker (one|two) \(run of 2 processes\) +\d+ ")
    terminal.wait_for(rf"^ticker alone +{alone.pid} ")
    if len(re.findall("^ticker (?:one|two)", terminal.screen(), re.MULTILINE)) != 1:
        fail(f"another process of the run is a row, too:\n{terminal.screen()}")
    terminal.click_on("run of 2 processes")
    terminal.wait_for(r"^bash · 3 processes · .* Live")
    terminal.keys("q")
    terminal.wait_left()
    end_program(alone)
    tickers.end()


whole_and_parts()
by_command_line()
becomes_a_run()
named_stays()
by_its_first_process()
in_the_list()
finish()
