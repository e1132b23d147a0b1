#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What hotpath serve answers is what hotpath report says of the same program, while it runs, when it has ended and starts again."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading

from serving import BUILD, HOTPATH, SANITIZED, Program, Stream, expect, expect_error, fail, main, rows, serving, until

# Times of calls that have ended; shares are of a time that may pass.
FIGURES = ("calls", "open", "total_ns", "self_ns", "avg_ns", "min_ns", "max_ns", "p95_ns")


def report(pid):
    text = subprocess.run([HOTPATH, "report", str(pid), "--format", "json", "--limit", "0"], stdout=subprocess.PIPE, check=True,
                          env={**os.environ, "HOTPATH_OUTPUT_FORMAT": "json"}).stdout
    return json.loads(text)


def compare(what, seen, wanted):
    seen, wanted = rows(seen), rows(wanted)
    expect(f"{what}: functions", sorted(seen), sorted(wanted))
    for name in wanted.keys() & seen.keys():
        for figure in FIGURES if not wanted[name]["open"] else ("calls", "open"):
            expect(f"{what}: {figure} of {name}", seen[name].get(figure), wanted[name].get(figure))


class Load:
    """A program that works until it is told to stop, whoever reads it meanwhile."""

    def __init__(self):
        self.program = Program()
        self.program.ask("threads 3")
        self.program.ask("functions 50")
        self.program.ask("work 1")
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        while not self.over.is_set():
            self.program.ask("work 20")

    def stop(self):
        self.over.set()
        self.thread.join()


def under_load(_):
    load = Load()
    pid = load.program.pid
    with serving() as server:
        stream = Stream(server, f"/api/stream?program={pid}&interval=100")
        before = 0
        for _ in range(10):
            seen = stream.report()
            calls = rows(seen["report"])["function_7"]["calls"]
            if calls < before or seen["state"] != "running":
                fail(f"{calls} calls after {before}, {seen['state']}")
            before = calls
            expect("the program", server.get(f"/api/report?program={pid}")["pid"], pid)
        load.stop()
        final = report(pid)
        until("the calls are those of the report", lambda: rows(stream.report()["report"]).keys() == rows(final).keys() and
              all(rows(server.get(f"/api/report?program={pid}"))[name]["calls"] == row["calls"]
                  for name, row in rows(final).items()))
        load.program.end()
        last = stream.report(lambda data: data["state"] == "ended")
        whole = server.get(f"/api/report?program={pid}")
        wanted = report(pid)
        compare("the stream's last", last["report"], wanted)
        compare("the report", whole, wanted)
        for key in wanted.keys() - {"elapsed_ns", "own_elapsed_ns"}:
            expect(f"the whole report: {key}", whole.get(key), wanted[key])
        expect("its members", sorted(whole), sorted(wanted))
        listed = next(it for it in server.get("/api/programs")["programs"] if it["pid"] == pid)
        expect("in the list", (listed["state"], listed["functions"], listed["error"]), ("ended", 51, None))
        # What was measured stays, also when its file is gone.
        subprocess.run([HOTPATH, "list", "--clean"], stdout=subprocess.DEVNULL, check=True)
        compare("without its file", server.get(f"/api/report?program={pid}"), wanted)
        stream.close()


def sections(_):
    program = Program()
    with serving() as server:
        some = server.get(f"/api/report?program={program.pid}&section=threads")
        expect("sections that were asked for", ("threads" in some, "functions_timing" in some), (True, False))
        expect("a limit", len(rows(server.get("/api/report?section=timing&limit=1"))), 1)
        expect_error("a wrong limit", server.ask("/api/report?limit=x"), 400, "limit: ")
        expect_error("an unknown section", server.ask("/api/report?section=nonsense"), 400, "section: ")
        expect_error("an unknown section of a stream", server.ask("/api/stream?section=nonsense"), 400, "section: ")
        expect_error("an interval", server.ask("/api/stream?interval=1"), 400, "from 100 to 60000")
        stream = Stream(server, f"/api/stream?program={program.pid}&section=threads")
        data = stream.report()["report"]
        expect("sections of a stream", ("threads" in data, "functions_timing" in data), (True, False))
        stream.close()
    program.end()


