#!/bin/sh
# SPDX-License-Identifier: MIT
# redis is built with nothing but CC changed, and passes its tests.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"
command -v tclsh > /dev/null || skip 'tclsh is not installed'

# The C library's malloc is there already.
unpack redis redis
cd "$work/redis"
build make -C src -j 2 redis-server redis-benchmark redis-cli MALLOC=libc CC="$hotpath_cc"

# Some of its own tests; all would take a quarter of an hour.
tests='--clients 2 --single unit/type/string --single unit/type/hash --single unit/expire --single unit/pubsub --single unit/scripting'
# shellcheck disable=SC2086
build ./runtest $tests
# shellcheck disable=SC2086
toggled "$work/redis/src" ./runtest $tests > "$work/log"

# ask ARGUMENT...
ask() { src/redis-cli -s "$work/socket" "$@"; }

"$HOTPATH" run --no-cpu --format json --limit 0 -o "$work/report" -- src/redis-server --port 0 --unixsocket "$work/socket" \
	--dir "$work" --save '' > "$work/server" 2>&1 &
server=$!
for _ in $(seq 600); do
	[ "$(ask ping 2> /dev/null)" = PONG ] && break
	sleep 0.1
done
src/redis-benchmark -s "$work/socket" -n 5000 -c 8 -t set,get,lpush -q > "$work/bench" 2>&1 ||
	fail "the benchmark fails: $(cat "$work/bench")"
ask shutdown nosave > "$work/answer" 2>&1 || true
wait "$server" || fail "it ends with $?: $(tail -n 5 "$work/server")"
reported main processCommand setCommand getCommand lpushCommand
[ "$(jq '.functions_timing.data[] | select(.name == "lpushCommand").calls' "$work/report")" = 5000 ] || fail 'other calls of lpushCommand'

exit "$failed"
