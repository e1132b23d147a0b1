#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""POST /mcp of hotpath serve answers agents, and holds up nobody else."""
import json
import os
import time

from serving import Program, expect, main, serving, until

# Between two readings that tell the present CPU share of threads; whoever makes both takes longer.
BETWEEN_READINGS = 0.1


def call(number, tool, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def ask(server, message):
    answer = server.ask("/mcp", method="POST", body=json.dumps(message), **{"Content-Type": "application/json"})
    expect("status", answer.status, 200)
    return answer.json()


def result(answer):
    """What a tool says; its text if that is an error."""
    answer = answer["result"]
    return answer["content"][0]["text"] if answer["isError"] else answer["structuredContent"]


def overview(server, **arguments):
    return result(ask(server, call(1, "overview", **arguments)))


def does_not_sleep(_):
    program = Program()
    with serving() as server:
        def is_quick():
            begin = time.monotonic()
            expect("the program", overview(server, program=str(program.pid))["pid"], program.pid)
            return time.monotonic() - begin < BETWEEN_READINGS

        until("a program is read once", is_quick)
    program.end()


def same_id(_):
    """A process id that was used twice, or in another namespace, does not confuse programs."""
    first = Program()
    first.end()
    second = Program("obedient", "1")
    folder = os.environ["HOTPATH_DIR"]
    name = next(it for it in os.listdir(folder) if it.startswith(f"hotpath-{first.pid}-"))
    renamed = name.replace(f"-{first.pid}-", f"-{second.pid}-")
    os.rename(os.path.join(folder, name), os.path.join(folder, renamed))
    with serving() as server:
        expect("the newest one with the id", overview(server, program=str(second.pid))["program"], "obedient")
        expect("by its name", overview(server, program="watched")["program"], "watched")
        listed = [(it["program"], it["name"]) for it in overview(server)["programs"]]
        expect("ids", sorted(listed), sorted([(str(second.pid), "obedient"), (renamed, "watched")]))
        expect("by its id", overview(server, program=renamed)["program"], "watched")
    second.end()


main(does_not_sleep, same_id)
