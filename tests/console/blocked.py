#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What threads wait for now, and a deadlock: seen in every pane, while the program runs and when it has been killed."""
import os
import signal
import subprocess

from terminal import BUILD, children, console, end_program, finish

def start(state):
    """The program, in a state that it knows; its process and the ids of its threads."""
    command = [os.path.join(BUILD, "tests/programs/lock_states"), state]
    probe = os.path.join(BUILD, "src/probes/waits/libhotpath-waits.so")
    environment = os.environ | {"LD_PRELOAD": probe, "HOTPATH_WAITS": "locks", "HOTPATH_OUTPUT_FORMAT": "none"}
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    children.append(child)
    ids = {}
    for line in child.stdout:
        if line == "ready\n":
            break
        name, number = line[1:].split()
        ids[name] = int(number)
    return child, ids

def deadlock():
    program, ids = start("pair")
    terminal = console(str(program.pid), "--refresh-ms", "50", size="100x24")
    terminal.wait_for(r"· Live · Deadlock · ")
    terminal.wait_for(rf"^Deadlock: out {ids['out']} waits in transfer_out for account_b, held by in {ids['in']}")
    terminal.wait_for(rf"account_a, held by out {ids['out']} \(in transfer_out\)\.$")
    # The tab of threads has two panes.
    terminal.keys("3", "3")
    terminal.wait_for(r"Threads: Blocked")
    terminal.wait_for(rf"^out {ids['out']} +lock +account_b .*transfer_out +in {ids['in']} +transfer_in")
    terminal.wait_for(rf"^in {ids['in']} +lock +account_a .*transfer_in +out {ids['out']} +transfer_out")
    terminal.wait_for(r"^Deadlock: ")
    terminal.resize("40x10")
    terminal.wait_for(r"^Deadlock: ")
    terminal.resize("100x24")
    end_program(program, signal.SIGKILL)
    terminal.wait_for(r"· Ended · Deadlock · ")
    terminal.wait_for(rf"^in {ids['in']} +lock +account_a ")
    terminal.keys("q")
    terminal.wait_left()

def no_deadlock():
    program, ids = start("queue")
    terminal = console(str(program.pid), "--refresh-ms", "50", size="120x24")
    terminal.wait_for(r"· Live · 50 ms")
    terminal.keys("3", "3")
    terminal.wait_for(rf"^first {ids['first']} +lock +account_a .*computes {ids['computes']} +compute")
    terminal.wait_for(rf"^second {ids['second']} +lock +account_b .*sleeps {ids['sleeps']} +sleep_long")
    terminal.wait_gone("Deadlock")
    # It ends by itself: nobody waits any more.
    program.stdin.close()
    terminal.wait_for(r"· Ended · ")
    terminal.wait_gone("account_a")
    terminal.keys("q")
    terminal.wait_left()


deadlock()
no_deadlock()
finish()
