#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""README and docs/ speak of commands, options, macros and output that there are, and link to what is there."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
HOTPATH = os.environ["HOTPATH"]
BUILD = pathlib.Path(os.environ["BUILD"])
PICTURE_BYTES = 200 * 1024
failed = 0


def fail(page, what):
    global failed
    print(f"FAILED: {page.relative_to(ROOT)}: {what}")
    failed = 1


def output(*command, **environment):
    """Everything that a command prints."""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False,
                          env={**os.environ, **environment}).stdout


def without_outputs(text):
    """The page without what commands printed: in blocks that show a prompt, only the commands are kept."""
    def commands(block):
        lines = block.group().split("\n")
        prompts = [line for line in lines if line.startswith("$ ")]
        return "\n".join(prompts or lines)
    return re.sub(r"^```\n.*?^```", commands, text, flags=re.M | re.S)


def check_commands(page, text, options):
    """hotpath COMMAND --option: of both, only what --help has. What follows the program is the program's."""
    for command, rest in re.findall(r"(?<![-/.\w])hotpath ([a-z]+)\b([^`#|\n]*)", without_outputs(text)):
        if command not in options:
            # "hotpath cc gcc" is a command, "hotpath is a profiler" is not.
            if rest.strip().startswith("-"):
                fail(page, f"there is no command hotpath {command}")
            continue
        for option in re.findall(r"(?<=\s)--([a-z][-a-z]*)", rest):
            if option not in options[command]:
                fail(page, f"hotpath {command} has no --{option}")


def known_options():
    commands = re.findall(r"^  ([a-z]+) ", output(HOTPATH, "help").split("commands:")[1], flags=re.M)
    found = {}
    for command in commands:
        found[command] = set(re.findall(r"--([a-z][-a-z]*)", output(HOTPATH, command, "--help")))
    return found


def check_names(page, text, names):
    # Workflows have variables of their own.
    text = re.sub(r"^```yaml\n.*?^```", "", text, flags=re.M | re.S)
    for name in set(re.findall(r"\bHOTPATH_[A-Z_]*[A-Z]\b(?!_)", text)) - names:
        fail(page, f"nothing is called {name}")


def known_names():
    places = [*(ROOT / "include").rglob("*.h"), *(ROOT / "man").glob("*.scd")]
    return set(re.findall(r"\bHOTPATH_[A-Z_]*[A-Z]\b", "\n".join(path.read_text(encoding="utf-8").replace("\\", "")
                                                                   for path in places)))


def anchors(path):
    """What GitHub calls the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), flags=re.M)
    return {re.sub(r"[^-\w ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links(page, text):
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("https://"):
            continue
        name, _, anchor = target.partition("#")
        path = page.parent / name if name else page
        if not path.is_file():
            fail(page, f"there is no {target}")
        elif anchor and anchor not in anchors(path):
            fail(page, f"{name or 'the page'} has no heading #{anchor}")
        elif path.suffix == ".png" and path.stat().st_size > PICTURE_BYTES:
            fail(page, f"{name} is larger than 200 KB")


def sections_printed(folder):
    """What the examples print, and with it the title of each section that the pages show."""
    text = folder / "text"
    text.write_text("some words, and some more words\n" * 20000, encoding="utf-8")
    examples = BUILD / "examples"
    runs = [output(HOTPATH, "run", "--cpu", "--alloc", "--tree", examples / "overview"),
            output(HOTPATH, "run", "--time-exclusive", examples / "overview"),
            output(HOTPATH, "run", "--cpu", "--alloc", examples / "words", text),
            output(HOTPATH, "run", "--waits", examples / "locks"),
            output(HOTPATH, "run", "--waits", "--report", "blocked", examples / "locks"),
            output(HOTPATH, "run", "--waits", examples / "slow_disk")]
    for example in ("channels_pthread", "futures", "profile_async_io"):
        if (examples / example).exists():
            runs.append(output(examples / example))
        else:
            # Without libuv, nothing has event loops.
            runs.append("loops - Turns of event loops; while one is busy, events wait.")
    return "\n".join(runs)


def check_outputs(page, text, printed):
    """Titles of sections, as programs print them: those in the pages are not of an earlier version."""
    for title in re.findall(r"^(\S+ - [A-Z][^\n]*?\.?)(?: \(\d+/\d+\))?$", text, flags=re.M):
        if title not in printed:
            fail(page, f"no report has the title '{title}'")


def sentences(text):
    """The words of each sentence that a page shows as output, without numbers and names. Tables are no sentences."""
    for block in re.findall(r"^```\n(\$ .*?)^```", text, flags=re.M | re.S):
        for line in block.split("\n"):
            if not re.match(r"[$+|…\[]|.*  |\S+ - ", line):
                pieces = re.split(r"[\d%.:;,()]+|\S*_\S*", line)
                yield from (piece.strip() for piece in pieces if len(piece.strip()) >= 18)


def check_sentences(page, text, sources):
    for sentence in sentences(text):
        if sentence not in sources:
            fail(page, f"nothing prints '{sentence}'")


def all_sources():
    """The sources, with string literals that are in several lines as one."""
    files = sorted((ROOT / "src").rglob("*.[ch]"))
    return re.sub(r'"\s*\n\s*"', "", "\n".join(path.read_text(encoding="utf-8") for path in files))


def check_program(page, text, folder):
    """The program that the page shows compiles, with and without measuring, and prints its report."""
    for source in re.findall(r"<!-- test: program -->\n```c\n(.*?)```", text, flags=re.S):
        (folder / "program.c").write_text(source, encoding="utf-8")
        library = BUILD / "src/library"
        compiler = ["cc", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", folder / "program.c", "-o",
                    folder / "program"]
        said = output(*compiler)
        said += output(*compiler, "-DHOTPATH_ENABLE=1", f"-L{library}", f"-Wl,-rpath,{library}", "-lhotpath")
        if said:
            fail(page, f"the compiler says of the program: {said}")
        elif not re.search(r"^\| work +\| +100 \|", output(folder / "program"), flags=re.M):
            fail(page, "the report of the program has no row 'work' with 100 calls")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        os.environ["HOTPATH_DIR"] = name
        options, names, sources, printed = known_options(), known_names(), all_sources(), sections_printed(folder)
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            check_commands(page, text, options)
            check_names(page, text, names)
            check_links(page, text)
            check_outputs(page, text, printed)
            check_sentences(page, text, sources)
        check_program(PAGES[0], PAGES[0].read_text(encoding="utf-8"), folder)
    return failed


if __name__ == "__main__":
    sys.exit(main())
