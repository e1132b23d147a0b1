#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hotpath serve outlives whoever is slow, floods it or talks nonsense: it answers others, and takes no more memory."""
import json
import random
import re
import resource
import select
import socket
import subprocess
import time

from serving import SANITIZED, Program, Server, Stream, expect, fail, main, serving, until

# What a server may have grown by, whatever happened.
GROWN_KB = (512 if SANITIZED else 16) * 1024
# As many connections as a server accepts, and some more files of its own.
FILES = 128 + 64


class Watched:
    """A server whose memory and files are compared at the end, and which must still answer."""

    def __init__(self, what, **options):
        self.what = what
        self.server = Server(stderr=subprocess.DEVNULL, **options)

    def __enter__(self):
        self.server.get("/api/programs")
        self.before = self.server.memory_kb()
        return self.server

    def __exit__(self, *_):
        answer = until(f"{self.what}: others are answered", self.answers)
        grown = self.server.memory_kb() - self.before
        if answer and grown > GROWN_KB:
            fail(f"{self.what}: the server has grown by {grown} KB")
        expect(f"{self.what}: the end", self.server.end(), 0)

    def answers(self):
        try:
            return self.server.ask("/api/programs").status == 200
        except OSError:
            return False


def first_line(raw):
    """Of the answer; empty when the connection was closed without one."""
    try:
        return raw.makefile("rb").readline().decode().strip()
    except OSError:
        return ""


def said(server, text):
    with server.raw() as raw:
        try:
            raw.sendall(text)
            return first_line(raw)
        except OSError:
            return ""


def head(server, target="/api/programs", more=""):
    return (f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{server.url.port}\r\n"
            f"Authorization: Bearer {server.token}\r\n{more}").encode()


def oversized(_):
    with Watched("oversized") as server:
        cases = {
            "a header": head(server) + b"X: " + b"x" * 9000 + b"\r\n\r\n",
            "many headers": head(server) + b"X: y\r\n" * 3000 + b"\r\n",
            "a target": head(server, "/" + "x" * 9000) + b"\r\n",
            "a body": head(server).replace(b"GET", b"POST", 1) + b"Content-Length: 100000\r\n\r\n" + b"x" * 100000,
            "a body without an end": head(server).replace(b"GET", b"POST", 1) +
            b"Transfer-Encoding: chunked\r\n\r\n" + b"ffff\r\n" + b"x" * 65535 + b"\r\nffff\r\n" + b"x" * 65535,
            "a huge length": head(server).replace(b"GET", b"POST", 1) + b"Content-Length: 99999999999999999999\r\n\r\n",
        }
        for what, text in cases.items():
            line = said(server, text)
            if line and not line.startswith(("HTTP/1.1 400", "HTTP/1.1 413")):
                fail(f"{what}: {line}")
        line = said(server, head(server, "/" + "x" * 5000) + b"\r\n")
        expect("a target that is longer than any of ours", line, "HTTP/1.1 400 Bad Request")


def nonsense(_):
    with Watched("nonsense") as server:
        for text in (b"", b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00" * 100, b"\xff" * 100 + b"\r\n\r\n",
                     b"GET / HTTP/1.1\r\n: x\r\n\r\n", b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
                     b"CONNECT evil.example:80 HTTP/1.1\r\n\r\n", b"GET /\x00 HTTP/1.1\r\n\r\n"):
            with server.raw() as raw:
                raw.sendall(text)
                raw.shutdown(socket.SHUT_WR)
                line = first_line(raw)
                if line and not line.startswith(("HTTP/1.1 4", "HTTP/1.1 5", "HTTP/9.9 4", "HTTP/1.0 4")):
                    fail(f"{text!r}: {line}")
        numbers = random.Random(1)
        right = head(server) + b"\r\n"
        for _ in range(300):
            text = bytearray(right)
            for _ in range(numbers.randint(1, 8)):
                text[numbers.randrange(len(text))] = numbers.randrange(256)
            with server.raw() as raw:
                raw.sendall(bytes(text))
                raw.shutdown(socket.SHUT_WR)
                first_line(raw)


def pipelined(_):
    with Watched("pipelined") as server:
        with server.raw() as raw:
            raw.sendall((head(server, "/none") + b"\r\n") + (head(server) + b"\r\n") * 2 +
                        head(server, more="Connection: close\r\n") + b"\r\n")
            text = b""
            while part := raw.recv(65536):
                text += part
        expect("the answers", re.findall(rb"HTTP/1.1 (\d+)", text), [b"404", b"200", b"200", b"200"])


def truncated(_):
    with Watched("truncated") as server:
        whole = head(server) + b"\r\n"
        for length in range(0, len(whole), 7):
            with server.raw() as raw:
                raw.sendall(whole[:length])
        for _ in range(50):
            with server.raw() as raw:
                raw.sendall(whole)
        until("files are closed", lambda: server.files() < 32)


