#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that runs: its figures move, stop on demand, and stay when it has ended."""
import os
import re
import signal
import subprocess

from terminal import BUILD, SEGMENTS, WORK, console, end_program, eventually, fail, finish, run, start_program, HOTPATH



def ticks(terminal):
    found = re.search(r"^tick +(\d+)", terminal.screen(), re.MULTILINE)
    return int(found.group(1)) if found else 0


def wait_more(terminal, than):
    if not eventually(lambda: ticks(terminal) > than):
        fail(f"no more than {than} calls:\n{terminal.screen()}")


def pauses():
    program = start_program()
    terminal = console(str(program.pid), "--refresh-ms", "50")
    terminal.wait_for(rf"^ticker · pid {program.pid} · up 00:00:\d\d · Live · 50 ms · cost ")
    terminal.wait_for(r"^prepare +3 ")
    wait_more(terminal, ticks(terminal))
    terminal.keys("p")
    terminal.wait_for("· Paused ·")
    before = ticks(terminal)
    # It has been called again and again since, as another reader sees.
    if not eventually(lambda: calls_by_report(program.pid) > before + 100):
        fail("the ticker does not tick")
    terminal.keys("-")
    terminal.wait_for("· 100 ms ·")
    if ticks(terminal) != before:
        fail(f"{before} calls became {ticks(terminal)} while it paused")
    terminal.keys("p")
    terminal.wait_for("· Live ·")
    wait_more(terminal, before + 100)
    keep(terminal, program)


def calls_by_report(pid):
    report = run(HOTPATH, "report", "--format", "json", str(pid))
    found = re.search(r'"name":"tick"[^}]*?"calls":(\d+)', report)
    return int(found.group(1)) if found else 0


def keep(terminal, program):
    """What there is at the end stays, and is what a report says."""
    terminal.wait_for(r"^tick +\d+ .* [1-9]")
    end_program(program)
    terminal.wait_for("· Ended ·")
    if ticks(terminal) != calls_by_report(program.pid):
        fail(f"{calls_by_report(program.pid)} calls at the end:\n{terminal.screen()}")
    terminal.keys("j", "i")
    terminal.wait_for(r"^tick$")
    terminal.wait_for(r"calls \d+  in progress 0")
    terminal.keys("q")
    terminal.wait_left()


def refresh_interval():
    program = start_program()
    terminal = console(str(program.pid))
    terminal.wait_for("· 500 ms ·")
    for keys, shown in (("+", "200"), ("+", "100"), ("+++", "50"), ("-", "100"), ("-" * 12, "60000"), ("+", "30000")):
        terminal.type(keys)
        terminal.wait_for(f"· {shown} ms ·")
    end_program(program)
    # However long the interval is, a key is obeyed at once.
    terminal.keys("q")
    terminal.wait_left()


def goes_on():
    """How often functions are called lately; and what the threads do, as the kernel has it."""
    program = start_program()
    terminal = console(str(program.pid), "--refresh-ms", "50", size="120x24")
    terminal.wait_for(r"^tick +\d+ \+1 +[1-9]\d* .* [▁-▇]+$")
    terminal.wait_for(r"^prepare +3 +0 ")
    terminal.keys("3")
    with open(f"/proc/{program.pid}/comm", encoding="utf-8") as file:
        terminal.wait_for(rf"^{file.read().strip()} +{program.pid} +(Sleeping|Running) ")
    end_program(program)
    terminal.wait_for(rf"^ticker +{program.pid} +Ended ")


def killed():
    program = start_program()
    terminal = console(str(program.pid), "--refresh-ms", "50")
    wait_more(terminal, 10)
    end_program(program, signal.SIGKILL)
    terminal.wait_for("· Ended ·")
    if not ticks(terminal):
        fail(f"the last picture is gone:\n{terminal.screen()}")
    terminal.keys("q")
    terminal.wait_left()


def restarted():
    first = start_program()
    terminal = console("ticker", "--refresh-ms", "50")
    terminal.wait_for(f"pid {first.pid} .* Live")
    end_program(first)
    terminal.wait_for(f"pid {first.pid} .* Ended")
    second = start_program()
    terminal.wait_for(f"pid {second.pid} .* Live")
    terminal.wait_for(f"^The program was started again: pid {second.pid}\\.$")
    wait_more(terminal, ticks(terminal))
    end_program(second)
    terminal.wait_for(f"pid {second.pid} .* Ended")
    terminal.keys("q")
    terminal.wait_left()


