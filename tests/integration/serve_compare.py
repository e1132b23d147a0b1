#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What has changed in a program since a mark: nothing, if nothing has; what became slower; and what another start does."""
import os
import signal
import subprocess
import time

from serving import HOTPATH, SANITIZED, Program, expect, expect_error, fail, main, serving, until

LEAST = 6
FUNCTIONS = {"parse", "look_up", "store"}


class Marked:
    """A program of a server, with windows of one second."""

    def __init__(self, server, program):
        self.server = server
        self.target = f"program={program}&window=1"

    def ask(self):
        return self.server.get(f"/api/compare?{self.target}")

    def mark(self, more=""):
        answer = self.server.ask(f"/api/mark?{self.target}{more}", method="POST")
        expect("a mark: status", answer.status, 200)
        return answer.json()

    def windows(self, side, count=LEAST):
        """Wait until there are so many windows; the last answer."""
        return until(f"{count} windows {side}", lambda: self.have(side, count), 120)

    def have(self, side, count):
        seen = self.ask()
        return seen if seen["windows"][side] >= count else None

    def compared(self):
        """Wait for a comparison with as many windows as it needs."""
        return until("a comparison", self.whole, 120)

    def whole(self):
        seen = self.ask()
        return seen if seen["comparison"] and not seen["missing"] else None


def rows(seen, section="timing"):
    found = [it for it in seen["comparison"]["sections"] if it["name"] == section]
    return {row["name"]: row for row in found[0]["rows"]} if found else {}


def changed(seen):
    """Names and verdicts of all rows that have changed, in any section."""
    return {(section["name"], row["name"]): row["verdict"] for section in seen["comparison"]["sections"]
            for row in section["rows"] if row["changed"]}


def nothing_changes(what, seen):
    expect(f"{what}: changed", changed(seen), {})
    expect(f"{what}: a regression", (seen["comparison"]["failed"], seen["comparison"]["counts"]["slower"]), (False, 0))
    expect(f"{what}: functions", FUNCTIONS - rows(seen).keys(), set())
    expect(f"{what}: notes", seen["comparison"]["notes"], [])


def same_and_slower(_):
    """The same, again and again; then one function takes twice as long, and the load changes."""
    program = Program("steady", first="pause 20")
    with serving() as server:
        marked = Marked(server, program.pid)
        first = marked.ask()
        expect("at first", (first["program"], first["state"], first["mark"], first["comparison"], first["restarts"]),
               (str(program.pid), "running", None, None, 0))
        expect("windows at first", first["windows"],
               {"before": 0, "after": 0, "needed": LEAST, "kept": 12, "window_ns": 1_000_000_000})
        expect("what is missing at first", first["missing"],
               "collecting what is normal: 0 of 6 windows; then mark the moment before something changes")
        normal = marked.windows("before")
        if "windows show what is normal; mark the moment" not in normal["missing"]:
            fail(f"what is missing before a mark: {normal['missing']}")

        now = time.time()
        seen = marked.mark()
        if not abs(seen["mark"]["unix_ns"] / 1e9 - now) < 30 or seen["mark"]["by"] != "request":
            fail(f"the mark: {seen['mark']}")
        expect("windows at the mark", (seen["windows"]["before"] >= LEAST, seen["windows"]["after"]), (True, 0))
        expect("what is missing after it", seen["missing"], "0 of 6 windows since the mark")
        seen = marked.compared()
        expect("what it is", (seen["comparison"]["type"], seen["comparison"]["base"]["program"]), ("hotpath_comparison", "steady"))
        nothing_changes("the same", seen)
        calls, own = (rows(seen)["parse"]["metrics"][name] for name in ("calls", "self"))
        expect("calls are per second", (calls["per"], calls["verdict"]), ("second", None))
        # On a machine with much else to do, more windows would tell.
        expect("times are per call", (own["per"], own["verdict"] in ("same", "unclear"), 50e6 <= own["after"] < 200e6),
               ("calls", True, True))

        # What came since the mark is normal now.
        seen = marked.mark()
        expect("after another mark", (seen["windows"]["before"] >= LEAST, seen["windows"]["after"]), (True, 0))
        nothing_changes("the same again", marked.compared())

        # A mark too early is moved.
        marked.mark()
        before = marked.windows("after", 1)["windows"]["before"]
        program.ask("look_up 100")
        seen = marked.mark()
        expect("a mark that is moved", (seen["windows"]["before"], seen["windows"]["after"]), (before, 0))
        seen = marked.compared()
        expect("twice as long", changed(seen), {("timing", "look_up"): "slower"})
        ratio = rows(seen)["look_up"]["metrics"]["self"]["ratio"]
        expect("how much longer", 1.4 < ratio < 3, True)
        expect("a regression", (seen["comparison"]["failed"], seen["comparison"]["counts"]["slower"]), (True, 1))

        # Fewer calls are no change of the program.
        program.ask("pause 500")
        marked.mark()
        seen = marked.compared()
        expect("another load", (changed(seen), seen["comparison"]["failed"]), ({}, False))
        if not any("the load has changed" in note for note in seen["comparison"]["notes"]):
            fail(f"another load: the notes are {seen['comparison']['notes']}")
    program.end()


