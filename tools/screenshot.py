#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A picture of what a command shows in a terminal, or of a page in a browser.

usage: tools/screenshot.py [options] OUTPUT.png COMMAND...
       tools/screenshot.py --page FILE [--fragment TEXT] [--size WIDTHxHEIGHT] OUTPUT.png

The command runs in tmux; after some seconds, or once a text is on the screen, and after some keys, its screen is taken
with its colours and drawn by a browser without a window. A page is drawn as it is; its size is in pixels.
tools/pictures.sh makes all pictures of the documentation.
"""

import argparse
import html
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

# The eight colours, and the same brighter.
PALETTE = ("#21222c", "#ff6b6b", "#5fd787", "#f1d06e", "#7aa2f7", "#d19af0", "#56c8d8", "#c9d1d9",
           "#6c7280", "#ff8787", "#87efab", "#f7e08f", "#9ab8ff", "#e0b3f7", "#7fdbe8", "#ffffff")
TEXT, BACKGROUND = "#d4d9e0", "#16181f"
# A letter of DejaVu Sans Mono is 0.602 as wide as it is high: these are whole pixels, so that blocks touch.
FONT_SIZE, LETTER, LINE, MARGIN, BAR = 20, 12, 23, 16, 40

PAGE = """<!DOCTYPE html><meta charset="utf-8"><style>
body {{ margin: 0; background: {background}; overflow: hidden }}
.bar {{ height: {bar}px; background: #262a35; position: relative }}
.bar b {{ position: absolute; top: 13px; width: 14px; height: 14px; border-radius: 7px }}
.bar p {{ margin: 0; text-align: center; font: 17px/{bar}px "DejaVu Sans Mono"; color: #9aa3b2 }}
pre {{ position: absolute; top: {bar}px; margin: {margin}px; letter-spacing: {spacing}px;
	font: {size}px/{line}px "DejaVu Sans Mono" }}
pre div {{ height: {line}px; white-space: pre }}
.grounds span {{ display: inline-block; height: {line}px; vertical-align: top }}
</style><div class="bar"><b style="left:16px;background:#ff5f57"></b><b style="left:40px;background:#febc2e"></b>
<b style="left:64px;background:#28c840"></b><p>{title}</p></div>
<pre class="grounds">{grounds}</pre><pre>{letters}</pre>"""


class Look:
    """Colours and weight of letters, as escape sequences change them."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.colour = self.ground = None
        self.bold = self.reverse = False

    def change(self, codes):
        codes = [int(code or 0) for code in codes.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code in (1, 7):
                setattr(self, "bold" if code == 1 else "reverse", True)
            elif code in (38, 48):
                setattr(self, "colour" if code == 38 else "ground", of_256(codes[1]))
                codes = codes[2:]
            elif code in (39, 49):
                setattr(self, "colour" if code == 39 else "ground", None)
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.colour = PALETTE[code - 30 if code < 40 else code - 82]
            elif 40 <= code <= 47:
                self.ground = PALETTE[code - 40]

    def letters(self):
        colour = self.ground or BACKGROUND if self.reverse else self.colour or TEXT
        return f"color:{colour}" + (";font-weight:bold" if self.bold else "")

    def grounds(self):
        ground = self.colour or TEXT if self.reverse else self.ground
        return "color:transparent" + (f";background:{ground}" if ground else "")


def of_256(number):
    if number < 16:
        return PALETTE[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    steps = (0, 95, 135, 175, 215, 255)
    number -= 16
    return "#" + "".join(f"{steps[number // part % 6]:02x}" for part in (36, 6, 1))


def drawn(screen, style):
    """The lines of a screen as HTML; what a sequence changes holds on in the next line."""
    look, drawing = Look(), ""
    for line in screen.split("\n"):
        spans = ""
        for codes, text in re.findall(r"\x1b\[([0-9;]*)m|([^\x1b]+)", line):
            if text:
                spans += f'<span style="{style(look)}">{html.escape(text)}</span>'
            else:
                look.change(codes)
        drawing += f"<div>{spans}</div>"
    return drawing


def tmux(socket, *command):
    return subprocess.run(["tmux", "-u", "-S", socket, "-f", "/dev/null", *command], check=True,
                          stdout=subprocess.PIPE, encoding="utf-8").stdout


def wait(options, socket):
    """Until the text that is waited for is on the screen; without one, for as long as was said."""
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        time.sleep(0.2)
        if options.until and options.until in tmux(socket, "capture-pane", "-p"):
            return
    if options.until:
        sys.exit(f"'{options.until}' did not come in {options.seconds:g} seconds")


def screen_of(options, socket):
    columns, lines = options.size.split("x")
    command = ["env", "TERM=xterm-256color", "LC_ALL=C.UTF-8", *options.command]
    tmux(socket, "new-session", "-d", "-x", columns, "-y", lines, *command, ";", "set", "-g", "status", "off",
         ";", "set", "-s", "escape-time", "0")
    try:
        wait(options, socket)
        for key in options.keys.split():
            tmux(socket, "send-keys", key)
            time.sleep(0.3)
        time.sleep(1)
        return tmux(socket, "capture-pane", "-e", "-N", "-p").removesuffix("\n")
    finally:
        for key in ("Escape", "Escape", "q"):
            tmux(socket, "send-keys", key)
        time.sleep(0.5)
        subprocess.run(["tmux", "-S", socket, "kill-server"], check=False, stderr=subprocess.DEVNULL)


def draw(options, folder, screen):
    columns, lines = map(int, options.size.split("x"))
    page = PAGE.format(background=BACKGROUND, bar=BAR, margin=MARGIN, size=FONT_SIZE, line=LINE,
                       spacing=f"{LETTER - FONT_SIZE * 1233 / 2048:.4f}", title=html.escape(options.title),
                       grounds=drawn(screen, Look.grounds), letters=drawn(screen, Look.letters))
    path = pathlib.Path(folder, "screen.html")
    path.write_text(page, encoding="utf-8")
    draw_page(options, folder, path, (columns * LETTER + 2 * MARGIN, lines * LINE + 2 * MARGIN + BAR))


def draw_page(options, folder, path, size):
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    "--disable-lcd-text", "--virtual-time-budget=3000", f"--window-size={size[0]},{size[1]}",
                    f"--user-data-dir={folder}/browser",
                    f"--screenshot={pathlib.Path(options.output).absolute()}", path.absolute().as_uri() + options.fragment],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def arguments():
    parser = argparse.ArgumentParser(description="A picture of what a command shows in a terminal, or of a page.")
    parser.add_argument("--size", default="100x28", help="columns and lines; of a page, pixels")
    parser.add_argument("--seconds", type=float, default=70, help="how long it runs before")
    parser.add_argument("--until", help="or less, as soon as this text is there")
    parser.add_argument("--fragment", default="", help="what follows the name of a page, such as '#tab=flames'")
    parser.add_argument("--page", type=pathlib.Path, help="a file for a browser, in place of a command")
    parser.add_argument("--keys", default="", help="then these, as tmux names them")
    parser.add_argument("--title", default="hotpath console")
    parser.add_argument("output", help="a PNG file")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


def main():
    options = arguments()
    missing = [name for name in ("tmux", "chromium") if not shutil.which(name)]
    if missing or bool(options.command) == bool(options.page):
        sys.exit(f"not found: {', '.join(missing)}" if missing else "a command or a page is needed")
    with tempfile.TemporaryDirectory() as folder:
        if options.page:
            draw_page(options, folder, options.page, options.size.split("x"))
        else:
            draw(options, folder, screen_of(options, folder + "/tmux"))


if __name__ == "__main__":
    main()
