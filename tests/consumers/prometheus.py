#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A real Prometheus, by the files of docs/fleet.md, scrapes two hosts, and knows what their reports say."""
import contextlib
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOTPATH = os.environ["HOTPATH"]
BUILD = os.environ["BUILD"]
TOKEN = "0123456789abcdef0123456789abcdef"
BOUNDARIES = [0.0, *[250e-9 * 4 ** n for n in range(15)], float("inf")]
DEADLINE = 60
failed = 0


def fail(what):
    global failed
    print("FAILED:", what)
    failed = 1


def expect(what, seen, wanted):
    if seen != wanted:
        fail(f"{what}: {seen!r}, not {wanted!r}")


# ---- the files of the documentation ----

def block(name):
    page = (ROOT / "docs/fleet.md").read_text(encoding="utf-8")
    return re.search(rf"<!-- test: {re.escape(name)} -->\n```\w+\n(.*?)```\n", page, re.DOTALL).group(1)


def names_exist():
    """What the page speaks of is in a text that has one of everything."""
    text = (ROOT / "tests/unit/golden/metrics.txt").read_text(encoding="utf-8")
    known = set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE)) | set(re.findall(r"^(hotpath_\w+)", text, re.MULTILINE))
    page = (ROOT / "docs/fleet.md").read_text(encoding="utf-8")
    for name in sorted(set(re.findall(r"\bhotpath_[a-z_]+\b", page)) - known):
        fail(f"docs/fleet.md: there is no {name}")


def questions():
    page = (ROOT / "docs/fleet.md").read_text(encoding="utf-8")
    block_of_all = re.search(r"```promql\n(.*?)```\n", page, re.DOTALL).group(1)
    return [line for line in block_of_all.splitlines() if line and not line.startswith("#")]


def promtool(*arguments, cwd):
    done = subprocess.run(["promtool", *arguments], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        fail(f"promtool {' '.join(arguments)}: {done.stdout}")


def write_files(folder, ports):
    """The configuration as it is written, but for the addresses, the token's file and how often it scrapes."""
    token = folder / "token"
    token.write_text(TOKEN + "\n", encoding="utf-8")
    text = block("prometheus.yml").replace("/etc/prometheus/hotpath-token", str(token))
    for address, port in zip(("10.0.0.1:6770", "10.0.0.2:6770"), ports):
        expect(f"targets {address}", text.count(address), 1)
        text = text.replace(address, f"127.0.0.1:{port}")
    (folder / "prometheus.yml").write_text(re.sub(r"interval: \d+s", "interval: 1s", text), encoding="utf-8")
    (folder / "hotpath.rules.yml").write_text(block("hotpath.rules.yml"), encoding="utf-8")
    shutil.copy(ROOT / "tests/consumers/fleet_alerts.yml", folder)
    promtool("check", "config", "prometheus.yml", cwd=folder)
    promtool("check", "rules", "hotpath.rules.yml", cwd=folder)
    promtool("test", "rules", "fleet_alerts.yml", cwd=folder)


# ---- hosts ----

class Host(http.server.BaseHTTPRequestHandler):
    """A server of the text that a report makes; in OpenMetrics for clients that prefer it, if the host can do that."""

    def do_GET(self):  # noqa: N802
        is_open = self.server.can_open and "application/openmetrics-text" in self.headers.get("Accept", "")
        known = self.headers.get("Authorization") == "Bearer " + TOKEN
        body = self.server.texts[is_open].encode() if known and self.path == "/metrics" else b""
        self.send_response(200 if body else 401)
        self.send_header("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8" if is_open
                         else "text/plain; version=0.0.4; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def metrics_of(path, *options):
    return subprocess.run([os.path.join(BUILD, "tests/integration/metrics_of"), *options, path], stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def start_host(report, can_open):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Host)
    server.texts = [metrics_of(report), metrics_of(report, "-o")]
    server.can_open = can_open
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def record(folder, name, program, *options):
    path = folder / (name + ".json")
    subprocess.run([HOTPATH, "run", *options, "--save", path, "--", os.path.join(BUILD, program)], check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "HOTPATH_DIR": str(folder), "HOTPATH_CLOCK": "monotonic"})
    return path


# ---- Prometheus ----

class Prometheus:
    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.log = open(folder / "log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address={self.address}", "--log.level=warn"], stdout=self.log, stderr=subprocess.STDOUT)

    def ask(self, path, **query):
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]

    def query(self, text):
        """Each series by its labels."""
        return [(row["metric"], float(row["value"][1])) for row in self.ask("query", query=text)["result"]]

    def number(self, text):
        rows = self.query(text)
        if len(rows) != 1:
            fail(f"{text}: {rows}")
        return rows[0][1] if rows else None

    def wait_until(self, text, wanted):
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError):
                if self.query(text) and self.query(text)[0][1] == wanted:
                    return True
            time.sleep(0.1)
        self.log.seek(0)
        fail(f"{text} does not become {wanted}: {self.log.read()}")
        return False

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def is_in_bucket(value, other):
    """Both are between the same two boundaries."""
    return any(low <= value <= high and low <= other <= high for low, high in zip(BOUNDARIES, BOUNDARIES[1:]))


