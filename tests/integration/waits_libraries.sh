#!/bin/sh
# SPDX-License-Identifier: MIT
# Waits of C++ and of GLib, whose functions call those of the C library.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/waits_common.sh"
sources=$(dirname "$0")/../programs

for compiler in g++ clang++; do
	command -v "$compiler" > /dev/null || continue
	"$compiler" -std=c++14 -O2 -g -pthread "$sources/waits.cpp" -o "$work/waits"
	name=$compiler
	expect 0 "$HOTPATH" run --waits --format json -o "$work/report" -- "$work/waits"
	equals "$((3 + $(cat "$work/stdout")))" '[.waits.data[] | select(.reason == "condition" and .target == "ready") | .wait_sampled_count] | add'
	equals '[["nap",5]]' '[.waits.data[] | select(.reason == "sleep") | [.name, .wait_sampled_count]]'
	equals '[1]' '[.waits.data[] | select(.reason == "join") | .wait_sampled_count]'
done

# The futexes are variables of the program.
if pkg-config --exists glib-2.0; then
	name=glib
	# shellcheck disable=SC2046
	cc -D_GNU_SOURCE -O1 -g "$sources/waits_glib.c" -o "$work/waits_glib" $(pkg-config --cflags --libs glib-2.0)
	expect 0 "$HOTPATH" run --waits --format json -o "$work/report" -- "$work/waits_glib"
	[ "$status" != 77 ] || exit 77
	equals '[["g_cond_wait_until","never",5]]' '[.waits.data[] | select(.target == "never") | [.name, .target, .wait_sampled_count]]'
	holds '[.waits.data[] | select(.reason == "futex" and .target == "mutex") | .wait_sampled_count] | add >= 1'
else
	echo "SKIPPED: GLib is not installed (Debian: libglib2.0-dev)"
fi

exit "$failed"
