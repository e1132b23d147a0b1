#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hotpath serve: a run of several processes is one program besides these, with the figures of `hotpath report`."""
import json
import os
import signal
import subprocess
import time

from serving import BUILD, HOTPATH, SANITIZED, Program, Stream, expect, expect_error, fail, main, rows, serving, until

WATCHED = os.path.join(BUILD, "tests/programs/watched")
FUNCTION = "function_0"
# What a shell tells of itself and its children: the recorder of a build with a sanitizer cannot be loaded into it.
IS_TOLD = not SANITIZED


class Worker:
    """A process of a run that does what it is told."""

    def __init__(self, pid, name):
        self.pid = pid
        self.input = open(name + ".in", "w", encoding="utf-8", buffering=1)
        self.output = open(name + ".out", encoding="utf-8")

    def ask(self, line):
        self.input.write(line + "\n")
        return self.output.readline().strip()

    def end(self):
        self.input.close()
        self.output.close()


class Run:
    """A shell that starts programs side by side and becomes the last of them; or waits for all, and exits with 3."""

    START = 'for name; do "$0" < "$name.in" > "$name.out" & echo $!; done; '
    BECOME = 'last=$1; shift; ' + START + 'echo $$; exec "$0" < "$last.in" > "$last.out"'

    def __init__(self, folder, count, script=START + "wait; exit 3"):
        names = [os.path.join(folder, f"pipe-{time.monotonic_ns()}-{i}") for i in range(count)]
        for name in names:
            os.mkfifo(name + ".in")
            os.mkfifo(name + ".out")
        self.process = subprocess.Popen([HOTPATH, "run", "--no-cpu", "sh", "-c", script, WATCHED, *names],
                                        stdout=subprocess.PIPE, text=True)
        if script == self.BECOME:
            names.append(names.pop(0))
        self.workers = [Worker(int(self.process.stdout.readline()), name) for name in names]

    def end(self):
        for worker in self.workers:
            worker.end()
        self.process.stdout.close()
        return self.process.wait()


def programs_of(server):
    return server.get("/api/programs")["programs"]


def run_of(server):
    return next((it for it in programs_of(server) if it["kind"] == "run"), None)


def wait_for_run(server, processes=1):
    """A run that has so many processes in the list."""
    def found():
        run = run_of(server)
        return run and len([it for it in programs_of(server) if it["run"] == run["id"]]) >= processes and run
    return until("the run is in the list", found)


def calls_of(report):
    return sum(row["calls"] for name, row in rows(report).items() if name.startswith("f"))


# What depends on the moment of the reading, not on the run.
MOMENT = ("machine", "meta")


