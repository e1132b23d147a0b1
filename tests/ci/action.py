#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The steps of the action, and the script of the documentation, do without GitHub what they are to do there."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
# pylint: disable-next=wrong-import-position
from forge import TOKEN, Forge  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOTPATH = os.environ["HOTPATH"]
SHA = "0123456789abcdef0123456789abcdef01234567"

# Allocates as often as it is told, in a function of its own.
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
void *volatile kept;
__attribute__((noinline)) void take(int size) { kept = malloc(size); free(kept); }
__attribute__((noinline)) int work(int times) { for (int i = 0; i < times; i++) take(64); return times; }
int main(int argc, char **argv)
{
	printf("::error::not a command for the runner\\n");
	return work(argc > 1 ? atoi(argv[1]) : EXTRA) < 0;
}
"""
failed = 0


def fail(what):
    global failed
    print("FAILED:", what)
    failed = 1


def check(condition, what):
    if not condition:
        fail(what)


def obeyed(said):
    """The lines that a runner takes for commands."""
    found, silence = [], None
    for line in said.splitlines():
        if silence:
            silence = None if line == f"::{silence}::" else silence
        elif line.startswith("::stop-commands::"):
            silence = line.removeprefix("::stop-commands::")
        elif line.startswith("::"):
            found.append(line)
    check(not silence, f"the runner takes no commands any more: {said}")
    return found


class Job:
    """A job of a runner: its files, and the outputs of its steps."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.output, self.summary, self.path = (self.folder / name for name in ("output", "summary", "path"))
        for file in (self.output, self.summary, self.path):
            file.write_text("")

    def step(self, name, wanted=0, is_one_stream=True, **environment):
        """Run a step; its outputs are in the dictionary that it returns, and all it said in what."""
        self.output.write_text("")
        done = subprocess.run(
            [ROOT / "tools/ci/action.sh", name], check=False, cwd=self.folder, encoding="utf-8", timeout=120,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT if is_one_stream else subprocess.PIPE,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "RUNNER_TEMP": str(self.folder / "temporary"),
                 "GITHUB_OUTPUT": str(self.output), "GITHUB_STEP_SUMMARY": str(self.summary),
                 "GITHUB_PATH": str(self.path), "GITHUB_REPOSITORY": "octo/hot", "no_proxy": "*",
                 "INPUT_TOOL": HOTPATH, **environment})
        check(done.returncode == wanted, f"{name} {environment} ends with {done.returncode}: {done.stdout}")
        outputs = dict(line.split("=", 1) for line in self.output.read_text(encoding="utf-8").splitlines())
        return {**outputs, "what": done.stdout, "errors": done.stderr}

    def compare(self, wanted=0, **inputs):
        return self.step("compare", wanted, **{f"INPUT_{name.upper()}": value for name, value in inputs.items()})

    def refuses(self, word, **inputs):
        said = self.compare(2, **inputs)["what"]
        check(any(word in command for command in obeyed(said)), f"'{word}' is not said at the pull request: {said}")


def build(folder, extra=3):
    source = folder / "parse.c"
    source.write_text(PROGRAM.replace("EXTRA", str(extra)))
    subprocess.run([HOTPATH, "cc", "gcc", "-O1", "-g", source, "-o", folder / "parse"], check=True)


def a_hotpath_is_found(job):
    outputs = job.step("install", INPUT_HOTPATH=HOTPATH)
    check(outputs["hotpath"] == os.path.realpath(HOTPATH), f"{outputs}")
    outputs = job.step("install", INPUT_HOTPATH="hotpath", PATH=f"{os.path.dirname(HOTPATH)}:{os.environ['PATH']}")
    check(outputs["hotpath"] == os.path.realpath(HOTPATH), f"{outputs}")
    said = job.step("install", 2, INPUT_HOTPATH="./nowhere")["what"]
    check("no program './nowhere'" in said, said)
    outputs = job.step("place")
    check(re.fullmatch(r"hotpath-[\w.-]+", outputs["key"]), f"{outputs}")


def more_is_found_and_told_everywhere(job):
    outputs = job.compare(base="./parse 100", head="./parse 101", id="parse", runs="1", warmup="0", alloc="count",
                          fail_on="alloc", args="--percentiles=50\n\n  --min-share=0%\n")
    check((outputs["status"], outputs["failed"]) == ("1", "true"), f"{outputs}")
    markdown = pathlib.Path(outputs["markdown"]).read_text(encoding="utf-8")
    check(markdown.startswith("<!-- hotpath-compare: parse -->\n") and "take" in markdown, markdown)
    check(job.summary.read_text(encoding="utf-8") == markdown, "the summary is not the comparison")
    check(isinstance(json.loads(pathlib.Path(outputs["json"]).read_text(encoding="utf-8")), dict), "no JSON")
    names = [path.name for path in sorted(pathlib.Path(outputs["reports"]).iterdir())]
    check(len(names) == 2 and names[0].startswith("base-") and names[1].startswith("head-"), f"saved: {names}")
    check("take" in outputs["what"], outputs["what"])
    said = job.step("verdict", 1, INPUT_STATUS=outputs["status"], INPUT_ID="parse")["what"]
    check("::error " in said and "parse" in said, said)
    return outputs


