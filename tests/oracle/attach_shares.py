#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hotpath attach finds the same shares of the CPU as perf, for programs that nobody here wrote."""
import bisect
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HOTPATH = os.environ["HOTPATH"]
# The share of a function may differ by so many points. At this rate, chance alone makes it a tenth of that.
POINTS = 2
# Prime numbers, so that one does not always sample just after the other.
RATE, PERF_RATE = 5003, 4999
SECONDS = 5
DATA_BYTES = 32 << 20
# Where the header of a segment has the moments at which it begins and ends, by CLOCK_MONOTONIC.
START_AT, END_AT = 80, 120

ENDLESS_PYTHON = """
def inner(n):
    return sum(i * i for i in range(n))
while True:
    inner(2000)
    sorted(range(1000), key=lambda x: -x)
"""
ENDLESS_SQL = """
with recursive counter(x) as (select 1 union all select x + 1 from counter)
select sum(abs(random() % 1000)), count(distinct x % 1000), max(substr('text' || x, 3)) from counter;
"""
# xz gets a file that takes it longer than the measurement, many times.
PROGRAMS = {
    "xz": ["xz", "-6", "-T1", "-k", "-c", *["DATA"] * 20],
    "sqlite3": ["sqlite3", ":memory:", ENDLESS_SQL],
    "python3": ["/usr/bin/python3", "-c", ENDLESS_PYTHON],
}


class Skip(Exception):
    pass


