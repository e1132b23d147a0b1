#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whatever is typed, clicked and resized: the console goes on, and leaves when it is told to."""
import random

from terminal import console, end_program, fail, figures, finish, start_program

KEYS = ("j k Space b g G 1 2 3 4 Tab BTab s h l r / Enter i o Escape p + - w c ? F1 C-l x e a ( [ BSpace NPage PPage "
        "Up Down Left Right Home End").split()
BURSTS = 120


def play(terminal, dice):
    if dice.random() < 0.8:
        terminal.keys(*dice.choices(KEYS, k=5))
    elif dice.random() < 0.6:
        terminal.click(dice.randrange(terminal.columns), dice.randrange(terminal.lines), dice.choice((0, 0, 64, 65)))
    else:
        terminal.resize(f"{dice.randrange(1, 220)}x{dice.randrange(1, 60)}")


def survives(seed, target, **terminal):
    dice = random.Random(seed)
    window = console(target, "--refresh-ms", "50", **terminal)
    window.wait_for("Functions")
    for _ in range(BURSTS):
        play(window, dice)
    if window.file("status"):
        fail(f"seed {seed}: it ended with {window.file('status')}{window.file('stderr')}")
        return
    window.resize("80x24")
    for key in ("Escape", "Escape", "Escape", "1"):
        window.keys(key)
        window.wait_for("^ 1 Functions|^Program ")
    window.keys("q")
    window.wait_left()


program = start_program()
survives(1, figures("all"))
survives(3, figures("flows"))
survives(2, "ticker", term="screen-256color", LC_ALL="C")
survives(3, str(program.pid), term="linux")
end_program(program)
finish()
