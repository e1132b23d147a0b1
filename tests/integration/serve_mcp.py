#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Agents ask hotpath serve over HTTP: what is refused and how, and a question about the next seconds holds up nobody."""
import json
import os
import select
import subprocess
import threading
import time

from serving import HOTPATH, Program, expect, expect_error, fail, main, serving, until

REVISION = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": REVISION, "io.modelcontextprotocol/clientCapabilities": {}}
WINDOW = 4


def request(method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def call(tool, **arguments):
    return request("tools/call", name=tool, arguments=arguments)


def post(server, body, **headers):
    return server.ask("/mcp", method="POST", body=body, **{"Content-Type": "application/json", **headers})


def result(server, tool, **arguments):
    """What a tool says; a text if it cannot answer."""
    answer = post(server, call(tool, **arguments))
    expect(f"{tool} {arguments}: status", answer.status, 200)
    seen = answer.json()["result"]
    return seen["content"][0]["text"] if seen["isError"] else seen["structuredContent"]


def expect_rpc(what, answer, status, code):
    expect(what, (answer.status, answer.json().get("error", {}).get("code")), (status, code))


def methods(_):
    with serving() as server:
        for method in "GET", "DELETE", "PUT", "HEAD":
            answer = server.ask("/mcp", method=method)
            expect(f"{method}: status", (answer.status, answer.headers["Allow"]), (405, "POST"))
        expect_error("without a token", server.ask("/mcp", method="POST", body=request("ping"), trusted=False), 401, "token")
        expect_error("another Origin", post(server, request("ping"), Origin="http://evil.example"), 403, "other sites")
        expect_error("another Host", post(server, request("ping"), Host="evil.example"), 421, "does not name")
        own = post(server, request("ping"), Origin=f"http://127.0.0.1:{server.url.port}")
        expect("own Origin", (own.status, own.headers["Content-Type"], own.json()["result"]), (200, "application/json", {}))


def messages(_):
    with serving() as server:
        started = post(server, request("initialize", protocolVersion="2025-11-25", capabilities={},
                                       clientInfo={"name": "test", "version": "1"}))
        expect("the old revision", started.json()["result"]["protocolVersion"], "2025-11-25")
        expect("no session", started.headers["Mcp-Session-Id"], None)
        noted = post(server, json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        expect("a notification", (noted.status, noted.body), (202, b""))
        expect_rpc("no JSON", post(server, "{"), 400, -32700)
        expect_rpc("nothing", post(server, ""), 400, -32700)
        expect_rpc("no method", post(server, "{}"), 400, -32600)
        modern = {"MCP-Protocol-Version": REVISION, "Mcp-Method": "tools/list"}
        listed = post(server, request("tools/list", _meta=META), **modern)
        expect("tools", (listed.status, len(listed.json()["result"]["tools"])), (200, 14))
        expect_rpc("a header that is not the method", post(server, request("tools/list", _meta=META),
                                                           **{**modern, "Mcp-Method": "ping"}), 400, -32020)
        expect_rpc("an unknown method", post(server, request("none", _meta=META), **{**modern, "Mcp-Method": "none"}), 404, -32601)
        later = {**META, "io.modelcontextprotocol/protocolVersion": "2999-01-01"}
        expect_rpc("an unknown revision", post(server, request("tools/list", _meta=later),
                                               **{**modern, "MCP-Protocol-Version": "2999-01-01"}), 400, -32022)


def long_body(_):
    """It is refused without being read to its end, and others are answered."""
    with serving() as server:
        expect("as long as it may be", post(server, request("ping", padding="x" * 60000)).status, 200)
        try:
            status = post(server, request("ping", padding="x" * 70000)).status
            if status not in (400, 413):
                fail(f"70 KB of body: status {status}")
        except OSError:
            # The connection was closed before all was sent.
            pass
        expect("the next request", post(server, request("ping")).status, 200)


def figures(_):
    program = Program()
    program.ask("functions 5")
    program.ask("work 100")
    with serving() as server:
        overview = result(server, "overview")
        expect("the program", overview["program"], "watched")
        wanted = {row["name"]: row["calls"] for row in server.get(f"/api/report?program={program.pid}")["functions_timing"]["data"]}
        seen = {row["name"]: row["calls"] for row in result(server, "top", metric="calls", limit=50)["functions_timing"]}
        expect("calls", seen, {name: calls for name, calls in wanted.items() if name in seen})
        if len(seen) < 5:
            fail(f"too few functions: {seen}")
    program.end()


def named_alone(folder):
    """Files can be asked about if they were named when the server was started, and no others."""
    one, other = Program(), Program("obedient", "1")
    named, secret = os.path.join(folder, "named.json"), os.path.join(folder, "secret.json")
    for path in named, secret:
        subprocess.run([HOTPATH, "report", str(other.pid), "--save", path], check=True)
    with serving(named, str(one.pid)) as server:
        expect("a named report", result(server, "overview", program=named)["program"], "obedient")
        expect("a named process", result(server, "overview", program=str(one.pid))["program"], "watched")
        for what in secret, str(other.pid), "obedient", "/etc/passwd", "../named.json":
            seen = result(server, "overview", program=what)
            if "none of the programs" not in str(seen):
                fail(f"{what} was not named: {seen}")
        if "none of the programs" not in str(result(server, "compare", a=named, b=secret)):
            fail("a report that was not named can be compared with")
    with serving("--all", named) as server:
        expect("all processes", result(server, "overview", program=str(other.pid))["program"], "obedient")
        expect("a report besides them", result(server, "overview", program=named)["program"], "obedient")
        for what in secret, "/etc/passwd":
            if "no program or report is named" not in str(result(server, "overview", program=what)):
                fail(f"{what} can be asked about")
    one.end()
    other.end()


class Load:
    """A program that works until it is told to stop."""

    def __init__(self):
        self.program = Program()
        self.program.ask("functions 5")
        self.program.ask("work 1000")
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        while not self.over.wait(0.001):
            self.program.ask("work 2")

    def stop(self):
        self.over.set()
        self.thread.join()
        self.program.end()


def window(_):
    load = Load()
    pid = str(load.program.pid)
    with serving() as server:
        waiting = server.connect()
        begin = time.monotonic()
        waiting.request("POST", "/mcp", body=call("top", metric="calls", program=pid, window=WINDOW),
                        headers={"Authorization": f"Bearer {server.token}"})
        whole = result(server, "top", metric="calls", program=pid)
        expect("others meanwhile", server.ask("/api/programs").status, 200)
        if select.select([waiting.sock], [], [], 0)[0]:
            fail("a question about the next seconds holds up others")
        answer = json.loads(waiting.getresponse().read())["result"]
        waiting.close()
        if time.monotonic() - begin < WINDOW:
            fail("the seconds were not over")
        expect("isError", answer["isError"], False)
        calls = {row["name"]: row["calls"] for row in answer["structuredContent"]["functions_timing"]}
        before = {row["name"]: row["calls"] for row in whole["functions_timing"]}
        after = {row["name"]: row["calls"] for row in result(server, "top", metric="calls", program=pid)["functions_timing"]}
        # All calls of the window are between the readings, and the thousand before it are not in it.
        if not 0 < calls["function_4"] <= after["function_4"] - 1000 or before["function_4"] < 1000:
            fail(f"the window has {calls} of {after}")
        expect("a window that is too long", result(server, "top", window=31), "'window' must be an integer from 0 to 30")
    load.stop()


def ended_program(_):
    program = Program()
    with serving() as server:
        pid = str(program.pid)
        program.end()
        if "of a program that runs" not in str(result(server, "top", program=pid, window=30)):
            fail("a program that has ended has a window")


def raw_request(server, body):
    return (f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{server.url.port}\r\nAuthorization: Bearer {server.token}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}").encode()


def talks_during_window(_):
    """Further requests on the same connection are answered after it."""
    load = Load()
    with serving() as server:
        with server.raw() as raw:
            raw.sendall(raw_request(server, call("top", program=str(load.program.pid), window=1)))
            # The question was taken when a later one is answered.
            result(server, "overview")
            raw.sendall(raw_request(server, request("ping")) * 3)
            seen = b""
            while seen.count(b'"result":{}') < 3:
                part = raw.recv(65536)
                if not part:
                    break
                seen += part
            expect("answers", seen.count(b"HTTP/1.1 200 OK"), 4)
    load.stop()


def gone_clients(_):
    """Whoever goes away during a window leaves nothing behind, and neither does a server that ends meanwhile."""
    load = Load()
    body = call("top", program=str(load.program.pid), window=30)
    with serving() as server:
        result(server, "overview")
        files = server.files()
        for _ in range(20):
            raw = server.raw()
            raw.sendall(raw_request(server, body))
            raw.close()
        until("connections are closed", lambda: server.files() <= files)
        expect("it still answers", result(server, "overview")["program"], "watched")
        raw = server.raw()
        raw.sendall(raw_request(server, body))
        result(server, "overview")
    raw.close()
    load.stop()


main(methods, messages, long_body, figures, named_alone, window, ended_program, talks_during_window, gone_clients)