def slow(_):
    """One that sends nothing, and one that sends a byte now and then, are both cut off."""
    with Watched("slow") as server:
        silent, dripping, late = server.raw(), server.raw(), server.raw()
        late.sendall(head(server) + b"\r\n")
        late.settimeout(0.2)
        text = head(server, more="X: " + "x" * 4000)
        begin, at, open_ones = time.monotonic(), 0, {silent, dripping, late}
        while open_ones and time.monotonic() - begin < 40:
            readable, _, _ = select.select(list(open_ones), [], [], 0.2)
            for raw in readable:
                try:
                    if not raw.recv(65536):
                        open_ones.discard(raw)
                except OSError:
                    open_ones.discard(raw)
            if dripping in open_ones:
                try:
                    dripping.send(text[at:at + 1])
                    at += 1
                except OSError:
                    open_ones.discard(dripping)
            if server.ask("/api/programs").status != 200:
                fail("another one is not answered meanwhile")
        expect("connections that were not cut off", len(open_ones), 0)
        for raw in silent, dripping, late:
            raw.close()


def flood(_):
    """A thousand connections that ask nothing: none of them takes what others need."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 1000
    if hard != resource.RLIM_INFINITY and hard < wanted + 100:
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted + 100), hard))
    with Watched("a flood") as server:
        flooding = []
        for number in range(wanted):
            raw = socket.socket()
            raw.setblocking(False)
            raw.connect_ex((server.url.hostname, server.url.port))
            flooding.append(raw)
            if number % 100 == 0 and server.files() > FILES:
                fail(f"a flood: {server.files()} files are open")
        until("connections are accepted", lambda: server.files() > 100)
        if server.files() > FILES:
            fail(f"a flood: {server.files()} files are open")
        for raw in flooding:
            raw.close()
        until("files are closed", lambda: server.files() < 32)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def few_files(_):
    """With few descriptors there are fewer connections, and no busy waiting for more."""
    with Watched("few files", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))) as server:
        waiting = [server.raw() for _ in range(60)]
        until("connections are accepted", lambda: server.files() > 20)
        if server.files() > 50:
            fail(f"few files: {server.files()} are open")
        for raw in waiting:
            raw.close()


def does_not_read(_):
    """A stream that nobody reads is cut off, and does not fill the memory meanwhile."""
    program = Program()
    program.ask("functions 400")
    program.ask("work 1")
    with Watched("a stream that nobody reads") as server:
        server.get(f"/api/report?program={program.pid}")
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect((server.url.hostname, server.url.port))
        raw.sendall(head(server, f"/api/stream?program={program.pid}&interval=100") + b"\r\n")
        files = until("the stream is there", lambda: server.files() > 4 and server.files())
        most = 0

        def is_cut():
            nonlocal most
            most = max(most, server.memory_kb())
            program.ask("work 1")
            return server.files() < files

        before = server.memory_kb()
        until("the stream is cut off", is_cut, 60)
        if most - before > GROWN_KB:
            fail(f"a stream that nobody reads: {most - before} KB more")
        raw.close()
    program.end()


def talks_during_stream(_):
    """What is sent while a stream goes on is not kept."""
    program = Program()
    with Watched("a stream with a talker") as server:
        raw = server.raw()
        raw.sendall(head(server, f"/api/stream?program={program.pid}") + b"\r\n")
        raw.recv(100)
        raw.settimeout(1)
        try:
            for _ in range(400):
                raw.sendall(b"x" * 65536)
        except OSError:
            pass
        raw.close()
    program.end()


def many_streams(_):
    """There is a limit, and room for others beyond it."""
    program = Program()
    with Watched("many streams") as server:
        streams, refused = [], None
        while len(streams) < 100 and not refused:
            raw = server.raw()
            raw.sendall(head(server, f"/api/stream?program={program.pid}") + b"\r\n")
            line = first_line(raw)
            streams.append(raw)
            refused = line if line != "HTTP/1.1 200 OK" else None
        expect("one too many", refused, "HTTP/1.1 503 Service Unavailable")
        expect("others are answered", server.ask("/api/programs").status, 200)
        for raw in streams:
            raw.close()
        until("files are closed", lambda: server.files() < 32)
        stream = Stream(server, f"/api/stream?program={program.pid}")
        expect("a new stream", json.dumps(stream.report()["state"]), '"running"')
        stream.close()
    program.end()


def leaves_during_window(_):
    """Who does not wait for the answer leaves room for others, more of them than may wait at once."""
    program = Program()
    with Watched("clients that leave") as server:
        for _ in range(3):
            for _ in range(40):
                raw = server.raw()
                raw.sendall(head(server, f"/api/report?program={program.pid}&window=300") + b"\r\n")
                raw.close()
            until("files are closed", lambda: server.files() < 32)
        until("there is room for others", lambda: server.ask(f"/api/report?program={program.pid}&window=1").status == 200)
    program.end()


main(oversized, nonsense, pipelined, truncated, slow, flood, few_files, does_not_read, talks_during_stream, many_streams,
     leaves_during_window)