def stopped():
    """A program that stands still has a picture that is old."""
    program = start_program()
    terminal = console(str(program.pid), "--refresh-ms", "50")
    wait_more(terminal, 10)
    program.send_signal(signal.SIGSTOP)
    terminal.wait_for(r"· Stale \(\d+ s\) ·")
    program.send_signal(signal.SIGCONT)
    terminal.wait_for("· Live ·")
    end_program(program)


def saves():
    program = start_program()
    terminal = console(str(program.pid))
    wait_more(terminal, 10)
    terminal.keys("w")
    terminal.wait_for(f"^save the report to: hotpath-ticker-{program.pid}.json_$")
    terminal.keys("C-u")
    terminal.type(WORK + "/saved.json")
    terminal.keys("Enter")
    terminal.wait_for("^Saved; 'hotpath report ")
    if not re.search(r"^\| tick +\| +\d+", run(HOTPATH, "report", WORK + "/saved.json"), re.MULTILINE):
        fail("a report that was saved has no calls")
    cannot_save(terminal)
    # Given up.
    terminal.keys("w", "Escape")
    terminal.wait_for("^s sort ")
    terminal.keys("q")
    terminal.wait_left()
    if os.listdir(terminal.folder) != [name for name in os.listdir(terminal.folder) if "json" not in name]:
        fail("a report was saved that was not wanted")
    end_program(program)


def cannot_save(terminal):
    """It says so, and goes on. Nobody reads the pipe; and the terminal is in use."""
    os.mkfifo(WORK + "/pipe")
    for path, why in ((WORK + "/nowhere/saved.json", "No such file or directory"), (WORK, "Is a directory"),
                      (WORK + "/pipe", "not a regular file"), ("/dev/stdout", "not a regular file")):
        terminal.keys("w", "C-u")
        terminal.type(path)
        terminal.keys("Enter")
        terminal.wait_for(f"^cannot write: {why}: ")
        wait_more(terminal, ticks(terminal))


def nothing_measured():
    """Of a program that was not changed, CPU time has the functions of its symbols."""
    program = subprocess.Popen([HOTPATH, "run", "--cpu", os.path.join(BUILD, "bench/computing"), "1000000000"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not eventually(lambda: "running" in run(HOTPATH, "list")):
        fail("it does not run")
    terminal = console("computing", "--refresh-ms", "50")
    terminal.wait_for("^ 1 Functions: CPU ")
    terminal.wait_for(r"^mix +\d+ +\S+ m?s .*\d+\.\d\d%")
    # The key leads to what there is, Tab to all.
    terminal.keys("1")
    terminal.wait_for("^ 1 Functions: Bottlenecks ")
    terminal.keys("1")
    terminal.wait_for("^ 1 Functions: CPU ")
    terminal.keys("BTab", "BTab", "BTab", "BTab")
    terminal.wait_for("No function has been measured yet")
    terminal.keys("1")
    end_program(program)
    terminal.wait_for("· Ended ·")
    terminal.wait_for(r"^mix +\d+ ")
    terminal.keys("q")
    terminal.wait_left()


def cut_short():
    """Somebody cuts the file short, and the program ends: the picture stays, and its next start is followed."""
    program = start_program()
    terminal = console("ticker", "--refresh-ms", "50")
    wait_more(terminal, 10)
    program.send_signal(signal.SIGSTOP)
    for name in os.listdir(SEGMENTS):
        os.truncate(os.path.join(SEGMENTS, name), 0)
    terminal.wait_for(r"· Stale \(\d+ s\) ·")
    end_program(program, signal.SIGKILL)
    terminal.wait_for("· Ended ·")
    terminal.wait_for(r"^tick +\d")
    program = start_program()
    terminal.wait_for(f"· pid {program.pid} .* · Live ·")
    end_program(program)
    terminal.keys("q")
    terminal.wait_left()


def vanished():
    """Somebody removes the file of the program, which then ends: the picture stays."""
    program = start_program()
    terminal = console(str(program.pid), "--refresh-ms", "50")
    wait_more(terminal, 10)
    for name in os.listdir(SEGMENTS):
        os.unlink(os.path.join(SEGMENTS, name))
    end_program(program)
    terminal.wait_for("· Ended ·")
    terminal.keys("1", "1", "j", "o")
    terminal.wait_for(r"^tick$")
    terminal.keys("q")
    terminal.wait_left()


pauses()
refresh_interval()
goes_on()
killed()
restarted()
stopped()
saves()
nothing_measured()
cut_short()
vanished()
finish()
