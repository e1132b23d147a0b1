#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A small server for tests of the page: it hands out the page, and what 'hotpath' tells of a program that really runs.

usage: live_server.py FOLDER PROGRAM [ARGUMENT...]

FOLDER has the files of the page. The port is printed first. The server ends when its standard input does. It knows four programs:
"demo-0", which is PROGRAM, "saved", which is a report of it, "day", which sends the updates of 24 hours as fast as they are read, and
"twins", of functions that have one name, with a deadlock after a POST of /deadlock. A POST of /kill kills the program, one of /restart starts it again, as "demo-1", and after one of /busy the list and flame graphs are
refused until one of /idle.
"""

import functools
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.parse

HOTPATH = os.environ["HOTPATH"]
TYPES = {"/": ("index.html", "text/html; charset=utf-8"), "/page.js": ("page.js", "text/javascript; charset=utf-8"),
         "/page.css": ("page.css", "text/css; charset=utf-8")}
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "
          "form-action 'none'; frame-ancestors 'none'")
UPDATES = 24 * 60 * 60
# What updates do not have.
WHOLE = ("call_tree", "stacks", "wait_stacks", "alloc_stacks")


def run(*arguments):
    return subprocess.run([HOTPATH, *arguments], check=True, capture_output=True, text=True).stdout


class Demo:
    """The program, and how often it was started again."""

    def __init__(self, command):
        self.command = command
        self.restarts = -1
        self.start()

    def start(self):
        self.run = subprocess.Popen([HOTPATH, "run", "--all", "--format", "none", *self.command], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pid = self.child()
        self.restarts += 1

    def child(self):
        """The program is ready when there is something to report."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            children = pathlib.Path(f"/proc/{self.run.pid}/task/{self.run.pid}/children").read_text(encoding="ascii").split()
            for pid in children:
                if subprocess.run([HOTPATH, "report", pid], capture_output=True, check=False).returncode == 0:
                    return int(pid)
            time.sleep(0.05)
        sys.exit("the program does not start")

    def report(self, section):
        return run("report", "--format", "json", "--limit", "0", "--report", section, str(self.pid))

    def end(self, signal):
        try:
            os.kill(self.pid, signal)
        except ProcessLookupError:
            pass
        self.run.wait()

    @property
    def id(self):
        return f"demo-{self.restarts}"

    @property
    def state(self):
        return "running" if self.run.poll() is None else "ended"

    def updates(self):
        """The lines of 'hotpath top', of this start of the program and of all further ones."""
        while True:
            restarts = self.restarts
            with subprocess.Popen([HOTPATH, "top", "--json-lines", "--report", "all", "--limit", "0", "--percentiles", "50,95,99", "--refresh-ms",
                                   "300", str(self.pid)], stdout=subprocess.PIPE, text=True) as top:
                try:
                    for line in top.stdout:
                        yield self.update(json.loads(line), restarts)
                finally:
                    top.terminate()
            while self.restarts == restarts:
                time.sleep(0.05)

    @functools.cached_property
    def saved(self):
        return json.loads(self.report("all"))

    def saved_updates(self):
        """A saved report is sent once."""
        report = {key: value for key, value in self.saved.items() if key not in WHOLE}
        yield {"program": "saved", "state": "saved", "restarts": 0, "seen_unix_ns": time.time_ns(), "recent": [], "report": report}

    def update(self, report, restarts):
        state = report.pop("state")
        return {"program": f"demo-{restarts}", "state": "running" if state == "live" else state, "restarts": restarts,
                "seen_unix_ns": report.pop("seen_unix_ns"), "recent": recent_of(report),
                "report": {key: value for key, value in report.items() if key not in WHOLE}}


def recent_of(report):
    """As if the calls since the last update had been like all others."""
    return [{key: row[key] for key in row if key in ("name", "calls") or re.fullmatch(r"p\d+_ns", key)}
            for row in report.get("functions_timing", {}).get("data", [])]