def restart(_):
    program = Program()
    with serving("watched") as server:
        stream = Stream(server, f"/api/stream?program={program.pid}&interval=100")
        first = stream.report()
        expect("at first", (first["program"], first["restarts"]), (str(program.pid), 0))
        os.kill(program.pid, signal.SIGSTOP)
        expect("stopped", stream.report(lambda data: data["state"] == "stopped")["report"]["pid"], program.pid)
        os.kill(program.pid, signal.SIGCONT)
        stream.report(lambda data: data["state"] == "running")
        os.kill(program.pid, signal.SIGKILL)
        program.end()
        expect("killed", stream.report(lambda data: data["state"] == "ended")["report"]["pid"], program.pid)
        again = Program()
        after = stream.report(lambda data: data["restarts"] == 1)
        expect("started again", (after["program"], after["state"], after["report"]["pid"]), (str(again.pid), "running", again.pid))
        expect("both are listed", {it["pid"]: it["state"] for it in server.get("/api/programs")["programs"]},
               {program.pid: "ended", again.pid: "running"})
        expect("the first one", server.get(f"/api/report?program={program.pid}")["pid"], program.pid)
        stream.close()
        again.end()


def becomes(_):
    """A process that executes its program again counts from nothing, and keeps its id."""
    program = Program(first="work 100")
    with serving() as server:
        stream = Stream(server, f"/api/stream?program={program.pid}&interval=100")
        stream.report(lambda data: rows(data["report"])["function_0"]["calls"] == 100)
        program.process.stdin.write(f"become {BUILD}/tests/programs/watched\n")
        program.process.stdin.flush()
        after = stream.report(lambda data: data["restarts"] > 0)
        expect("the new program", (after["restarts"], after["program"], after["report"]["pid"]), (1, str(program.pid), program.pid))
        program.ask("work 3")
        last = stream.report(lambda data: "function_0" in rows(data["report"]))
        expect("its calls", (last["restarts"], rows(last["report"])["function_0"]["calls"]), (1, 3))
        stream.close()
    program.end()


def list_changes(_):
    with serving() as server:
        stream = Stream(server, "/api/stream?interval=100")
        event, number, data = stream.next()
        expect("at first", (event, number, data["programs"]), ("programs", 1, []))
        program = Program()
        event, number, data = stream.next()
        expect("a program is there", (event, number, [it["pid"] for it in data["programs"]]),
               ("programs", 2, [program.pid]))
        program.end()
        event, number, data = stream.next()
        expect("it has ended", (event, [it["state"] for it in data["programs"]]), ("programs", ["ended"]))
        stream.close()


def windows(_):
    program = Program()
    program.ask("functions 3")
    program.ask("work 100")
    with serving(str(program.pid)) as server:
        expect_error("no time", server.ask("/api/report?window=0"), 400, "from 1 to 300")
        answers = []
        thread = threading.Thread(target=lambda: answers.append(server.get("/api/report?window=2")))
        before = rows(server.get("/api/report"))["function_2"]["calls"]
        thread.start()
        # The window begins when the request has come; what is done until it ends is counted once.
        done = 0
        while thread.is_alive():
            program.ask("work 10")
            done += 1
        thread.join()
        calls = rows(answers[0])["function_2"]["calls"]
        after = rows(server.get("/api/report"))["function_2"]["calls"]
        if not 0 < calls <= after - before:
            fail(f"{calls} calls in a window, of {after - before} in {done} turns")
    program.end()


def profiles(folder):
    """Go's own tool reads what is under the paths that it knows."""
    burn = os.path.join(BUILD, "tests/programs/attached")
    pids = []
    with subprocess.Popen([HOTPATH, "run", "--cpu", "--alloc", burn], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, start_new_session=True) as run:
        with serving() as server:
            def has_samples():
                pids[:] = [it["id"] for it in server.get("/api/programs")["programs"] if it["name"] == "attached"]
                return pids and server.ask(f"/debug/pprof/profile?program={pids[0]}").status == 200

            until("samples are taken", has_samples)
            address = f"http://{server.url.netloc}/debug/pprof/profile?program={pids[0]}&token={server.token}"
            for more in "", "&seconds=1":
                done = subprocess.run(["go", "tool", "pprof", "-top", address + more], capture_output=True, text=True,
                                      check=False, env={**os.environ, "PPROF_TMPDIR": folder, "GOFLAGS": "-mod=mod"})
                if done.returncode or "Type: cpu" not in done.stdout or "flat%" not in done.stdout:
                    fail(f"go tool pprof {more}: {done.stdout} {done.stderr}")
            expect_error("what was not recorded", server.ask(f"/debug/pprof/block?program={pids[0]}"), 404, "--waits")
            expect_error("a wrong time", server.ask(f"/debug/pprof/profile?program={pids[0]}&seconds=x"), 400, "seconds")
            index = server.ask("/debug/pprof/").body.decode()
            for path in "profile", "allocs", "heap", "mutex", "block":
                if f"/debug/pprof/{path} " not in index:
                    fail(f"/debug/pprof/ does not list {path}")
        os.killpg(run.pid, signal.SIGTERM)
        run.wait()


