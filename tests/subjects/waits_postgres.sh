#!/bin/sh
# SPDX-License-Identifier: MIT
# PostgreSQL makes a database and serves its own benchmark as before while all its processes are observed.
# shellcheck disable=SC1091,SC2086,SC2154,SC2317
set -eu
. "$(dirname "$0")/waits.sh"
packages postgres postgresql-15 postgresql-client-15

bin=$root/usr/lib/postgresql/15/bin
# It refuses to be run by root, who runs it as somebody else, to whom the build folder may be closed.
user=
tool=$HOTPATH
if [ "$(id -u)" = 0 ]; then
	user='setpriv --reuid=65534 --regid=65534 --clear-groups'
	mkdir -p "$work/tree/cli" "$work/tree/library" "$work/tree/probes/waits" "$work/database"
	cp "$HOTPATH" "$work/tree/cli/hotpath"
	cp "$BUILD/src/library/libhotpath.so" "$work/tree/library/"
	cp "$BUILD/src/probes/waits/libhotpath-waits.so" "$work/tree/probes/waits/"
	cp -a "$root" "$work/postgres"
	bin=$work/postgres/usr/lib/postgresql/15/bin
	tool=$work/tree/cli/hotpath
	chmod 711 "$work"
	chmod -R go+rX "$work/tree" "$work/postgres"
	chown -R 65534:65534 "$work/database" "$work/segments"
fi
mkdir -p "$work/database"
export HOME="$work/database" LC_ALL=C
cd "$work/database"

as_user() { $user "$@"; }

expect 0 as_user "$tool" run --waits --format none -- "$bin/initdb" -D "$work/database/data" -U tester \
	--no-sync -L "$bin/../../../../share/postgresql/15"
grep -q '^Success' "$work/stdout" || fail 'no database is made'

$user "$tool" run --waits --format json --limit 0 -o "$work/database/report" -- "$bin/postgres" \
	-D "$work/database/data" -k "$work/database" -c listen_addresses= -c log_min_messages=warning > "$work/server" 2>&1 &
server=$!
await as_user "$bin/pg_isready" -h "$work/database" -U tester -d postgres
expect 0 as_user "$bin/pgbench" -h "$work/database" -U tester -i -s 1 -q postgres
expect 0 as_user "$bin/pgbench" -h "$work/database" -U tester -c 4 -j 2 -t 50 postgres
grep -q 'transactions actually processed: 200/200' "$work/stdout" || fail "pgbench: $(cat "$work/stdout")"
grep -q 'failed transactions: 0 ' "$work/stdout" || fail "pgbench: $(cat "$work/stdout")"
kill -INT "$(head -n 1 "$work/database/data/postmaster.pid")"
wait "$server" || fail "it ends with $?: $(tail -n 5 "$work/server")"
! grep -v 'is starting up' "$work/server" | grep 'PANIC\|FATAL\|terminated by signal' || fail 'it complains'
mv "$work/database/report" "$work/report"
seen '.'

exit "$failed"
