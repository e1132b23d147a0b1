#!/bin/sh
# SPDX-License-Identifier: MIT
# redis answers its own benchmark as before while its locks, files and sockets are observed.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/waits.sh"
packages redis-tools redis-tools

# The server is the program that checks its files, by another name.
ln -s "$root/usr/bin/redis-check-rdb" "$work/redis-server"
ask() { "$root/usr/bin/redis-cli" -s "$work/socket" "$@"; }

observed "$work/redis-server" --port 0 --unixsocket "$work/socket" --dir "$work" --appendonly yes \
	--io-threads 2 --save '' > "$work/server" 2>&1 &
server=$!
await ask ping
"$root/usr/bin/redis-benchmark" -s "$work/socket" -n 5000 -c 8 -t set,get,lpush -q > "$work/bench" 2>&1 ||
	fail "the benchmark fails: $(cat "$work/bench")"
ask dbsize > "$work/answer"
ask info commandstats | tr -d '\r' | sed -n 's/^cmdstat_\(set\|get\|lpush\):calls=\([0-9]*\),.*/\1 \2/p' | sort >> "$work/answer"
ask shutdown nosave || true
wait "$server" || fail "it ends with $?: $(tail -n 5 "$work/server")"

printf '2\nget 5000\nlpush 5000\nset 5000\n' | cmp - "$work/answer" || fail "it answers: $(cat "$work/answer")"
seen '.locks.data | length > 0'

exit "$failed"
