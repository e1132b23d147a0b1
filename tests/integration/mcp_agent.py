#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""As an agent would: "why is this program slow?" is answered in four calls at most, each shorter than 8 KB."""
import json
import os
import subprocess
import sys
import tempfile

HOTPATH = os.environ["HOTPATH"]
EXAMPLES = os.path.join(os.environ["BUILD"], "examples")
CALLS_MAX = 4
ANSWER_MAX = 8192
failed = 0


def fail(what):
    global failed
    print("FAILED:", what)
    failed = 1


class Agent:
    """It asks for an overview, and then what that tells it to ask."""

    def __init__(self, program):
        subprocess.run([HOTPATH, "run", "--all", "--format", "none", os.path.join(EXAMPLES, program)], check=True,
                       stdout=subprocess.DEVNULL)
        self.program = program
        self.process = subprocess.Popen([HOTPATH, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.calls = 0
        self.overview = self.ask("overview")

    def ask(self, tool, **arguments):
        self.calls += 1
        request = {"jsonrpc": "2.0", "id": self.calls, "method": "tools/call",
                   "params": {"name": tool, "arguments": arguments}}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if len(line) >= ANSWER_MAX:
            fail(f"{self.program}: {tool} answers with {len(line)} bytes")
        result = json.loads(line)["result"]
        if result["isError"]:
            fail(f"{self.program}: {tool} {arguments}: {result['content'][0]['text']}")
        return result.get("structuredContent", {})

    def follow(self, tool):
        """Ask what the overview advises."""
        for advice in self.overview["next"]:
            if advice["tool"] == tool:
                return self.ask(tool, **{key: advice[key] for key in ("name",) if key in advice})
        fail(f"{self.program}: the overview does not advise '{tool}': {self.overview['next']}")
        return {}

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        if self.calls > CALLS_MAX:
            fail(f"{self.program}: {self.calls} calls")


def names(what, rows, name, key="name"):
    """The first row is about a function, inlined or not."""
    if not rows or rows[0].get(key, "").split(" ")[0] != name:
        fail(f"{what} is {json.dumps(rows)[:300]}, not {name}")


def says(what, sentences, *words):
    if not any(all(word in sentence for word in words) for sentence in sentences):
        fail(f"{what}: none of {sentences} has {words}")


def contended_lock():
    agent = Agent("locks")
    names("who holds the lock", agent.overview["lock_waits"], "find_customer", "holder")
    names("the lock", agent.follow("locks")["locks"], "stats_lock")
    function = agent.follow("function")
    if not function["name"].startswith("find_customer"):
        fail(f"the function to look at is {function['name']}")
    if "kept_waiting" not in function:
        fail(f"nobody waits for {function['name']}")
    says("the lines of the culprit", [line.get("source", "") for line in function["lines"]], "CUSTOMERS")
    agent.end()


def computing():
    agent = Agent("profile_cpu")
    # Whether it computes or queues for a processor depends on what else the machine does.
    says("the overview", agent.overview["summary"], "heavy_work")
    names("CPU time", agent.overview["functions_cpu"], "heavy_work")
    lines = agent.follow("lines")
    if lines["name"] != "heavy_work":
        fail(f"the lines are those of {lines['name']}")
    says("the lines", [line.get("source", "") for line in lines["lines"]], "result")
    names("the caller", agent.ask("callers", name=lines["name"])["callers"], "main")
    agent.end()


def allocating():
    agent = Agent("overview")
    names("allocations", agent.overview["functions_alloc"], "sync_alloc")
    names("the top", agent.ask("top", metric="alloc_count")["functions_alloc"], "sync_alloc")
    function = agent.ask("function", name="sync_alloc")
    if function["functions_alloc"]["count"] != 1000:
        fail(f"sync_alloc allocates {function['functions_alloc']['count']} times")
    says("waiting", agent.overview["summary"], "sync_sleep")
    agent.end()


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOTPATH_DIR"] = folder
        os.environ["HOTPATH_OUTPUT_FORMAT"] = "none"
        contended_lock()
        computing()
        allocating()
    return failed


sys.exit(main())