def the_same_reports_give_the_same(job, before):
    before_text = pathlib.Path(before["markdown"]).read_text(encoding="utf-8")
    outputs = job.compare(mode="reports-only", id="parse", reports=before["reports"], fail_on="alloc",
                          args="--percentiles=50\n--min-share=0%")
    text = pathlib.Path(outputs["markdown"]).read_text(encoding="utf-8")
    check(text == before_text, f"{text}\nis not\n{before_text}")
    check(outputs["failed"] == "true", f"{outputs}")


def equals_are_no_failure(job):
    outputs = job.compare(base="./parse 100", head="./parse 100", id="equal", runs="1", alloc="true", fail_on="alloc")
    check((outputs["status"], outputs["failed"]) == ("0", "false"), f"{outputs}")
    job.step("verdict", INPUT_STATUS=outputs["status"])


def what_programs_print_is_no_command(job):
    said = job.compare(base="./parse", head="./parse", id="loud", runs="1", run_args="--show-output")["what"]
    check(re.search(r"^::stop-commands::[0-9a-f]{32}$", said, re.MULTILINE) and "\n::error::not" in said and
          not obeyed(said), f"commands are not stopped: {said}")
    # Whatever hotpath says, and whenever; and on one stream, as a runner reads two in any order.
    tool = job.folder / "loud hotpath"
    tool.write_text(f"#!/bin/sh\necho ::error::out\necho ::error::err >&2\nexec '{HOTPATH}' \"$@\"\n")
    tool.chmod(0o755)
    said = job.step("compare", is_one_stream=False, INPUT_TOOL=str(tool), INPUT_BASE="./parse", INPUT_HEAD="./parse",
                    INPUT_ID="louder", INPUT_RUNS="1")
    check(said["what"].count("::error::err") == 3 and not obeyed(said["what"]) and not said["errors"], f"{said}")


def wrong_use_is_said(job, before):
    job.refuses("'base' and 'head'", base="./parse")
    job.refuses("the id", base="./parse", head="./parse", id="../x")
    job.refuses("the id", base="./parse", head="./parse", id="a\nstatus=0")
    job.refuses("'mode'", mode="both")
    job.refuses("no reports", mode="reports-only", reports="empty")
    job.refuses("already", base="./parse", head="./parse", reports=before["reports"])
    job.refuses("'mode' is 'run', 'reports-only' or 'install', not '100%25%0A::x'", mode="100%\n::x")
    said = job.compare(2, base="./nowhere", head="./parse", id="none", runs="1")["what"]
    check("nowhere" in said and any("the log says why" in command for command in obeyed(said)), said)


def hostile_reports_are_data(job, before):
    hostile = job.folder / "hostile"
    hostile.mkdir()
    for report in pathlib.Path(before["reports"]).iterdir():
        (hostile / report.name).symlink_to(report)
    job.refuses("no reports", mode="reports-only", reports=str(hostile))
    for side in ("base", "head"):
        (hostile / f"{side}-02.json").write_text('{"hotpath')
    said = job.compare(2, mode="reports-only", reports=str(hostile))["what"]
    check("-02.json" in said, said)
    for number in range(201):
        (hostile / f"base-1{number}.json").write_text("{}")
    job.refuses("are enough", mode="reports-only", reports=str(hostile))


def comments_are_written(job, before):
    event = job.folder / "event.json"
    event.write_text(json.dumps({
        "repository": {"full_name": "octo/hot"}, "workflow_run": {
            "event": "pull_request", "head_sha": SHA, "head_branch": "b", "pull_requests": [],
            "head_repository": {"full_name": "visitor/hot", "owner": {"login": "visitor"}}}}))
    with Forge() as forge:
        forge.pulls = [{"number": 7, "head": {"ref": "b", "sha": SHA, "user": {"login": "visitor"},
                                              "repo": {"full_name": "visitor/hot"}}}]
        common = {"GITHUB_API_URL": forge.url, "GITHUB_TOKEN": TOKEN, "INPUT_MARKDOWN": before["markdown"]}
        said = job.step("comment", GITHUB_EVENT_NAME="workflow_run", GITHUB_EVENT_PATH=str(event), **common)["what"]
        check(said.startswith("created: "), said)
        forge.pulls[0]["state"] = "open"
        said = job.step("comment", GITHUB_EVENT_NAME="pull_request", INPUT_PULL="7", INPUT_COMMIT=SHA, **common)["what"]
        check(said.startswith("is as it was: "), said)
        said = job.step("comment", GITHUB_EVENT_NAME="pull_request", INPUT_PULL="7", INPUT_COMMIT="f" * 40, **common)
        check("#7 is not at ffff" in said["what"], f"{said}")
        said = job.step("comment", GITHUB_EVENT_NAME="push", **common)["what"]
        check("not the run of a pull request" in said, said)
        check(len(forge.comments) == 1 and forge.comments[0]["body"].startswith("<!-- hotpath-compare: parse -->"),
              f"{forge.comments}")