def recent_calls(_):
    """A function that becomes slow is slow in the next event, however many fast calls it had before; and none is no time."""
    name = "function_2"
    program = Program()
    program.ask("functions 3")
    for _ in range(200):
        program.ask("work 1")

    def entry(data):
        return next((it for it in data["recent"] if it["name"] == name), {})

    def calls(stream, command, count):
        """Have so many calls made; the events that tell of them."""
        program.ask(command)
        told = []
        while sum(it["calls"] for it in told) < count:
            told.append(entry(stream.report(lambda data: entry(data).get("calls"))))
        expect(f"{command}: calls", sum(it["calls"] for it in told), count)
        return told

    with serving() as server:
        for asked in "&recent=function_0%0A" + name, "":
            stream = Stream(server, f"/api/stream?program={program.pid}&interval=100&percentiles=50{asked}")
            expect("the first event", stream.report()["recent"], [])
            idle = stream.report(entry)
            expect("without calls", entry(idle), {"name": name, "calls": 0})
            if asked:
                expect("functions", [it["name"] for it in idle["recent"]], ["function_0", name])
            fast = max(it["p50_ns"] for it in calls(stream, "work 1", 3))
            program.ask("slow 100")
            slow = min(it["p50_ns"] for it in calls(stream, "work 1", 3))
            program.ask("slow 0")
            whole = rows(stream.report()["report"])[name]["p50_ns"]
            if slow < 5 * fast or slow < 5 * whole:
                fail(f"{slow} ns in an event; {fast} ns before, {whole} ns since the start")
            expect("afterwards", entry(stream.report(lambda data: entry(data).get("calls") == 0)), {"name": name, "calls": 0})
            stream.close()
        stream = Stream(server, f"/api/stream?program={program.pid}&interval=60000")
        expect("the first event does not wait", stream.report()["program"], str(program.pid))
        stream.close()
        expect_error("too many", server.ask("/api/stream?recent=" + "%0A".join("abcdefghi")), 400, "more than 8")
    program.end()


def calls_before_stream(_):
    """Of many functions, histograms are read in turns. The first calls that a stream tells of are none of before it."""
    name = "function_200"
    program = Program()
    program.ask("functions 300")
    program.ask("work 1")
    with serving() as server:
        for _ in range(2):
            stream = Stream(server, f"/api/stream?program={program.pid}&interval=100&recent={name}")
            expect("the first event", stream.report()["recent"], [])
            told = stream.report(lambda data: data["recent"])["recent"]
            expect("calls", told, [{"name": name, "calls": 0}])
            stream.close()
            program.ask("work 1")
    program.end()


def large(_):
    """However large its segment, a program is read in little memory, and completely."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        # Of a file on a disk, the kernel may map more at a time.
        os.environ["HOTPATH_DIR"] = folder
        program = Program()
        with serving() as server:
            program.ask("threads 24")
            expect("a first report", server.ask(f"/api/report?program={program.pid}").status, 200)
            before = server.memory_kb("VmHWM")
            program.ask("functions 600")
            program.ask("work 40")
            segment_kb = max(os.stat(os.path.join(folder, name)).st_blocks // 2 for name in os.listdir(folder))
            until("all functions are in the report",
                  lambda: "function_599" in rows(server.get(f"/api/report?program={program.pid}")))
            compare("the report", server.get(f"/api/report?program={program.pid}"), report(program.pid))
            for target in f"/metrics?program={program.pid}", f"/api/flame?program={program.pid}&what=tree":
                expect(target, server.ask(target).status, 200)
            grown = server.memory_kb("VmHWM") - before
            # Most of it are figures of 600 functions on 24 threads, which take as much when a segment is small.
            if grown > segment_kb * 7 / 8 and not SANITIZED:
                fail(f"{grown} KB more for a segment of {segment_kb} KB")
        program.end()


tests = [under_load, sections, restart, becomes, list_changes, windows, recent_calls, calls_before_stream, large]
if shutil.which("go") and not SANITIZED:
    tests.append(profiles)
main(*tests)