def restart(_):
    """A new process is compared with the old one; whoever asks for the old one gets that."""
    program = Program("steady", first="pause 0")
    with serving("steady") as server:
        old = Marked(server, program.pid)
        old.windows("before")
        program.process.kill()
        program.end()
        ended = until("its end", lambda: (seen := old.ask())["state"] == "ended" and seen)
        expect("what is kept at its end", ended["windows"]["before"] >= LEAST, True)
        if "the program has ended; its next start is followed" not in ended["missing"]:
            fail(f"an ended program: {ended['missing']}")
        again = Program("steady", first="store 120")
        seen = until("another start", lambda: (seen := old.ask())["restarts"] == 1 and seen)
        expect("another start", (seen["program"], seen["mark"]["by"]), (str(again.pid), "restart"))
        seen = old.compared()
        expect("what another start does", changed(seen), {("timing", "store"): "slower"})
        same = Marked(server, again.pid).ask()
        expect("asked for by its own id", (same["program"], same["restarts"]), (str(again.pid), 1))
        cleared = old.mark("&clear=1")
        expect("cleared", (cleared["mark"], cleared["windows"]["before"], cleared["windows"]["after"], cleared["comparison"]),
               (None, 0, 0, None))
    again.end()


def restart_between(_):
    """Whoever knows the new process before its time to be read comes gets the comparison with the old one."""
    program = Program("steady", first="pause 0")
    with serving("steady") as server:
        Marked(server, program.pid).windows("before")
        target = f"/api/compare?program={program.pid}&window=60"
        until("long windows", lambda: server.get(target)["windows"]["window_ns"] == 60_000_000_000)
        program.process.kill()
        program.end()
        again = Program("steady", first="pause 0")
        until("the new process", lambda: str(again.pid) in [it["id"] for it in server.get("/api/programs")["programs"]])
        seen = Marked(server, again.pid).ask()
        expect("the new process", (seen["program"], seen["restarts"], seen["windows"]["before"] >= LEAST, (seen["mark"] or {}).get("by")),
               (str(again.pid), 1, True, "restart"))
    again.end()


def idle(_):
    """Windows without a call tell nothing."""
    program = Program("steady", first="pause 0")
    with serving() as server:
        marked = Marked(server, program.pid)
        marked.windows("before", 1)
        program.ask("idle")
        until("an idle program", lambda: "no measured function was called" in marked.ask()["missing"])
        count = marked.ask()["windows"]["before"]
        time.sleep(2.5)
        expect("windows of an idle program", marked.ask()["windows"]["before"], count)
        program.ask("parse 50")
        marked.windows("before", count + 1)
    program.end()