def git(folder, *arguments):
    subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-C", folder, *arguments], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"})


def project(folder):
    """One that has the script of the documentation, and a commit."""
    page = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
    script = re.search(r"<!-- test: shell -->\n```sh\n(.*?)```\n", page, re.DOTALL).group(1)
    folder.mkdir()
    (folder / "compare.sh").write_text(script, encoding="utf-8")
    (folder / "compare.sh").chmod(0o755)
    (folder / "parse.c").write_text(PROGRAM.replace("atoi(argv[1])", "EXTRA").replace("EXTRA", "100"))
    (folder / "Makefile").write_text("parse: parse.c\n\t$(CC) $(CFLAGS) parse.c -o parse\nclean:\n\trm -f parse\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    git(folder, "switch", "-q", "-c", "change")


def the_script_of_the_documentation_works(job):
    folder = job.folder / "project"
    project(folder)

    def compare(wanted):
        done = subprocess.run(
            ["./compare.sh", "main", "--runs", "1", "--warmup", "0", "--alloc=count", "--fail-on", "alloc",
             "--min-share", "0%"], check=False, cwd=folder, encoding="utf-8", timeout=120, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PATH": f"{os.path.dirname(HOTPATH)}:{os.environ['PATH']}"})
        check(done.returncode == wanted, f"compare.sh ends with {done.returncode}, not {wanted}: {done.stdout}")
        trees = subprocess.run(["git", "worktree", "list"], cwd=folder, check=True, capture_output=True)
        check(trees.stdout.count(b"\n") == 1, "the worktree is still there")

    compare(0)
    source = folder / "parse.c"
    source.write_text(source.read_text().replace("100", "101"))
    compare(1)
    interrupted(folder)
    # Nothing in common is not a regression, which 1 would be.
    git(folder, "switch", "-q", "-f", "--orphan", "other")
    git(folder, "commit", "-q", "--allow-empty", "-m", "other")
    git(folder, "checkout", "main", "--", ".")
    compare(2)


def interrupted(folder):
    """Who presses ^C, which all of a terminal get, finds nothing left."""
    (folder / "temporary").mkdir()
    build_that_waits = folder / "make"
    build_that_waits.write_text("#!/bin/sh\necho > started\nexec sleep 60\n")
    build_that_waits.chmod(0o755)
    os.mkfifo(folder / "started")
    script = subprocess.Popen(["./compare.sh", "main"], cwd=folder, start_new_session=True, stderr=subprocess.PIPE,
                              env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}",
                                   "TMPDIR": str(folder / "temporary")})
    (folder / "started").read_bytes()
    os.killpg(script.pid, signal.SIGINT)
    said = script.communicate(timeout=60)[1]
    trees = subprocess.run(["git", "worktree", "list"], cwd=folder, check=True, capture_output=True).stdout
    check(script.returncode != 0 and trees.count(b"\n") == 1 and not os.listdir(folder / "temporary"),
          f"{script.returncode}: {said} {trees} {os.listdir(folder / 'temporary')}")
    build_that_waits.unlink()
    (folder / "started").unlink()


def places_that_nothing_is_preloaded_from_are_refused(folder):
    """It would be built for minutes, and then record nothing."""
    tools = pathlib.Path(folder, "a b", "tools", "ci")
    shutil.copytree(ROOT / "tools/ci", tools)
    for command in ([tools / "self.sh", "HEAD"], [ROOT / "tools/ci/install.sh", tools]):
        done = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
        check(done.returncode == 2 and done.stderr.count("\n") == 1 and "has a blank" in done.stderr,
              f"{command}: {done.returncode} {done.stderr}")


def hotpath_itself_is_compared_with_something():
    """Its builds take minutes; what is no version is said at once."""
    for base in ("nowhere", "", "-n", "$(touch x)", "HEAD~99999"):
        done = subprocess.run([ROOT / "tools/ci/self.sh", base], check=False, capture_output=True, encoding="utf-8")
        check(done.returncode == 2 and done.stderr.count("\n") == 1 and f"'{base}' is neither" in done.stderr,
              f"{base}: {done.returncode} {done.stderr}")


def main():
    os.environ.pop("HOTPATH_DIR", None)
    hotpath_itself_is_compared_with_something()
    with tempfile.TemporaryDirectory() as folder:
        job = Job(folder)
        places_that_nothing_is_preloaded_from_are_refused(folder)
        build(job.folder)
        a_hotpath_is_found(job)
        before = more_is_found_and_told_everywhere(job)
        the_same_reports_give_the_same(job, before)
        comments_are_written(job, before)
        equals_are_no_failure(job)
        what_programs_print_is_no_command(job)
        wrong_use_is_said(job, before)
        hostile_reports_are_data(job, before)
        the_script_of_the_documentation_works(job)
    return failed


if __name__ == "__main__":
    sys.exit(main())
