# SPDX-License-Identifier: MIT
"""A measured program starts others, of all kinds: each runs as natively, and what can be measured is."""
import os
import platform
import subprocess
import tempfile

from harness import (MODES, Attack, Failure, Skip, calls_of, expect_native, measured, need_command, program,
                     saved_reports, shorten)

SOURCE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	char *text = malloc(100 + argc);
	int status = argc > 1 ? atoi(argv[1]) : 0;
	strcpy(text, "lives");
	for (int i = 0; i < 1000; i++) {
		char *more = malloc(i + 1);
		more[i] = (char)i;
		status += more[i] - (char)i;
		free(more);
	}
	printf("%s %d\\n", text, status);
	free(text);
	return status;
}
"""
# Kind, and the compiler that makes it.
KINDS = {
    "ASan of gcc": ["gcc", "-fsanitize=address"],
    "ASan of gcc, static": ["gcc", "-fsanitize=address", "-static-libasan"],
    "TSan of gcc": ["gcc", "-fsanitize=thread"],
    "UBSan of gcc": ["gcc", "-fsanitize=undefined"],
    "ASan of clang": ["clang", "-fsanitize=address"],
    "TSan of clang": ["clang", "-fsanitize=thread"],
    "ASan of clang, shared": ["clang", "-fsanitize=address", "-shared-libasan", "-Wl,-rpath,{clang}"],
    "musl": ["musl-gcc"],
    "musl, static": ["musl-gcc", "-static"],
    "static": ["gcc", "-static"],
    "static PIE": ["gcc", "-static-pie"],
    "plain": ["gcc"],
}


def clang_folder():
    """Where the shared runtime of clang's sanitizers is."""
    name = f"libclang_rt.asan-{platform.machine()}.so"
    done = subprocess.run(["clang", f"-print-file-name={name}"], capture_output=True, text=True, check=False)
    return os.path.dirname(done.stdout.strip())


def build(kind, folder):
    """The program of this kind."""
    compiler, *options = KINDS[kind]
    need_command(compiler)
    options = [option.format(clang=clang_folder()) if "{clang}" in option else option for option in options]
    path = os.path.join(folder, "child")
    done = subprocess.run([compiler, *options, "-g", "-x", "c", "-", "-o", path], input=SOURCE, capture_output=True,
                          text=True, check=False)
    if done.returncode:
        raise Skip(f"{compiler} cannot: {shorten(done.stderr, 80)}")
    return path


def child_for(scene, kind):
    """Built once for all tries."""
    folder = scene.props.get("folder", tempfile.TemporaryDirectory)
    return scene.props.get("child", lambda: build(kind, folder))


# The child between two measured programs, in a way that a build or a script has.
SCRIPTS = [
    '"$1" "$2" calls=10; "$3" 3; echo "status $?"; "$1" "$2" calls=10 exit=5',
    '"$1" "$2" calls=10; "$3" 0 | cat && env "$3" 0 && exec "$1" "$2" calls=10 exit=5',
    '"$1" "$2" calls=10; (exec "$3" 4) || "$1" "$2" calls=10 exit=5',
    '"$1" "$2" calls=10; env -i "$3" 0; "$1" "$2" calls=10 exit=5',
]


def start_child(scene, kind):
    child = child_for(scene, kind)
    script = SCRIPTS[scene.number % len(SCRIPTS)]
    mode = scene.random.choice([mode for mode in MODES if mode != "alone"])
    what = f"{mode}, sh -c '{script}'"
    native = scene.run(["sh", "-c", script, "sh", program("endure_bare"), scene.account("native").path, child])
    if native.status != 5:
        raise Skip(f"natively it does not run: {shorten(native.stdout + native.stderr, 80)}")
    account = scene.account()
    done = scene.run(*measured(scene, mode, ["sh", "-c", script, "sh", program("endure"), account.path, child]))
    expect_native(native, done, what)
    calls = calls_of(saved_reports(scene, what), "work")
    if calls != sum(account.work):
        raise Failure(f"{what}: {calls} calls of the programs beside it, not {sum(account.work)}")


def start_directly(scene, kind):
    """The child is what the tool is asked to run: as natively, or refused by one line before it runs."""
    child = child_for(scene, kind)
    mode = scene.random.choice([mode for mode in MODES if mode != "alone"])
    native = scene.run([child, "3"])
    done = scene.run(*measured(scene, mode, [child, "3"]))
    expect_native(native, done, f"{mode}, itself")


def child_of(kind):
    def one_try(scene):
        # The fifth is without a shell.
        if scene.number % (len(SCRIPTS) + 1) == len(SCRIPTS):
            start_directly(scene, kind)
        else:
            start_child(scene, kind)
    return one_try


ATTACKS = [Attack(f"child: {kind}", child_of(kind), len(SCRIPTS) + 1, "as natively") for kind in KINDS]
