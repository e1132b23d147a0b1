#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A real Prometheus, by the files of docs/fleet.md, scrapes the servers of two hosts, and knows what their reports say."""
import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../integration"))
from serving import BUILD, HOTPATH, Program, Server, expect, fail, failures  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKEN = "0123456789abcdef0123456789abcdef"
BOUNDARIES = [0.0, *[250e-9 * 4 ** n for n in range(15)], float("inf")]
PERCENTILES = [50, 90, 95, 99]
# A native bucket is 2.2 % wide, and may have what is 0.8 % beside it.
NATIVE_ERROR = 2 ** (1 / 32) * (1 + 1 / 128)
DEADLINE = 60
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


def natives_questions():
    return [line for line in block("native").splitlines() if line]


def promtool(*arguments, cwd):
    done = subprocess.run(["promtool", *arguments], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        fail(f"promtool {' '.join(arguments)}: {done.stdout}")


def write_files(folder, token, addresses):
    """The configuration as it is written, but for the addresses, the token's file and how often it scrapes."""
    text = block("prometheus.yml").replace("/etc/prometheus/hotpath-token", str(token))
    for written, address in zip(("10.0.0.1:6770", "10.0.0.2:6770"), addresses):
        expect(f"targets {written}", text.count(written), 1)
        text = text.replace(written, address)
    (folder / "prometheus.yml").write_text(re.sub(r"interval: \d+s", "interval: 1s", text), encoding="utf-8")
    (folder / "hotpath.rules.yml").write_text(block("hotpath.rules.yml"), encoding="utf-8")
    shutil.copy(ROOT / "tests/consumers/fleet_alerts.yml", folder)
    promtool("check", "config", "prometheus.yml", cwd=folder)
    promtool("check", "rules", "hotpath.rules.yml", cwd=folder)
    promtool("test", "rules", "fleet_alerts.yml", cwd=folder)


# ---- hosts ----

class Host:
    """A folder for segments, and the server of the service, but for the address and the token's file."""

    def __init__(self, folder, name, *arguments):
        self.folder = folder / name
        self.folder.mkdir(mode=0o700)
        os.environ["HOTPATH_DIR"] = str(self.folder)
        self.arguments = arguments

    def serve(self, token):
        command = re.search("^ExecStart=/usr/bin/hotpath serve (.*)", block("hotpath.service"), re.MULTILINE).group(1)
        expect("the service", (command.count("10.0.0.1"), command.count("/etc/hotpath/token")), (1, 1))
        options = shlex.split(command.replace("10.0.0.1", "127.0.0.1").replace("/etc/hotpath/token", str(token)))
        self.server = Server(*options, *self.arguments, env={**os.environ, "HOTPATH_DIR": str(self.folder)})
        self.address = f"127.0.0.1:{self.server.url.port}"
        expect("the token of the service", self.server.token, TOKEN)

    def report(self, program):
        return json.loads(subprocess.run([HOTPATH, "report", str(program), "--format", "json", "--limit", "0", "--percentiles",
                                          ",".join(map(str, PERCENTILES))], check=True,
                                         stdout=subprocess.PIPE, env={**os.environ, "HOTPATH_DIR": str(self.folder)}).stdout)


class Load:
    """A program that works until it is told to stop, and runs on then. Its clock is one of nanoseconds, which are never estimated."""

    def __init__(self):
        os.environ["HOTPATH_CLOCK"] = "monotonic"
        self.program = Program()
        self.program.ask("threads 3")
        self.program.ask("functions 20")
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        while not self.over.wait(0.01):
            self.program.ask("work 20")

    def stop(self):
        self.over.set()
        self.thread.join()


def save_locks(folder):
    """A saved report is served beside the programs."""
    path = folder / "locks.json"
    subprocess.run([HOTPATH, "run", "--waits", "--save", path, "--", os.path.join(BUILD, "examples/locks")], check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path


# ---- Prometheus ----

class Prometheus:
    def __init__(self, folder, name, *options):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.log = open(folder / f"{name}.log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/{name}",
             f"--web.listen-address={self.address}", "--log.level=warn", *options], stdout=self.log, stderr=subprocess.STDOUT)

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

    def wait_until(self, text, wanted=1):
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


def functions_are_known(prometheus, host, report):
    for row in report["functions_timing"]["data"]:
        labels = f'{{instance="{host.address}",program="watched",function="{row["name"]}"}}'
        name = "hotpath_function_duration_seconds"
        expect(f"calls {labels}", prometheus.number(f"hotpath_function_calls_total{labels}"), row["calls"])
        expect(f"count {labels}", prometheus.number(f"{name}_count{labels}"), row["calls"])
        expect(f"sum {labels}", round(prometheus.number(f"{name}_sum{labels}") * 1e9), row["sum_ns"])
        if not row["calls"]:
            continue
        quantile = prometheus.number(f"histogram_quantile(0.95, {name}_bucket{labels})")
        if not is_in_bucket(quantile, row["p95_ns"] / 1e9):
            fail(f"p95 of {row['name']}: {quantile}, not {row['p95_ns'] / 1e9}")


def natives_are_known(natives, host, report):
    """Counts and sums are exact, and percentiles are those of the report, but for the width of a bucket."""
    for row in report["functions_timing"]["data"]:
        histogram = f'hotpath_function_duration_seconds{{instance="{host.address}",program="watched",function="{row["name"]}"}}'
        expect(f"count of {histogram}", natives.number(f"histogram_count({histogram})"), row["calls"])
        expect(f"sum of {histogram}", round(natives.number(f"histogram_sum({histogram})") * 1e9), row["sum_ns"])
        for percentile in PERCENTILES if row["calls"] else []:
            seen, wanted = natives.number(f"histogram_quantile({percentile / 100}, {histogram})") * 1e9, row[f"p{percentile}_ns"]
            if not wanted / NATIVE_ERROR <= seen <= wanted * NATIVE_ERROR:
                fail(f"p{percentile} of {row['name']}: {seen}, not {wanted} ns")
    # Counters are the same, and there is no series for each bucket.
    name = f'program="watched",instance="{host.address}"'
    expect("calls beside native histograms", natives.number(f"sum(hotpath_function_calls_total{{{name}}})"),
           sum(row["calls"] for row in report["functions_timing"]["data"]))
    expect("classic buckets beside native ones", natives.query(f"hotpath_function_duration_seconds_bucket{{{name}}}"), [])
    for question in natives_questions():
        if not natives.query(question):
            fail(f"nothing is known of {question}")


def locks_are_known(prometheus, host, report):
    waited = sum(row["wait_sum_ns"] for row in report["lock_waits"]["data"])
    seen = prometheus.number(f'sum(hotpath_lock_wait_seconds_sum{{instance="{host.address}"}})')
    expect("waited for locks", round(seen * 1e9), waited)
    mutexes = sum(row["acquired_count"] for row in report["locks"]["data"] if row["lock_type"] == "mutex")
    expect("mutexes", prometheus.number("sum(hotpath_mutex_acquisitions_total)"), mutexes)


def files_are_understood(prometheus):
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


def look(prometheus, natives, hosts, load, locks):
    if not all(each.wait_until('count(sum_over_time(up{job="hotpath"}[5m]) >= 3)', 2) for each in (prometheus, natives)):
        return
    calls = "hotpath_function_calls_total"
    prometheus.wait_until(f'min(rate({calls}{{instance="{hosts[0].address}",function!="main"}}[1m])) > bool 0')
    load.stop()
    report = hosts[0].report(load.program.pid)
    total = sum(row["calls"] for row in report["functions_timing"]["data"])
    if prometheus.wait_until(f'sum({calls}{{instance="{hosts[0].address}"}})', total):
        functions_are_known(prometheus, hosts[0], report)
    if natives.wait_until(f'sum({calls}{{instance="{hosts[0].address}"}})', total):
        natives_are_known(natives, hosts[0], report)
    locks_are_known(prometheus, hosts[1], locks)
    files_are_understood(prometheus)


def main():
    for command in ("prometheus", "promtool"):
        if not shutil.which(command):
            print(f"skipped: {command} is not installed")
            return 77
    names_exist()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        token = folder / "token"
        token.write_text(TOKEN + "\n", encoding="utf-8")
        os.environ["HOTPATH_OUTPUT_FORMAT"] = "none"
        hosts = [Host(folder, "a"), Host(folder, "b", str(folder / "locks.json"))]
        locks = json.loads(save_locks(folder).read_text(encoding="utf-8"))
        os.environ["HOTPATH_DIR"] = str(hosts[0].folder)
        load = Load()
        for host in hosts:
            host.serve(token)
        write_files(folder, token, [host.address for host in hosts])
        prometheus, natives = Prometheus(folder, "classic"), Prometheus(folder, "native", "--enable-feature=native-histograms")
        try:
            look(prometheus, natives, hosts, load, locks)
        finally:
            prometheus.end()
            natives.end()
            load.stop()
            load.program.end()
            for host in hosts:
                expect("the end of a server", host.server.end(), 0)
    return 1 if failures else 0


sys.exit(main())
