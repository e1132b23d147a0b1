#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hotpath mcp answers each line by one, whatever the lines are, and ends with its input or by a signal."""
import json
import os
import select
import signal
import struct
import subprocess
import sys
import tempfile

HOTPATH = os.environ["HOTPATH"]
PROGRAM = os.path.join(os.environ["BUILD"], "tests/programs/obedient")
ANSWER_MAX = 8192
# Where a segment has the ticks in a second.
RATE_AT = 72
failed = 0


def fail(what):
    global failed
    print("FAILED:", what)
    failed = 1


def expect(what, seen, wanted):
    if seen != wanted:
        fail(f"{what}: {seen!r}, not {wanted!r}")


class Program:
    """One that calls a function as often as it is told, and knows how often that was."""

    def __init__(self):
        self.process = subprocess.Popen([PROGRAM], text=True, bufsize=1, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.pid = str(self.process.pid)
        self.done = self.call(1)

    def call(self, times):
        self.process.stdin.write(f"{times}\n")
        self.done = int(self.process.stdout.readline())
        return self.done

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def heed_signals():
    """Whoever started this test may ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Server:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([HOTPATH, "mcp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, preexec_fn=heed_signals)
        self.id = 0

    def send(self, line):
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    def ask(self, line):
        self.send(line)
        return self.receive()

    def begin(self, tool, **arguments):
        self.id += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.id, "method": "tools/call",
                              "params": {"name": tool, "arguments": arguments}}).encode())

    def finish(self):
        line = self.process.stdout.readline()
        if len(line) > ANSWER_MAX:
            fail(f"an answer of {len(line)} bytes")
        answer = json.loads(line)
        expect("id", answer["id"], self.id)
        return answer["result"]

    def call(self, tool, **arguments):
        self.begin(tool, **arguments)
        result = self.finish()
        if result["isError"]:
            return result["content"][0]["text"]
        expect("the text", json.loads(result["content"][0]["text"]), result["structuredContent"])
        return result["structuredContent"]

    def end(self, number=None):
        """It ends with status 0, and has written nothing else."""
        if number:
            self.process.send_signal(number)
        else:
            self.process.stdin.close()
        expect("the rest", self.process.stdout.read(), b"")
        expect("what it complains about", self.process.stderr.read(), b"")
        expect("status", self.process.wait(), 0)


PING = b'{"jsonrpc":"2.0","id":"p","method":"ping"}'


def lines_of_all_kinds():
    server = Server()
    expect("ping", server.ask(PING), {"jsonrpc": "2.0", "id": "p", "result": {}})
    expect("no JSON", server.ask(b"{")["error"]["code"], -32700)
    expect("bytes", server.ask(b"\xff\x00\x01")["error"]["code"], -32700)
    server.send(b"")
    server.send(b" \r")
    server.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
    expect("after lines without an answer", server.ask(PING + b"\r")["id"], "p")
    long = server.ask(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 3_000_000 + b'"}')
    expect("a long line", (long["id"], long["error"]["code"]), (None, -32600))
    expect("after a long line", server.ask(PING)["id"], "p")
    server.send(PING + b"\n" + PING)
    expect("two at once", [server.receive()["id"] for _ in range(2)], ["p", "p"])
    server.end()


def peak_of(process):
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def memory_is_bounded():
    server = Server()
    server.ask(PING)
    before = peak_of(server.process)
    for _ in range(64):
        server.process.stdin.write(b"x" * (1 << 20))
    server.send(b"")
    expect("64 MB", server.receive()["error"]["code"], -32600)
    growth = peak_of(server.process) - before
    if growth > 16 << 10:
        fail(f"it took {growth} KB")
    server.end()


def last_line_without_end():
    done = subprocess.run([HOTPATH, "mcp"], input=PING, stdout=subprocess.PIPE, check=False)
    expect("the answer", json.loads(done.stdout)["id"], "p")
    expect("status", done.returncode, 0)


def signals():
    for number in (signal.SIGINT, signal.SIGTERM):
        server = Server()
        server.ask(PING)
        server.end(number)
    # Also while it waits for a window.
    program = Program()
    server = Server()
    server.ask(PING)
    server.begin("overview", window=30, program=program.pid)
    server.process.send_signal(signal.SIGTERM)
    server.process.stdin.close()
    expect("status in a window", server.process.wait(timeout=20), 0)
    program.end()


def nobody_reads():
    server = Server()
    server.process.stdout.close()
    server.send(PING)
    expect("status", server.process.wait(), 0)


def wrong_use(folder):
    for arguments in (["--none"], ["4194304"], [folder + "/none.json"], ["none.json"]):
        done = subprocess.run([HOTPATH, "mcp", *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        expect(f"status of {arguments}", done.returncode, 2)
        expect(f"lines of {arguments}", (done.stdout, done.stderr.count(b"\n")), (b"", 1))


def figures():
    program = Program()
    program.call(999)
    server = Server()
    overview = server.call("overview")
    expect("the program", (overview["program"], overview["pid"], overview["state"]),
           ("obedient", int(program.pid), "running"))
    row = server.call("function", name="step")["functions_timing"]
    expect("calls", row["calls"], program.done)
    program.call(23)
    row = server.call("function", name="step", program="obedient")["functions_timing"]
    expect("calls, later", row["calls"], program.done)
    calls = server.call("recent_calls", name="step", limit=3)["calls"]
    expect("what calls returned", [call["returned"] for call in calls],
           [program.done - 1 - i for i in range(3)])
    expect("a name that there is not", server.call("callers", name="stp"),
           "no function is named 'stp'; did you mean 'step'?")
    expect("a program that there is not", server.call("overview", program="nothing"),
           "no program or report is named 'nothing'; 'overview' lists programs")
    server.end()
    program.end()


def window():
    """Calls in a window are none of before it, and no more than were made since it was asked for."""
    program = Program()
    program.call(100000)
    server = Server()
    before = program.done
    server.begin("function", name="step", window=1)
    while not select.select([server.process.stdout], [], [], 0.001)[0]:
        program.call(10)
    row = server.finish()["structuredContent"]["functions_timing"]
    if not 0 < row["calls"] <= program.done - before:
        fail(f"{row['calls']} calls in the window, {program.done - before} were made")
    program.end()
    expect("after its end", server.call("overview", window=1),
           "a window is of a program that runs; ask without 'window'")
    server.end()


def waits_for_window(server):
    """Whether it waits for no descriptor: by the number of ppoll, on x86-64 or aarch64, and the count that it was given."""
    with open(f"/proc/{server.process.pid}/syscall", encoding="ascii") as state:
        words = state.read().split()
    return len(words) > 2 and words[0] in ("271", "73") and int(words[2], 16) == 0


def corrected_clock():
    """A program corrects the rate of its clock when it stops. Times of a window are those of one rate all the same."""
    program = Program()
    program.call(1000)
    listed = json.loads(subprocess.run([HOTPATH, "list", "--json"], stdout=subprocess.PIPE, check=True).stdout)
    path = next(row["path"] for row in listed if str(row["pid"]) == program.pid)
    server = Server()
    server.begin("function", name="step", window=2, program=program.pid)
    while not waits_for_window(server):
        if select.select([server.process.stdout], [], [], 0.001)[0]:
            fail("it does not wait")
            break
    program.call(1000)
    with open(path, "r+b") as segment:
        segment.seek(RATE_AT)
        rate = struct.unpack("<Q", segment.read(8))[0]
        segment.seek(RATE_AT)
        segment.write(struct.pack("<Q", rate * 3))
    row = server.finish()["structuredContent"]["functions_timing"]
    expect("calls", row["calls"], 1000)
    if not row["total_ns"]:
        fail("times that were converted by another rate are subtracted")
    server.end()
    program.end()


def named_programs(folder):
    saved = os.path.join(folder, "saved.json")
    other = os.path.join(folder, "other.json")
    for path in (saved, other):
        subprocess.run([HOTPATH, "run", "--no-cpu", "--format", "none", "--save", path, PROGRAM], input=b"5\n",
                       stdout=subprocess.DEVNULL, check=True)
    server = Server(saved)
    expect("programs", [row["program"] for row in server.call("overview")["programs"]], [saved])
    expect("calls", server.call("function", name="step", program=saved)["functions_timing"]["calls"], 5)
    for name in (other, "obedient"):
        if "none of the programs" not in server.call("overview", program=name):
            fail(f"{name} was asked about")
    server.end()
    server = Server("--all", saved)
    expect("others", server.call("overview", program=other)["program"], "obedient")
    compared = server.call("compare", a=saved, b=other)
    expect("rows", (compared["counts"]["new"], compared["counts"]["removed"]), (0, 0))
    if "not of a saved report" not in server.call("recent_calls", name="step"):
        fail("a saved report has single calls")
    server.end()


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOTPATH_DIR"] = os.path.join(folder, "segments")
        os.mkdir(os.environ["HOTPATH_DIR"], 0o700)
        os.environ["HOTPATH_OUTPUT_FORMAT"] = "none"
        lines_of_all_kinds()
        memory_is_bounded()
        last_line_without_end()
        signals()
        nobody_reads()
        wrong_use(folder)
        figures()
        window()
        corrected_clock()
        named_programs(folder)
    return failed


sys.exit(main())
