#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hotpath serve is told what to serve, says in one line what is wrong, and ends when it is asked to."""
import os
import pwd
import shutil
import signal
import struct
import subprocess

from serving import BUILD, HOTPATH, Program, Server, Stream, expect, expect_error, fail, main, serving, until


def refused(what, words, *arguments):
    done = subprocess.run([HOTPATH, "serve", *arguments], capture_output=True, text=True, check=False, timeout=30)
    expect(f"{what}: status and output", (done.returncode, done.stdout), (2, ""))
    if words not in done.stderr or done.stderr.count("\n") != 1:
        fail(f"{what}: {done.stderr!r} is not a line with '{words}'")


def wrong_use(folder):
    empty, short = os.path.join(folder, "empty"), os.path.join(folder, "short")
    for path, text in (empty, ""), (short, "short\n"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    refused("a port", "is not a number from 0 to 65535", "--port", "65536")
    refused("a port", "is not a number from 0 to 65535", "--port", "http")
    refused("an address", "is no address of this machine", "--listen", "no.such.name.invalid")
    refused("an address of others", "cannot listen", "--port", "0", "--listen", "192.0.2.1")
    refused("a file", "No such file", "--token-file", os.path.join(folder, "none"))
    refused("an empty file", "is not 16 to 128", "--token-file", empty)
    refused("a short token", "is not 16 to 128", "--token-file", short)
    refused("both", "exclude each other", "--token-file", short, "--no-token")
    refused("a socket and a port", "excludes", "--unix", os.path.join(folder, "socket"), "--port", "1")
    refused("a long path", "more than", "--unix", "/" + "x" * 200)
    refused("a socket in the place of a file", "cannot listen", "--unix", empty)
    refused("no such program", "no measured program", "no-such-program")
    refused("no such process", "does not exist", "4194304")
    refused("no such report", "No such file", os.path.join(folder, "none.json"))
    refused("unknown option", "--nonsense", "--nonsense")


def busy_port(_):
    with serving() as server:
        refused("a busy port", f"port {server.url.port} of 127.0.0.1 is in use", "--port", str(server.url.port))


def interrupted(_):
    program = Program()
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        server = Server(preexec_fn=lambda: [signal.signal(it, signal.SIG_DFL) for it in
                                            (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)])
        streams = [Stream(server, f"/api/stream?program={program.pid}") for _ in range(3)]
        waits = server.connect()
        waits.request("GET", f"/api/report?program={program.pid}&window=300",
                      headers={"Authorization": f"Bearer {server.token}"})
        for stream in streams:
            stream.report()
        expect(f"ended by {number.name}", server.end(number), 0)
        for stream in streams:
            try:
                while stream.next():
                    pass
            except OSError:
                pass
            except ValueError:
                pass
            stream.close()
        waits.close()
    program.end()


def which_programs(folder):
    one, other = Program(), Program("obedient", "1")
    with serving() as server:
        expect("all", sorted(it["id"] for it in server.get("/api/programs")["programs"]),
               sorted([str(one.pid), str(other.pid)]))
        expect_error("no program is named", server.ask("/api/report"), 400, "program=ID")
        expect_error("no such program", server.ask("/api/report?program=1"), 404, "/api/programs")
        late = Program()
        until("a new one appears", lambda: any(it["pid"] == late.pid for it in server.get("/api/programs")["programs"]))
        late.end()
        until("it has ended", lambda: any(it["pid"] == late.pid and it["state"] == "ended"
                                          for it in server.get("/api/programs")["programs"]))
        expect("it can be read", server.get(f"/api/report?program={late.pid}")["pid"], late.pid)
    for target in str(one.pid), "watched", os.path.join(BUILD, "tests/programs/watched"):
        with serving(target) as server:
            programs = server.get("/api/programs")["programs"]
            expect(f"{target} alone", [it["pid"] for it in programs if it["state"] == "running"], [one.pid])
    saved = os.path.join(folder, "saved report.json")
    subprocess.run([HOTPATH, "report", str(other.pid), "--save", saved], check=True)
    with serving(saved, str(one.pid)) as server:
        programs = {it["id"]: it for it in server.get("/api/programs")["programs"]}
        expect("a saved report", (programs[saved]["kind"], programs[saved]["state"], programs[saved]["name"]),
               ("report", "saved", "obedient"))
        path = saved.replace(" ", "+").replace("/", "%2F")
        expect("its report", server.get(f"/api/report?program={path}")["pid"], other.pid)
        expect_error("it has no window", server.ask(f"/api/report?program={path}&window=1"), 400, "does not change")
        stream = Stream(server, f"/api/stream?program={path}")
        expect("its stream", stream.report()["state"], "saved")
        stream.close()
    segment = os.path.join(folder, "segment.json")
    name = next(it for it in os.listdir(os.environ["HOTPATH_DIR"]) if it.startswith(f"hotpath-{one.pid}-"))
    shutil.copy(os.path.join(os.environ["HOTPATH_DIR"], name), segment)
    with serving(segment) as server:
        expect("a segment with the name of a report", [(it["id"], it["kind"], it["pid"])
                                                       for it in server.get("/api/programs")["programs"]],
               [(segment, "process", one.pid)])
    one.end()
    other.end()


def make_older(server, pid):
    """A process was started long before its segment."""
    name = next(it for it in os.listdir(os.environ["HOTPATH_DIR"]) if it.startswith(f"hotpath-{pid}-"))
    started = next(it["started_unix_ns"] for it in server.get("/api/programs")["programs"] if it["pid"] == pid)
    with open(os.path.join(os.environ["HOTPATH_DIR"], name), "r+b") as file:
        at = file.read(4096).index(struct.pack("=Q", started))
        file.seek(at)
        file.write(struct.pack("=Q", started // 2))


def many_ended(_):
    """What has ended is in the list or not, but does not come and go; a process may be older than its segment."""
    program, *others, last = [Program() for _ in range(36)]
    for other in others:
        other.end()
    with serving() as server:
        make_older(server, others[-1].pid)
    with serving() as server:
        stream = Stream(server, f"/api/stream?program={program.pid}&interval=100")
        listed = {}
        while listed.get(last.pid) != "ended":
            event, _, data = stream.next()
            if event == "programs":
                listed = {it["pid"]: it["state"] for it in data["programs"]}
                if listed[last.pid] == "running":
                    last.end()
        expect("programs in the list", len(listed), 33)
        events = [stream.next()[0] for _ in range(25)]
        expect("lists that were sent afterwards", events.count("programs"), 0)
        stream.close()
    program.end()


def other_namespace(_):
    """The id of a process of another namespace is the same before and after its end, to whoever has seen it live or not."""
    command = ["unshare", *(() if os.geteuid() == 0 else ("--map-root-user",)), "--pid", "--fork", "--kill-child"]
    if not shutil.which("unshare") or subprocess.run([*command, "true"], check=False).returncode:
        print("not tried: there are no namespaces")
        return
    program = Program(command=command)

    def ids(server, state):
        return [it["id"] for it in server.get("/api/programs")["programs"] if it["state"] == state]

    with serving() as server:
        before = ids(server, "running")
        expect("its id is the name of its segment", before, os.listdir(os.environ["HOTPATH_DIR"]))
        program.end()
        expect("after its end", until("it has ended", lambda: ids(server, "ended")), before)
    with serving() as server:
        expect("to one that has not seen it live", ids(server, "ended"), before)


def foreign_folder(_):
    """Where others may write, nothing is looked for; whoever asks is told."""
    folder = os.environ["HOTPATH_DIR"]
    with serving() as server:
        expect("at first", server.get("/api/programs")["error"], None)
        os.chmod(folder, 0o777)
        error = until("the reason is told", lambda: server.get("/api/programs")["error"])
        if "cannot look for segments" not in (error or ""):
            fail(f"{error!r} is no reason")
        expect_error("a report", server.ask("/api/report"), 503, "cannot look for segments")
        refused("a folder of others", "cannot look for segments", "--port", "0")
        os.chmod(folder, 0o700)
        until("it is ours again", lambda: server.get("/api/programs")["error"] is None)


def log(folder):
    """What is refused is a line of the log, with its path if it has one."""
    path = os.path.join(folder, "log")
    with open(path, "w", encoding="utf-8") as file, serving(stderr=file) as server:
        expect("a long target", server.ask("/" + "x" * 5000).status, 400)
    with open(path, encoding="utf-8") as file:
        expect("the log", file.read(), "hotpath: serve: refused a request with status 400\n")


def ordinary_user(folder):
    """Root tries as somebody else, who has programs of his own; for others, all tests are this one."""
    if os.geteuid() != 0:
        return
    nobody = pwd.getpwnam("nobody").pw_uid
    segments = os.environ["HOTPATH_DIR"]
    os.chmod(folder, 0o711)
    os.chown(segments, nobody, -1)
    try:
        subprocess.run([HOTPATH, "--version"], user=nobody, capture_output=True, check=True)
    except (PermissionError, subprocess.CalledProcessError):
        print("not tried: an ordinary user may not execute the tool where it was built")
        return
    program = Program(user=nobody)
    with serving(user=nobody) as server:
        expect("an ordinary user", [it["pid"] for it in server.get("/api/programs")["programs"]], [program.pid])
        expect("his report", server.get("/api/report")["pid"], program.pid)
    program.end()


main(wrong_use, busy_port, interrupted, which_programs, many_ended, other_namespace, foreign_folder, log, ordinary_user)