def segments():
    done = subprocess.run([HOTPATH, "list", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def reported(*arguments):
    done = subprocess.run([HOTPATH, "report", "--format", "json", "--limit", "0", *arguments], capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)


def differences(seen, wanted):
    return [key for key in {*seen, *wanted} if key not in MOMENT and seen.get(key) != wanted.get(key)]


def one_run(folder):
    """Processes that run, have ended and were killed: the sum of all while it runs, and the report of the run afterwards."""
    run = Run(folder, 3)
    ended, killed, last = run.workers
    for count, worker in enumerate(run.workers, 1):
        worker.ask(f"work {count}00")
    with serving() as server:
        entry = wait_for_run(server, 3)
        query = f"/api/report?program={entry['id']}"
        shell = os.path.basename(os.path.realpath("/bin/sh"))
        expect("what is in the list", (entry["name"], entry["state"], entry["processes"], entry["run"]),
               (shell, "running", 4, None) if IS_TOLD else ("watched", "running", 3, None))
        members = [it for it in programs_of(server) if it["kind"] == "process"]
        expect("its processes", {(it["pid"], it["run"]) for it in members}, {(it.pid, entry["id"]) for it in run.workers})
        expect("calls of all", calls_of(server.get(query)), 600)
        expect("calls of one", calls_of(server.get(f"/api/report?program={last.pid}")), 300)
        stream = Stream(server, f"/api/stream?program={entry['id']}&interval=100")
        stream.report(lambda data: data["recent"])
        stream.close()

        ended.end()
        os.kill(killed.pid, signal.SIGKILL)
        until("two have ended", lambda: [it["state"] for it in programs_of(server) if it["run"]].count("ended") == 2)
        last.ask("work 400")
        report = until("calls of all, afterwards", lambda: (it := server.get(query)) and calls_of(it) == 1000 and it)
        ends = {it["pid"]: it["end"] for it in report["process_tree"]["data"]}
        expect("the tree of processes", (ends.get(last.pid), run_of(server)["state"]), ("running", "running"))
        tree = server.get(query + "&section=processes&limit=2")
        expect("a section", ("functions_timing" in tree, len(tree["process_tree"]["data"])), (False, 2))

        last.end()
        expect("the status of the run", run.process.wait(), 3)
        until("it has ended", lambda: run_of(server)["state"] == "ended")
        wanted = reported(entry["id"])
        expect("the report of the run", differences(server.get(query), wanted), [])
        expect("ends of processes", {it["end"] for it in wanted["process_tree"]["data"]},
               {"exited", "killed" if IS_TOLD else "unknown"})
        expect("it is read once", server.get(query), server.get(query))
        flame = server.get(f"/api/flame?program={entry['id']}&what=tree")
        expect("a flame graph", flame["what"], "tree")
        expect_error("it has no window", server.ask(query + "&window=1"), 400, "has ended")
    with serving(entry["id"]) as server:
        expect("an ended run", differences(server.get("/api/report"), wanted), [])
    run.end()


def windows(folder):
    """What a run does in a second, in all its processes; and what a stream tells of it."""
    run = Run(folder, 2)
    for worker in run.workers:
        worker.ask("work 100")
    with serving() as server:
        entry = wait_for_run(server, 2)
        stream = Stream(server, f"/api/stream?program={entry['id']}&interval=100&section=timing,processes")
        first = stream.report()
        expect("a stream", (first["program"], first["state"], calls_of(first["report"])), (entry["id"], "running", 200))
        waits = server.connect()
        waits.request("GET", f"/api/report?program={entry['id']}&window=2", headers={"Authorization": f"Bearer {server.token}"})
        # The beginning of the window was read when the server answers somebody else.
        server.get("/api/programs")
        server.get(f"/api/report?program={entry['id']}")
        for worker in run.workers:
            worker.ask("work 11")
        report = json.loads(waits.getresponse().read())
        waits.close()
        expect("calls in the window", calls_of(report), 22)
        if not 2e9 <= report["elapsed_ns"]:
            fail(f"the window has {report['elapsed_ns']} ns")
        stream.report(lambda it: calls_of(it["report"]) == 222)
        for worker in run.workers:
            worker.end()
        expect("the last one", stream.report(lambda it: it["state"] == "ended")["state"], "ended")
        stream.close()
    run.end()


def named(folder):
    """A run is named as for hotpath report: by its name, or by the process that it began with."""
    other = Program("obedient", "1")
    run = Run(folder, 3, Run.BECOME)
    first = run.workers[-1]
    for worker in run.workers:
        worker.ask("work 10")
    with serving() as server:
        name = wait_for_run(server, 3)["id"]
    pids = sorted(str(it.pid) for it in run.workers)
    for target in name, str(first.pid):
        with serving(target) as server:
            wait_for_run(server, 3)
            expect(f"{target}: what is served", sorted(it["id"] for it in programs_of(server)), sorted([name, *pids]))
            expect(f"{target}: the run is meant", calls_of(server.get("/api/report")), 30)
            expect(f"{target}: one process", calls_of(server.get(f"/api/report?program={first.pid}")), 10)
            expect_error(f"{target}: another", server.ask(f"/api/report?program={other.pid}"), 404, "/api/programs")
    expect("hotpath report", calls_of(reported(name)), 30)
    run.end()
    until("all have ended", lambda: not any(it["live"] for it in segments() if it.get("run") == name))
    wanted = reported(name)
    expect("hotpath report by the first process", differences(reported(str(first.pid)), wanted), [])
    for target in name, str(first.pid):
        with serving(target) as server:
            expect(f"{target}: when it has ended", differences(server.get("/api/report"), wanted), [])
    other.end()
    refused = subprocess.run([HOTPATH, "serve", "--port", "0", name[:-1]], capture_output=True, text=True, check=False, timeout=30)
    expect("no such run", (refused.returncode, refused.stderr.count("\n"), name[:-1] in refused.stderr), (2, 1, True))


def alone(_):
    """A run of one process is that process, also if it executes another program."""
    program = Program(command=(HOTPATH, "run", "--no-cpu"))
    with serving() as server:
        (entry,) = programs_of(server)
        expect("one process", (entry["kind"], entry["run"], entry["processes"]), ("process", None, 1))
        program.process.stdin.write(f"become {WATCHED}\n")
        program.process.stdin.flush()
        until("it has two segments", lambda: len([it for it in os.listdir(os.environ["HOTPATH_DIR"]) if it.endswith(".seg")]) == 2)
        program.ask("work 5")
        until("it is another program", lambda: calls_of(server.get("/api/report")) == 5)
        expect("still one", [it["kind"] for it in programs_of(server)], ["process"])
    program.end()


def metrics(folder):
    """A run has no metrics besides those of its processes."""
    run = Run(folder, 2)
    for worker in run.workers:
        worker.ask("work 10")
    with serving() as server:
        name = wait_for_run(server, 2)["id"]
        for query in "", f"?program={name}":
            lines = server.ask("/metrics" + query).body.decode().splitlines()
            seen = [line for line in lines if line.startswith("hotpath_function_calls_total{") and FUNCTION in line]
            expect(f"/metrics{query}", (len(seen), sum(float(it.split()[-1]) for it in seen)), (2, 20))
    run.end()


def profiles(folder):
    """pprof and agents know a run by its id."""
    run = Run(folder, 2)
    for worker in run.workers:
        worker.ask("work 10")
    with serving() as server:
        name = wait_for_run(server, 2)["id"]
        expect_error("pprof", server.ask(f"/debug/pprof/profile?program={name}"), 404, "has no")
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "function", "arguments": {"name": FUNCTION, "program": name}}}
        answer = server.ask("/mcp", "POST", json.dumps(call), **{"Content-Type": "application/json"}).json()
        expect("an agent", answer["result"]["structuredContent"]["functions_timing"]["calls"], 20)
    run.end()