def threads_of(second):
    """Threads that come and go, as those of a server do."""
    return [{"name": f"worker-{number % 40}", "tid": 1000 + number, "pid": 7, "state": "running" if number % 3 else "sleeping",
             "user_ns": (second - number * 60) * 1000000, "system_ns": 0}
            for number in range(max(0, second // 60 - 7), second // 60 + 1)]


def day():
    """Updates of 24 hours: functions and threads come and go, and counters grow."""
    for second in range(1, UPDATES + 1):
        functions = [{"name": f"function_{number % 997}", "kind": "function", "calls": second * number, "total_ns": second * 1000,
                      "self_ns": second * 900, "p50_ns": 10 + second % 7, "p95_ns": 20 + second % 11, "p99_ns": 30,
                      "percent_total": second % 100 + 0.5, "percent_self": 1.0, "location": {"file": "day.c", "line": number}}
                     for number in range(second // 3600 + 1, second // 3600 + 6)]
        report = {"type": "hotpath_report", "schema": 1, "version": "0", "program": "day", "pid": 7, "elapsed_ns": second * 1000000000,
                  "start_unix_ns": second // 20000 + 1, "exit": {"running": True}, "functions_timing": {"percentiles": [50, 95, 99], "data": functions},
                  "threads": {"rss_bytes": 1000000 + second % 5000, "data": threads_of(second)},
                  "locks": {"data": [{"name": "gate", "contended_count": second * 3, "acquired_count": second * 100}]}}
        yield {"program": "day", "state": "running", "restarts": second // 20000, "seen_unix_ns": second * 1000000000,
               "recent": recent_of(report), "report": report}


def twin(calls, self_ns, offset):
    return {"name": "twin", "kind": "function", "calls": calls, "total_ns": self_ns, "self_ns": self_ns, "percent_total": 1.0,
            "percent_self": 1.0, "location": None, "module": "/twins", "offset": offset}


def twins(is_locked):
    """Functions of one name, two of which nothing tells apart. With the deadlock, the first one becomes the second one."""
    for second in range(1, UPDATES):
        locked = is_locked.wait(0.2)
        functions = [twin(second * 10, 2000, 16), twin(second * 100, 3000 if locked else 1000, 32), twin(second * 1000, 500, 48),
                     twin(second * 1000, 400, 48)]
        report = {"type": "hotpath_report", "schema": 1, "version": "0", "program": "twins", "pid": 8, "elapsed_ns": 1000000000,
                  "start_unix_ns": 1, "exit": {"running": True}, "functions_timing": {"percentiles": [], "data": functions},
                  "blocked": {"deadlocks": ["a waits for b waits for a"] if locked else [], "data": []}}
        recent = {"p50_ns": 900000} if locked else {"p50_ns": 700, "p95_ns": 800}
        yield {"program": "twins", "state": "running", "restarts": 0, "seen_unix_ns": second * 1000000000,
               "recent": [{"name": "twin", "calls": 1, **recent}], "report": report}
        if locked:
            time.sleep(0.2)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, kind="application/json", status=200):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(body)

    def answer_json(self, value, status=200):
        self.answer(json.dumps(value).encode(), status=status)

    def stream(self, updates):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number, update in enumerate(updates):
            self.wfile.write(f"event: report\nid: {number}\ndata: {json.dumps(update, separators=(',', ':'))}\n\n".encode())
            self.wfile.flush()
        while not self.server.is_over.wait(15):
            self.wfile.write(b": still here\n\n")

    def do_GET(self):
        path, _, query = self.path.partition("?")
        asked = dict(urllib.parse.parse_qsl(query))
        demo = self.server.demo
        try:
            if path in TYPES:
                name, kind = TYPES[path]
                self.answer((self.server.folder / name).read_bytes(), kind)
            elif self.server.is_busy and path in ("/api/programs", "/api/flame"):
                self.answer_json({"error": "the server is busy; ask again"}, 503)
            elif path == "/api/programs":
                self.answer_json({"version": "0", "host": "test", "programs": [
                    {"id": demo.id, "kind": "process", "name": "hotpath-demo", "pid": demo.pid, "state": demo.state, "elapsed_ns": 1,
                     "threads": 5, "functions": 16, "error": None},
                    {"id": "saved", "kind": "report", "name": "hotpath-demo", "pid": 7, "state": "saved", "elapsed_ns": 1,
                     "threads": 5, "functions": 16, "error": None},
                    {"id": "twins", "kind": "process", "name": "twins", "pid": 8, "state": "running", "elapsed_ns": 1, "threads": 1,
                     "functions": 4, "error": None},
                    {"id": "day", "kind": "process", "name": "day", "pid": 7, "state": "running", "elapsed_ns": 1, "threads": 1,
                     "functions": 5, "error": None}]})
            elif path == "/api/stream":
                updates = {demo.id: demo.updates, "saved": demo.saved_updates, "day": day, "twins": lambda: twins(self.server.is_locked)}
                self.stream(updates[asked["program"]]())
            elif path == "/api/report" and asked["program"] == demo.id:
                self.answer(demo.report(asked.get("section", "all")).encode())
            elif path == "/api/report" and asked["program"] == "saved":
                self.answer_json(demo.saved)
            elif path == "/api/report" and asked["program"] == "day":
                self.answer_json({})
            elif path == "/api/flame" and asked["program"] == demo.id:
                self.flame(asked["what"])
            else:
                self.answer_json({"error": "there is no such thing here"}, 404)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def flame(self, what):
        page = run("report", "--format", "html", "--report", "timing", str(self.server.demo.pid))
        begin = page.index('id="data">') + len('id="data">')
        graphs = {graph["what"]: graph for graph in json.loads(page[begin:page.index("</script>", begin)])["flames"]}
        if what in graphs:
            self.answer_json(graphs[what])
        else:
            self.answer_json({"error": f"nothing was recorded for '{what}'"}, 404)

    def do_POST(self):
        if self.path == "/kill":
            self.server.demo.end(9)
        elif self.path == "/restart":
            self.server.demo.start()
        elif self.path == "/deadlock":
            self.server.is_locked.set()
        self.server.is_busy = self.path == "/busy"
        self.answer_json({})


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.is_over = threading.Event()
    server.is_locked = threading.Event()
    server.is_busy = False
    server.folder = pathlib.Path(sys.argv[1])
    server.demo = Demo(sys.argv[2:])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
    server.is_over.set()
    server.demo.end(9)


if __name__ == "__main__":
    main()