def attached(pid, work):
    """What we find: samples in the program's own code by function, and the interval in which they were taken."""
    os.mkdir(os.path.join(work, "segments"), 0o700)
    environment = os.environ | {"HOTPATH_DIR": os.path.join(work, "segments")}
    done = subprocess.run([HOTPATH, "attach", "--seconds", str(SECONDS), "--rate", str(RATE), "--report", "cpu", "--limit", "0",
                           "--format", "json", str(pid)], capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise Skip(done.stderr.strip())
    cpu = json.loads(done.stdout)["functions_cpu"]
    counts = {row["name"]: row["samples"] - (row["system_samples"] or 0) for row in cpu["data"] if row["name"][0] != "<"}
    segment = os.path.join(work, "segments", os.listdir(os.path.join(work, "segments"))[0])
    with open(segment, "rb") as file:
        header = file.read(4096)
    return counts, [struct.unpack_from("=Q", header, at)[0] / 1e9 for at in (START_AT, END_AT)]


def load_addresses(pid):
    """Executable mappings: (start, end, what to take off an address in memory to have that in the file, name)."""
    mappings = []
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        for line in file:
            fields = line.split()
            if "x" not in fields[1] or len(fields) < 6 or not fields[5].startswith("/"):
                continue
            start, end = (int(part, 16) for part in fields[0].split("-"))
            mappings.append((start, end, start - int(fields[2], 16) - code_bias(fields[5]), os.path.basename(fields[5])))
    return mappings


def code_bias(path):
    """By how much addresses are more than offsets, in the part of a file that has its code."""
    output = subprocess.run(["readelf", "-lW", path], capture_output=True, text=True, check=True).stdout
    for offset, address in re.findall(r"LOAD +0x(\w+) 0x(\w+) .* R E ", output):
        return int(address, 16) - int(offset, 16)
    return 0


def name_of(address, symbol, mappings, starts):
    """Perf's name of a function; if it has none, ours, by where functions begin."""
    for start, end, bias, module in mappings:
        if start <= address < end:
            if symbol != "[unknown]":
                return symbol
            begins = starts.get(module, [])
            nth = bisect.bisect_right(begins, address - bias)
            return f"{module}+{begins[nth - 1]:#x}" if nth else f"{module}+?"
    return "?"


def by_perf(data, mappings, counts, interval):
    """The same from perf."""
    starts = {}
    for name in counts:
        found = re.fullmatch(r"(.*)\+0x([0-9a-f]+)", name)
        if found:
            starts.setdefault(found[1], []).append(int(found[2], 16))
    for begins in starts.values():
        begins.sort()
    output = subprocess.run(["perf", "script", "-i", data, "-F", "time,ip,sym"], capture_output=True, text=True,
                            check=True).stdout
    seen = {}
    for line in output.splitlines():
        moment, address, symbol = line.split(None, 2)
        if not interval[0] <= float(moment.rstrip(":")) < interval[1]:
            continue
        name = name_of(int(address, 16), symbol.strip(), mappings, starts)
        seen[name] = seen.get(name, 0) + 1
    return seen


def write_data(path):
    """Some megabytes of machine code and text, as there is on every machine."""
    with open(path, "wb") as file:
        for folder, _, names in os.walk("/usr/lib"):
            for name in sorted(names):
                source = os.path.join(folder, name)
                if os.path.isfile(source) and not os.path.islink(source):
                    with open(source, "rb") as found:
                        file.write(found.read(1 << 20))
                if file.tell() > DATA_BYTES:
                    return


class Perf:
    """A `perf record` of a process, which has begun."""

    def __init__(self, pid, data, *options):
        self.data = data
        control, answers = os.pipe(), os.pipe()
        self.process = subprocess.Popen(["perf", "record", "-q", "-e", "task-clock:u", *options, "-k", "mono", "-o", data, "-D", "-1",
                                         "--control", f"fd:{control[0]},{answers[1]}", "-p", str(pid)],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(control[0], answers[1]))
        os.close(control[0])
        os.close(answers[1])
        os.write(control[1], b"enable\n")
        if not os.read(answers[0], 16).startswith(b"ack"):
            raise Skip("perf cannot record here")
        self.descriptors = control[1], answers[0]

    def end(self):
        self.process.wait()
        for descriptor in self.descriptors:
            os.close(descriptor)


def measure(command, work):
    data = os.path.join(work, "data")
    write_data(data)
    program = subprocess.Popen([data if word == "DATA" else word for word in command], stdout=subprocess.DEVNULL)
    try:
        perf = Perf(program.pid, os.path.join(work, "perf.data"), "-c", str(10**9 // PERF_RATE))
        counts, interval = attached(program.pid, work)
        mappings = load_addresses(program.pid)
    finally:
        program.kill()
        program.wait()
    perf.end()
    return counts, by_perf(perf.data, mappings, counts, interval)


def plain(name):
    """The same for all names that a function of the C library has: memcpy is memmove, for each kind of processor."""
    return name.split("@")[0].lstrip("_").replace("memcpy_", "memmove_")


def with_plain_names(counts):
    sums = {}
    for name, samples in counts.items():
        sums[plain(name)] = sums.get(plain(name), 0) + samples
    return sums


def compare(name, command):
    """Prints what differs. Returns whether nothing does."""
    with tempfile.TemporaryDirectory() as work:
        ours, theirs = (with_plain_names(counts) for counts in measure(command, work))
    our_sum, their_sum = sum(ours.values()), sum(theirs.values())
    if min(our_sum, their_sum) < 1000:
        print(f"{name}: too few samples: {our_sum}, perf {their_sum}")
        return False
    good = True
    for function in set(ours) | set(theirs):
        our, their = 100 * ours.get(function, 0) / our_sum, 100 * theirs.get(function, 0) / their_sum
        if os.environ.get("VERBOSE") and max(our, their) > POINTS:
            print(f"{name} {function}: {our:.2f} %, perf {their:.2f} %")
        if abs(our - their) > POINTS:
            print(f"{name}: {function} has {our:.1f} %, perf says {their:.1f} %")
            good = False
    return good


def main():
    missing = [tool for tool in ("perf", "readelf", *PROGRAMS) if not shutil.which(tool)]
    if missing:
        print("skipped: not installed:", *missing)
        return 77
    failed = 0
    for name, command in PROGRAMS.items():
        try:
            # Others may disturb a measurement, but not three in a row.
            if not any(compare(name, command) for _ in range(3)):
                print(f"FAILED: {name}")
                failed = 1
        except Skip as why:
            print("skipped:", why)
            return 77
    return failed


if __name__ == "__main__":
    sys.exit(main())