def sampled(_):
    """A program that nobody changed."""
    run = subprocess.Popen([HOTPATH, "run", "--cpu", "--format", "none", "yes"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with serving() as server:
        def found(name):
            return next((it["pid"] for it in server.get("/api/programs")["programs"] if it["name"] == name), None)

        pid = until("it runs", lambda: found("yes"), 60)
        marked = Marked(server, pid)
        marked.windows("before")
        marked.mark()
        seen = marked.compared()
        expect("its program", (seen["program"], seen["restarts"], seen["comparison"]["base"]["program"]), (str(pid), 0, "yes"))
        os.kill(pid, signal.SIGTERM)
    run.wait(timeout=30)


def many(_):
    """What is read of a large program is bounded: by time, and in memory."""
    program = Program()
    program.ask("threads 32")
    program.ask("functions 500")
    program.ask("work 20")
    with serving() as server:
        target = f"/api/compare?program={program.pid}&window=1"

        def have(count):
            program.ask("work 1")
            time.sleep(0.2)
            return server.get(target)["windows"]["before"] >= count

        until("a window", lambda: have(2), 300)
        seen = server.get(target)
        expect("its windows are longer", seen["windows"]["window_ns"] > 1_000_000_000, True)
        # Of each window, there is what a comparison needs and no more.
        before = server.memory_kb("RssAnon")
        until("more windows", lambda: have(5), 300)
        grown = (server.memory_kb("RssAnon") - before) / 3
        if not SANITIZED and grown > 1024:
            fail(f"a window takes {grown:.0f} KB")
    program.end()


def lengths(_):
    """Windows are as long as was asked for last, also if somebody else has asked for long ones; that does not delay others."""
    program = Program("steady", first="pause 20")
    with serving() as server:
        path = f"/api/compare?program={program.pid}"
        seen = server.get(path + "&window=300")
        expect("long windows", seen["windows"]["window_ns"], 300_000_000_000)
        expect("for others as well", server.get(path)["windows"]["window_ns"], 300_000_000_000)
        seen = server.get(path + "&window=1")
        expect("short windows", seen["windows"]["window_ns"], 1_000_000_000)
        until("a window", lambda: server.get(path)["windows"]["before"], 120)
    program.end()


def several(_):
    """Programs that somebody asks for are not forgotten for others."""
    programs = [Program("steady", first="pause 0") for _ in range(5)]
    with serving() as server:
        marked = [Marked(server, program.pid) for program in programs]
        for it in marked[:4]:
            it.ask()
        expect_error("one too many", server.ask(f"/api/compare?{marked[4].target}"), 503, "4 programs are compared already")
        for it in marked[:4]:
            it.windows("before", 1)
    for program in programs:
        program.end()


def wrong_use(folder):
    program = Program("steady", first="pause 0")
    report = os.path.join(folder, "saved.json")
    subprocess.run([HOTPATH, "report", str(program.pid), "--save", report], check=True)
    with serving(str(program.pid), report) as server:
        expect_error("a saved report", server.ask(f"/api/compare?program={report}"), 400, "a saved report does not change")
        expect_error("a mark of it", server.ask(f"/api/mark?program={report}", method="POST"), 400, "a saved report does not change")
        expect_error("no program", server.ask("/api/compare?program=0"), 404, "no program has the id '0'")
        expect_error("which program", server.ask("/api/mark", method="POST"), 400, "say which one with program=ID")
        expect_error("a window", server.ask(f"/api/compare?program={program.pid}&window=0"), 400, "from 1 to 300")
        expect_error("clear", server.ask(f"/api/mark?program={program.pid}&clear=2", method="POST"), 400, "from 0 to 1")
        answer = server.ask(f"/api/mark?program={program.pid}")
        expect("a mark by GET", (answer.status, answer.headers["Allow"]), (405, "POST"))
        expect("a comparison by POST", server.ask(f"/api/compare?program={program.pid}", method="POST").status, 405)
        expect("without a token", server.ask(f"/api/mark?program={program.pid}", method="POST", trusted=False).status, 401)
        expect("of another origin", server.ask(f"/api/mark?program={program.pid}", method="POST", Origin="http://example.com").status,
               403)
        expect("nothing was marked", server.get(f"/api/compare?program={program.pid}")["mark"], None)
    program.end()


main(same_and_slower, restart, restart_between, idle, sampled, many, lengths, several, wrong_use)
