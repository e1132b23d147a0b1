#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of stripped programs come from a debuginfod server: a real one, one that hangs, and none at all."""
import json
import os
import pty
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HOTPATH = os.environ["HOTPATH"]
BUILD = os.environ["BUILD"]
WORK = tempfile.mkdtemp()
DEADLINE = 60

SOURCE = """
__attribute__((noinline)) static int inner(int a)
{
	return a + 1;
}
int outer(int a)
{
	return inner(a) + inner(a + 1);
}
int main(void)
{
	return outer(1) != 5;
}
const char program_name[] = NAME;
"""

failed = []


def fail(text):
    failed.append(text)
    print("FAILED:", text)


def path(name):
    return os.path.join(WORK, name)


def shell(command):
    return subprocess.run(command, shell=True, check=True, cwd=WORK, text=True, capture_output=True).stdout


def environment(urls, cache, **more):
    """A cache of its own: what one test fetched must not be there for another."""
    all_of_it = dict(os.environ, HOTPATH_DIR=path("segments"), DEBUGINFOD_CACHE_PATH=path(cache), **more)
    all_of_it.pop("DEBUGINFOD_URLS", None)
    if urls:
        all_of_it["DEBUGINFOD_URLS"] = urls
    return all_of_it


def report(name, urls, cache, **more):
    """The report on a segment as JSON; standard error must be empty, since it is no terminal."""
    done = subprocess.run([HOTPATH, "report", "--format", "json", path(name)], env=environment(urls, cache, **more),
                          text=True, capture_output=True, timeout=DEADLINE)
    if done.returncode or done.stderr:
        fail(f"report ends with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def functions(found):
    return {row["name"]: row.get("location") for row in found["functions_timing"]["data"] if row.get("module")}


def make_program(name):
    """A stripped program, its debug file in the folder of the server, and a segment with two functions of it."""
    shell(f"{os.environ.get('CC', 'cc')} -g -O0 -Wl,--build-id -DNAME='\"{name}\"' -o whole_{name} program.c")
    shell(f"objcopy --only-keep-debug whole_{name} served/{name}.debug && strip -o {name} whole_{name}")
    symbols = {line.split()[2]: line.split()[0] for line in shell(f"nm whole_{name}").splitlines() if len(line.split()) == 3}
    subprocess.run([f"{BUILD}/tests/programs/addresses", path(f"{name}.segment"), path(name), symbols["inner"],
                    symbols["outer"]], check=True)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def build_id(name):
    for line in shell(f"readelf -n {name}").splitlines():
        if "Build ID:" in line:
            return line.split()[-1]
    raise RuntimeError("no build id")


def is_served(url):
    try:
        urllib.request.urlopen(f"{url}/buildid/{build_id('program')}/debuginfo", timeout=DEADLINE).close()
        return True
    except (urllib.error.URLError, OSError):
        return False


def start_server():
    """Start a server that serves the file. A port that somebody else took meanwhile ends it: then another one is tried."""
    for _ in range(5):
        port = free_port()
        server = subprocess.Popen(["debuginfod", "-p", str(port), "-d", path("database"), "-F", path("served")],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  env=environment(None, "server_cache"))
        url = f"http://127.0.0.1:{port}"
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end and server.poll() is None:
            if is_served(url):
                return server, url
            # debuginfod does not tell when it has read the folder: ask again, until the deadline.
            time.sleep(0.05)
        server.kill()
        server.wait()
    raise RuntimeError("debuginfod does not serve the file")


def check_named(found, what):
    names = functions(found)
    lines = {name: (place or {}).get("line") for name, place in names.items()}
    if lines != {"inner": 1, "outer": 5}:
        fail(f"{what}: {names}")
    if found["notes"]:
        fail(f"{what}: {found['notes']}")


def check_unnamed(found, what, reason):
    if not functions(found) or not all("+0x" in name for name in functions(found)):
        fail(f"{what}: {functions(found)}")
    notes = [note for note in found["notes"] if "DEBUGINFOD_URLS" in note]
    if len(notes) != 1 or reason not in notes[0]:
        fail(f"{what}: {found['notes']}")


def on_terminal(urls, cache, interrupted=False, **more):
    """The output on a terminal, and the exit status; with an interrupt when the line about fetching is there."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(HOTPATH, [HOTPATH, "report", path("program.segment")], environment(urls, cache, **more))
    text, end = b"", time.monotonic() + DEADLINE
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            some = os.read(terminal, 65536)
        except OSError:
            break
        if not some:
            break
        text += some
        if interrupted and b"fetching" in text:
            os.kill(pid, signal.SIGINT)
            interrupted = False
    return text.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def served():
    server, url = start_server()
    try:
        check_named(report("program.segment", url, "cache"), "served")
        text, status = on_terminal(url, "terminal_cache")
        if status or "inner" not in text or not text.startswith("\r\x1b[K") and "fetching" in text:
            fail(f"terminal: {status} {text!r}")
        check_unnamed(report("program.segment", url, "/proc/none/cache"), "no cache", "no folder for its cache")
    finally:
        server.terminate()
        server.wait()
    # The client's cache is used without a server, and without the variable.
    check_named(report("program.segment", None, "cache"), "cached")
    if "fetching" in on_terminal(None, "cache")[0]:
        fail("a fetch from a server that is not named")


def hanging():
    """A server that accepts and never answers. Two programs in one report: it is asked for one of them only."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        done = subprocess.run([HOTPATH, "report", "--format", "json", path("program.segment"), path("other.segment")],
                              env=environment(url, "hang_cache", DEBUGINFOD_TIMEOUT="1", DEBUGINFOD_RETRY_LIMIT="0"),
                              text=True, capture_output=True, timeout=DEADLINE)
        check_unnamed(json.loads(done.stdout), "hanging", "no answer in time")
        asked = 0
        while select.select([listener], [], [], 0)[0]:
            listener.accept()[0].close()
            asked += 1
        if asked != 1:
            fail(f"a hanging server is asked {asked} times")
        text, status = on_terminal(url, "int_cache", interrupted=True, DEBUGINFOD_TIMEOUT="50")
        if status or "fetching debug information of program" not in text or "\r\x1b[K" not in text or \
                "not fetched from DEBUGINFOD_URLS: interrupted" not in text:
            fail(f"interrupted: {status} {text!r}")


def main():
    os.makedirs(path("served"))
    os.mkdir(path("segments"), 0o700)
    with open(path("program.c"), "w", encoding="utf-8") as file:
        file.write(SOURCE.lstrip())
    make_program("program")
    make_program("other")
    served()
    hanging()
    check_unnamed(report("program.segment", f"http://127.0.0.1:{free_port()}", "none_cache"), "no server", "")
    # A file that is no library stands before the real one.
    os.mkdir(path("libraries"))
    with open(path("libraries/libdebuginfod.so.1"), "w", encoding="utf-8") as file:
        file.write("none\n")
    libraries = f"{path('libraries')}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    check_unnamed(report("program.segment", "http://127.0.0.1:1", "missing_cache", LD_LIBRARY_PATH=libraries),
                  "no library", "libdebuginfod.so.1 is not installed")


if not shutil.which("debuginfod"):
    print("debuginfod is not installed: skipped")
    sys.exit(77)
try:
    main()
finally:
    shutil.rmtree(WORK)
sys.exit(bool(failed))
