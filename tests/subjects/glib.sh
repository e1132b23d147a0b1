#!/bin/sh
# SPDX-License-Identifier: MIT
# GLib's own tests of what the probe stands before pass as they do without it.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"
pkg-config --exists gio-unix-2.0 || skip 'GLib is not installed'

unpack glib2.0 glib
# Of what its build finds out, nothing matters here.
: > "$work/glib/config.h"

# build_test NAME SOURCE: against the installed library, as a part of which it takes itself.
build_test()
{
	# shellcheck disable=SC2046
	build gcc -w -DG_LOG_DOMAIN='"GLib"' -I"$work/glib" -I"$work/glib/glib" "$work/glib/$2" -o "$work/$1" \
		$(pkg-config --cflags --libs gio-unix-2.0)
}

# passes NAME: with the probe as without.
passes()
{
	expect 0 "$work/$1"
	grep -c '^ok' "$work/stdout" > "$work/expected"
	expect 0 "$HOTPATH" run --no-cpu --probes=glib --waits --format none "$work/$1"
	grep -c '^ok' "$work/stdout" > "$work/passed"
	same "$(cat "$work/expected")" "$work/passed"
}

build_test asyncqueue glib/tests/asyncqueue.c
build_test mainloop glib/tests/mainloop.c
build_test timeout glib/tests/timeout.c
build_test task gio/tests/task.c
# Those of what it makes itself of system calls: locks, conditions, threads.
for name in cond mutex once rec-mutex rwlock thread thread-pool; do
	build_test "$name" "glib/tests/$name.c"
done
for name in asyncqueue mainloop timeout task cond mutex once rec-mutex rwlock thread thread-pool; do
	passes "$name"
done

exit "$failed"
