#!/bin/sh
# SPDX-License-Identifier: MIT
# git's own tests of its basics pass as before while each of its processes is observed.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/waits.sh"

# Built once: nothing in it is ours. It knows where it was built.
built=$downloads/git.built
if [ ! -e "$built/done" ]; then
	rm -rf "$built"
	unpack git git
	mv "$work/git" "$built"
	cd "$built"
	build make -j 2 CFLAGS=-O1 NO_GETTEXT=1 NO_TCLTK=1 NO_PERL=1 NO_PYTHON=1 NO_CURL=1 NO_EXPAT=1 NO_OPENSSL=1 \
		all t/helper/test-tool
	: > "$built/done"
fi
cd "$built/t"
export TEST_OUTPUT_DIRECTORY="$work"

# verdicts COMMAND...: of each test, whether it passes.
verdicts()
{
	for test in t0000 t0001 t0002 t0003 t0005 t0006 t0007 t0008 t0010 t0012 t0020 t0021 t0030 t0040; do
		echo "== $test"
		timeout 300 "$@" sh ./"$test"-*.sh 2> "$work/log" < /dev/null | grep '^\(not \)\?ok \|^1\.\.' ||
			fail "$test fails: $(tail -n 5 "$work/log")"
	done
}

verdicts > "$work/expected"
verdicts "$HOTPATH" run --no-cpu --waits --format none -- > "$work/passed"
[ "$(grep -c '^ok' "$work/expected")" -gt 500 ] || fail "only $(grep -c '^ok' "$work/expected") pass"
cmp "$work/expected" "$work/passed" || fail "other tests pass: $(diff "$work/expected" "$work/passed" | head -n 20)"

exit "$failed"