def path_of(pid):
    return next(it["path"] for it in segments() if it["pid"] == pid)


def overwrite(path, source):
    """Copy what a segment has into another one; most of it is a hole."""
    to, of = os.open(path, os.O_WRONLY), os.open(source, os.O_RDONLY)
    end = 0
    while end < os.fstat(of).st_size:
        try:
            begin = os.lseek(of, end, os.SEEK_DATA)
        except OSError:
            break
        end = os.lseek(of, begin, os.SEEK_HOLE)
        os.pwrite(to, os.pread(of, end - begin, begin), begin)
    os.close(to)
    os.close(of)


def read_once(folder):
    """A process that has ended is not read again: what its segment becomes does not matter."""
    run = Run(folder, 3)
    ended, other, last = run.workers
    for count, worker in enumerate(run.workers, 1):
        worker.ask(f"work {count}00")
    with serving() as server:
        query = f"/api/report?program={wait_for_run(server, 3)['id']}"
        for worker in ended, other:
            worker.end()
        until("two have ended", lambda: [it["live"] for it in segments()].count(False) == 2)
        last.ask("work 1000")
        until("they are read", lambda: calls_of(server.get(query)) == 1600)
        overwrite(path_of(ended.pid), path_of(other.pid))
        last.ask("work 1")
        until("only the running one is read", lambda: calls_of(server.get(query)) == 1601)
    with serving() as server:
        query = f"/api/report?program={wait_for_run(server)['id']}"
        expect("another server reads all", calls_of(server.get(query)), 1701)
    run.end()


def vanishing(folder):
    """Segments that are gone, or cut off, between being listed and being read."""
    run = Run(folder, 4)
    gone, cut, replaced, last = run.workers
    for worker in run.workers:
        worker.ask("work 10")
    for worker in gone, cut, replaced:
        worker.end()
    until("three have ended", lambda: [it["live"] for it in segments()].count(False) == 3)
    with serving() as server:
        query = f"/api/report?program={wait_for_run(server, 4)['id']}"
        os.unlink(path_of(gone.pid))
        with open(path_of(cut.pid), "r+b") as file:
            file.truncate(4096)
        path = path_of(replaced.pid)
        os.unlink(path)
        os.mkdir(path)
        expect("what is left", calls_of(server.get(query)), 10)
        last.ask("work 5")
        until("it goes on", lambda: calls_of(server.get(query)) == 15)
        os.rmdir(path)
    with serving() as server:
        expect("a run of which one process is left", [it["kind"] for it in programs_of(server) if it["pid"] == last.pid],
               ["process"])
    run.end()


