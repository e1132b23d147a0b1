#!/bin/sh
# SPDX-License-Identifier: MIT
# sqlite is built with nothing but CC changed, and its speed test finds the same data.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"
. "$here/../oracle/hottest.sh"
command -v tclsh > /dev/null || skip 'tclsh is not installed'

unpack sqlite3 sqlite

# in_folder NAME SETTING...: all is one source file, which keeps one core busy for long. So two are built at
# once; the plain one, to compare with, is optimised less, to be built sooner.
in_folder()
{
	mkdir "$work/$1"
	cd "$work/$1"
	shift
	../sqlite/configure "$@" && make speedtest1
}
in_folder plain CC=gcc CFLAGS=-O1 > "$work/plain.log" 2>&1 &
plain=$!
build in_folder ours CC="$hotpath_cc"
wait "$plain" || {
	tail -n 30 "$work/plain.log"
	fail 'the plain one is not built'
}

# verified COMMAND...: what the test did, without its times, and a hash of all that it read.
verified_text() { sed 's/[0-9]*\.[0-9]*s$//'; }
verified() { "$@" --verify --size 2 | verified_text; }
verified "$work/plain/speedtest1" > "$work/expected"
says 'Verification Hash: ' "$work/expected"
verified "$work/ours/speedtest1" > "$work/found"
cmp "$work/expected" "$work/found" || fail 'other output'
verified measure "$work/ours/speedtest1" > "$work/found"
cmp "$work/expected" "$work/found" || fail 'other output when measured'
toggled "$work/ours" "$work/ours/speedtest1" --verify --size 10 > "$work/log"
"$work/plain/speedtest1" --verify --size 10 | verified_text > "$work/expected"
verified_text < "$work/log" > "$work/found"
cmp "$work/expected" "$work/found" || fail 'other output while armed and disarmed'
reported main sqlite3_step sqlite3VdbeExec sqlite3BtreeInsert sqlite3RunParser

# The same with a file, while it is observed what it waits for.
verified "$work/plain/speedtest1" "$work/plain.db" > "$work/expected"
verified "$HOTPATH" run --no-cpu --waits --format none "$work/plain/speedtest1" "$work/observed.db" > "$work/found"
cmp "$work/expected" "$work/found" || fail 'other output when observed'
cmp "$work/plain.db" "$work/observed.db" || fail 'another file when observed'

# Where it spends its time, without anything measured.
same_hottest "$work/plain/speedtest1" --size 150 :memory:

exit "$failed"
