# SPDX-License-Identifier: MIT
"""What the tests of `hotpath serve` share: a server with a folder of its own, programs, and requests."""
import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

HOTPATH = os.environ["HOTPATH"]
BUILD = os.environ["BUILD"]
# A sanitizer keeps freed memory for a while, and is not in programs that are only sampled.
with open(HOTPATH, "rb") as tool:
    SANITIZED = re.search(b"__[at]san_init", tool.read()) is not None
failures = []


def fail(what):
    print("FAILED:", what)
    failures.append(what)


def expect(what, seen, wanted):
    if seen != wanted:
        fail(f"{what}: {seen!r}, not {wanted!r}")


def expect_error(what, answer, status, words):
    """An error is one line in JSON that says what is wrong."""
    expect(f"{what}: status", answer.status, status)
    if answer.status == status and words not in answer.json().get("error", ""):
        fail(f"{what}: {answer.body!r} does not say '{words}'")


def until(what, condition, seconds=30):
    """Wait for a condition; what it returns."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        seen = condition()
        if seen:
            return seen
        time.sleep(0.02)
    fail(f"{what}: not within {seconds} s")
    return None


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            fail(f"not JSON: {self.body[:200]!r}")
            return {}


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(self.path)


class Server:
    """A server that runs. Its token is sent with each request, unless the caller says otherwise."""

    def __init__(self, *arguments, port=0, **options):
        where = () if "--unix" in arguments else ("--port", str(port))
        self.process = subprocess.Popen([HOTPATH, "serve", *where, *arguments], stdout=subprocess.PIPE, text=True,
                                        **options)
        self.line = self.process.stdout.readline().strip()
        if not self.line.startswith("serving on "):
            raise SystemExit(f"FAILED: {arguments}: the server prints {self.line!r}")
        self.url = urllib.parse.urlsplit(self.line.removeprefix("serving on "))
        self.token = urllib.parse.parse_qs(self.url.query).get("token", [None])[0]

    def connect(self):
        if self.url.scheme == "unix":
            return UnixConnection(self.url.path)
        return http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=30)

    def raw(self):
        """A socket that is connected."""
        return socket.create_connection((self.url.hostname, self.url.port), timeout=30)

    def ask(self, target, method="GET", body=None, trusted=True, **headers):
        if trusted and self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        connection = self.connect()
        connection.request(method, target, body=body, headers=headers)
        answer = Answer(connection.getresponse())
        connection.close()
        return answer

    def get(self, target):
        answer = self.ask(target)
        expect(f"{target}: status", answer.status, 200)
        return answer.json()

    def memory_kb(self, which="VmRSS"):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as status:
            return next(int(line.split()[1]) for line in status if line.startswith(f"{which}:"))

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        try:
            status = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            fail("the server does not end")
            self.process.kill()
            status = self.process.wait()
        self.process.stdout.close()
        return status


@contextlib.contextmanager
def serving(*arguments, **options):
    server = Server(*arguments, **options)
    try:
        yield server
    finally:
        expect("the end of a server", server.end(), 0)


class Program:
    """A program that does what each line tells it, and answers by a line."""

    def __init__(self, name="watched", first="work 1", command=(), **options):
        path = os.path.join(BUILD, "tests/programs", name)
        self.process = subprocess.Popen([*command, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)
        self.pid = self.process.pid
        self.ask(first)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


class Stream:
    """Server-sent events: (event, id, data) one after the other."""

    def __init__(self, server, target):
        self.connection = server.connect()
        self.connection.request("GET", target, headers={"Authorization": f"Bearer {server.token}"})
        self.response = self.connection.getresponse()
        expect(f"{target}: status", self.response.status, 200)
        expect(f"{target}: type", self.response.headers["Content-Type"], "text/event-stream")

    def next(self):
        """The next event; None at the end."""
        event = {}
        while True:
            line = self.response.readline().decode()
            if not line:
                return None
            line = line.rstrip("\n")
            if not line and "data" in event:
                return event["event"], int(event["id"]), json.loads(event["data"])
            key, _, value = line.partition(": ")
            if key:
                event[key] = value

    def report(self, accept=lambda data: True, seconds=30):
        """The next report that is acceptable."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            event = self.next()
            if event is None:
                break
            if event[0] == "report" and accept(event[2]):
                return event[2]
        fail("a stream: the report that was waited for did not come")
        return None

    def close(self):
        self.response.close()
        self.connection.close()


def rows(report):
    return {row["name"]: row for row in report["functions_timing"]["data"]}


def main(*tests):
    """Run tests, each with a folder of its own for segments. Names on the command line choose some."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for test in tests:
        if len(sys.argv) > 1 and test.__name__ not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.environ["HOTPATH_DIR"] = os.path.join(folder, "segments")
            os.mkdir(os.environ["HOTPATH_DIR"], 0o700)
            os.environ["HOTPATH_OUTPUT_FORMAT"] = "none"
            test(folder)
    sys.exit(1 if failures else 0)
