#!/bin/sh
# SPDX-License-Identifier: MIT
# Python's own tests of threads, queues and processes pass as before while it is observed.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/waits.sh"
packages python libpython3.11-testsuite

# Another package, which is installed with Python, has the beginning of it.
mkdir -p "$work/lib"
cp -a /usr/lib/python3.11/test "$work/lib/test"
cp -a "$root/usr/lib/python3.11/test/." "$work/lib/test"
export PYTHONPATH="$work/lib"

# verdicts COMMAND...: the tests that pass, with the time they take left out.
verdicts()
{
	cd "$work"
	"$@" /usr/bin/python3.11 -m unittest -v test.test_queue test.test_thread test.test_threading_local \
		test.test_sched test.test_pipes > "$work/log" 2>&1 ||
		fail "'$*' fails: $(tail -n 20 "$work/log")"
	sed -n 's/ \.\.\. ok$//p' "$work/log" | sort
}

verdicts > "$work/expected"
verdicts observed > "$work/passed"
[ "$(wc -l < "$work/expected")" -gt 100 ] || fail "only $(wc -l < "$work/expected") tests pass"
cmp "$work/expected" "$work/passed" || fail "other tests pass: $(diff "$work/expected" "$work/passed")"
seen '.locks.data | length > 0'

exit "$failed"
