# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154
# What tests in an emulator of aarch64 share: its commands, and the library for it. Sourced, after expect.sh.

for command in aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64; do
	command -v "$command" > /dev/null || {
		echo "skipped: $command is not installed"
		exit 77
	}
done
root=$(cd "$(dirname "$0")/../.." && pwd)
objects=$BUILD/aarch64
library=$objects/src/library/libhotpath.so
# The folder with lib/ld-linux-aarch64.so.1.
system=$(dirname "$(dirname "$(aarch64-linux-gnu-gcc -print-file-name=libc.so.6)")")
emulator="qemu-aarch64 -cpu max -L $system"

# One test after the other: they share the library.
build_library()
{
	exec 9> "$BUILD/aarch64.lock"
	flock 9
	[ -f "$objects/build.ninja" ] || meson setup "$objects" "$root" --cross-file "$root/tests/integration/aarch64.ini" \
		-Dtool=false -Dexamples=false -Dtests=false -Ddebug=false || return
	meson compile -C "$objects" -j "$(nproc)" || return
	exec 9>&-
}

build_library > "$work/messages" 2>&1 || {
	fail "the library does not compile: $(cat "$work/messages")"
	exit 1
}

# The emulator keeps a table of all memory that is reserved. The recorder reserves less where it is limited.
# shellcheck disable=SC3045
ulimit -v 8000000