def functions_are_known(prometheus, port, report):
    host = f'instance="127.0.0.1:{port}"'
    for row in report["functions_timing"]["data"]:
        labels = f'{{{host},function="{row["name"]}"}}'
        name = "hotpath_function_duration_seconds"
        expect(f"calls {labels}", prometheus.number(f"hotpath_function_calls_total{labels}"), row["calls"])
        expect(f"count {labels}", prometheus.number(f"{name}_count{labels}"), row["calls"])
        expect(f"sum {labels}", round(prometheus.number(f"{name}_sum{labels}") * 1e9), row["sum_ns"])
        quantile = prometheus.number(f"histogram_quantile(0.95, {name}_bucket{labels})")
        if not is_in_bucket(quantile, row["p95_ns"] / 1e9):
            fail(f"p95 of {row['name']}: {quantile}, not {row['p95_ns'] / 1e9}")


def locks_are_known(prometheus, port, report):
    waited = sum(row["wait_sum_ns"] for row in report["lock_waits"]["data"])
    seen = prometheus.number(f'sum(hotpath_lock_wait_seconds_sum{{instance="127.0.0.1:{port}"}})')
    expect("waited for locks", round(seen * 1e9), waited)
    mutexes = sum(row["acquired_count"] for row in report["locks"]["data"] if row["lock_type"] == "mutex")
    expect("mutexes", prometheus.number("sum(hotpath_mutex_acquisitions_total)"), mutexes)


def look(prometheus, ports, reports):
    if not prometheus.wait_until('count(up{job="hotpath"} == 1)', 2):
        return
    functions_are_known(prometheus, ports[0], reports[0])
    locks_are_known(prometheus, ports[1], reports[1])
    for question in questions():
        # It raises an error for one that is not understood.
        prometheus.query(question)
    for rule in prometheus.ask("rules")["groups"][0]["rules"]:
        # It has not been evaluated yet, or without an error.
        if rule["health"] not in ("ok", "unknown"):
            fail(f"rule {rule['name']}: {rule.get('lastError')}")
    answer = subprocess.run(["promtool", "query", "instant", f"http://{prometheus.address}", "count(hotpath_program_info)"],
                            stdout=subprocess.PIPE, text=True, check=True).stdout
    if "=> 2 @" not in answer:
        fail(f"promtool query: {answer}")


def main():
    for command in ("prometheus", "promtool"):
        if not shutil.which(command):
            print(f"skipped: {command} is not installed")
            return 77
    names_exist()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        paths = [record(folder, "basic", "examples/basic"), record(folder, "locks", "examples/locks", "--waits")]
        reports = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
        hosts = [start_host(path, can_open) for path, can_open in zip(paths, (False, True))]
        ports = [host.server_address[1] for host in hosts]
        write_files(folder, ports)
        prometheus = Prometheus(folder)
        try:
            look(prometheus, ports, reports)
        finally:
            prometheus.end()
            for host in hosts:
                host.shutdown()
    return failed


sys.exit(main())
