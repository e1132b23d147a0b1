#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""POST /mcp of hotpath serve answers agents, and holds up nobody else."""
import json
import os
import threading
import time

from serving import Program, Stream, expect, expect_error, fail, main, serving, until

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


def is_error(what, answer, words):
    if not isinstance(answer, str) or words not in answer:
        fail(f"{what}: {answer!r} does not say '{words}'")


def does_not_sleep(_):
    program = Program()
    with serving() as server:
        def is_quick():
            begin = time.monotonic()
            expect("the program", overview(server, program=str(program.pid))["pid"], program.pid)
            return time.monotonic() - begin < BETWEEN_READINGS

        until("a program is read once", is_quick)
    program.end()


def one_window(_):
    """Of several in a batch, one is waited for; it may be there twice."""
    one, other = Program(), Program()
    with serving() as server:
        wanted = [(one, 1), (other, 1), (one, 2), (one, 1)]
        answers = []
        thread = threading.Thread(target=lambda: answers.extend(ask(server, [
            call(number, "overview", program=str(program.pid), window=seconds)
            for number, (program, seconds) in enumerate(wanted)])))
        thread.start()
        while thread.is_alive():
            one.ask("work 1")
            other.ask("work 1")
        seen = {answer["id"]: result(answer) for answer in answers}
        for number in 0, 3:
            expect("the window that was begun", seen[number]["pid"] if isinstance(seen[number], dict) else seen[number],
                   one.pid)
        for number in 1, 2:
            is_error("another window", seen[number], "one window in a request")
        other.end()
        is_error("after its end", overview(server, program=str(other.pid), window=1), "a window is of a program that runs")
        until("its end is seen", lambda: any(it["pid"] == other.pid and it["state"] == "ended"
                                             for it in server.get("/api/programs")["programs"]))
        expect_error("after its end", server.ask(f"/api/report?program={other.pid}&window=300"), 400, "has ended")
    one.end()


def no_room(_):
    """While as many requests wait as may, a window is refused at once."""
    program = Program()
    with serving() as server:
        streams = [Stream(server, f"/api/stream?program={program.pid}&interval=60000") for _ in range(64)]
        is_error("one too many", overview(server, window=1), "too many")
        expect_error("one too many", server.ask(f"/api/report?program={program.pid}&window=1"), 503, "too many")
        expect("others", overview(server)["pid"], program.pid)
        for stream in streams:
            stream.close()
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


main(does_not_sleep, one_window, no_room, same_id)