def lying(folder):
    """Segments that say they are of a run with the id of a process, or with a name that is a path."""
    other = Program()
    for lie in str(other.pid), "../../../../etc/passwd", "1-", "-":
        run = Run(folder, 2)
        for worker in run.workers:
            worker.ask("work 10")
        name = next(it["run"] for it in segments() if it["pid"] == run.workers[0].pid)
        for worker in run.workers:
            with open(path_of(worker.pid), "r+b") as file:
                at = file.read(4096).index(name.encode())
                file.seek(at)
                file.write(lie.encode().ljust(64, b"\0"))
        with serving() as server:
            pids = {it["pid"] for it in programs_of(server) if it["kind"] == "process"}
            expect(f"{lie}: all processes are there", pids >= {other.pid, *(it.pid for it in run.workers)}, True)
            expect(f"{lie}: the process of that id", calls_of(server.get(f"/api/report?program={other.pid}")), 1)
            for entry in programs_of(server):
                if entry["kind"] == "run" and entry["state"] == "running":
                    expect(f"{lie}: its processes", calls_of(server.get(f"/api/report?program={entry['id'].replace('/', '%2F')}")), 20)
        run.end()
    other.end()


def emptied(folder):
    """A run that is removed as a whole keeps what was read of it; one that was never read is an error."""
    run = Run(folder, 2)
    for worker in run.workers:
        worker.ask("work 10")
    with serving() as server, serving() as other:
        query = f"/api/report?program={wait_for_run(server, 2)['id']}"
        wait_for_run(other, 2)
        run.end()
        until("it has ended", lambda: run_of(server)["state"] == "ended")
        expect("it is read", calls_of(server.get(query)), 20)
        subprocess.run([HOTPATH, "list", "--clean"], check=True, stdout=subprocess.DEVNULL)
        expect("it stays", calls_of(server.get(query)), 20)
        expect_error("it was not read", other.ask(query), 503, "is left")


def many(folder):
    """Of a run with many processes the newest are in the list; the run has the figures of all."""
    count = 60
    keeps = dict(os.environ, HOTPATH_KEEP="1000")
    script = f'i=0; while [ $i -lt {count} ]; do echo "work 10" | "$0" > "$1"; i=$((i + 1)); done; cat "$2"'
    fifo = os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    old = Program()
    old.end()
    run = subprocess.Popen([HOTPATH, "run", "--no-cpu", "sh", "-c", script, WATCHED, "/dev/null", fifo], env=keeps)
    until("all have run", lambda: [it["live"] for it in segments()].count(False) == count + 1, 120)
    with serving() as server:
        entry = wait_for_run(server, 8)
        expect("processes in the list", len([it for it in programs_of(server) if it["run"] == entry["id"]]), 8)
        expect("others stay", any(it["pid"] == old.pid for it in programs_of(server)), True)
        expect("between two processes", entry["state"], "running" if IS_TOLD else "ended")
        expect("processes of the run", entry["processes"] >= count, True)
        report = server.get(f"/api/report?program={entry['id']}")
        expect("calls of all", calls_of(report), count * 10)
        if IS_TOLD:
            stream = Stream(server, f"/api/stream?program={entry['id']}&interval=100&section=processes")
            until("the list is told", lambda: stream.next()[0] == "programs")
            expect("programs do not come and go", [stream.next()[0] for _ in range(10)].count("programs"), 0)
            stream.close()
        with open(fifo, "w", encoding="utf-8"):
            pass
        expect("its end", run.wait(), 0)
        until("it has ended", lambda: run_of(server)["state"] == "ended")
        expect("afterwards", differences(server.get(f"/api/report?program={entry['id']}"), reported(entry["id"])), [])


def folded(folder):
    """While a run folds the segments of many processes, what was read of them stays; afterwards the report has all."""
    fifo = os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    script = 'for i in 1 2 3 4 5 6; do echo "work 10" | "$0" > /dev/null; done; cat "$1"'
    run = subprocess.Popen([HOTPATH, "run", "--no-cpu", "sh", "-c", script, WATCHED, fifo], env=dict(os.environ, HOTPATH_KEEP="2"))
    with serving() as server:
        entry = wait_for_run(server)
        query = f"/api/report?program={entry['id']}"
        until("all are read", lambda: calls_of(server.get(query)) == 60)
        with open(fifo, "w", encoding="utf-8"):
            pass
        expect("its end", run.wait(), 0)
        expect("few are left", len(segments()), 2)
        until("it has ended", lambda: run_of(server)["state"] == "ended")
        expect("calls of all", calls_of(server.get(query)), 60)
        expect("the report", differences(server.get(query), reported(entry["id"])), [])


main(one_run, windows, named, alone, metrics, profiles, read_once, vanishing, lying, emptied, many, folded)
