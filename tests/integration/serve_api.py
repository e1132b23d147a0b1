#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/api/openapi.json describes the paths that hotpath serve has, with their methods and values, and no others."""
import json
import os
import re

from serving import Program, expect, main, serving

DESCRIPTION = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/api/openapi.json")


def paths(_):
    with open(DESCRIPTION, encoding="utf-8") as file:
        api = json.load(file)
    with serving() as server:
        error = server.ask("/no-such-path").json()["error"]
        listed = re.search("there are (.*)", error).group(1).split(", ")
        expect("paths", sorted(api["paths"]), sorted(listed))
        for path in listed:
            allowed = server.ask(path, method="DELETE").headers["Allow"]
            expect(f"methods of {path}", sorted(api["paths"][path]), ["post"] if allowed == "POST" else ["get"])
        expect("version", api["info"]["version"], server.get("/api/programs")["version"])


def limits(_):
    """The least and most of a number are those that the server tells."""
    with open(DESCRIPTION, encoding="utf-8") as file:
        parameters = json.load(file)["components"]["parameters"]
    program = Program()
    with serving() as server:
        for key, path in (("interval", "/api/stream"), ("window", "/api/report"), ("windowLength", "/api/compare"),
                          ("seconds", "/debug/pprof/profile")):
            schema, name = parameters[key]["schema"], parameters[key]["name"]
            expect(key, server.ask(f"{path}?{name}=x").json()["error"],
                   f"{name}: 'x' is not a number from {schema['minimum']} to {schema['maximum']}")
    program.end()


main(paths, limits)
