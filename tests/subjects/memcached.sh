#!/bin/sh
# SPDX-License-Identifier: MIT
# memcached is built with nothing but CC changed, and serves as before.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"
pkg-config --exists libevent || skip 'libevent is not installed'

unpack memcached memcached
cd "$work/memcached"
build env CC="$hotpath_cc" ./configure
build make -j 2 memcached

# ask SOCKET: a few questions, as soon as somebody listens there.
ask()
{
	timeout 60 python3 - "$1" << 'END'
import socket, sys, time

server = socket.socket(socket.AF_UNIX)
while server.connect_ex(sys.argv[1]):
    time.sleep(0.01)
server.sendall(b"set key 0 0 2\r\n41\r\nincr key 1\r\nget key\r\nget other\r\nquit\r\n")
print(server.makefile().read().replace("\r", "").replace("\n", " ").strip())
END
}

# serve OPTION...: answers, and ends when it is told to.
serve()
{
	"$HOTPATH" run "$@" --format json --limit 0 -o "$work/report" -- \
		./memcached -u "$(id -un)" -s "$work/socket" > "$work/stdout" 2>&1 &
	server=$!
	for _ in 1 2 3 4; do
		ask "$work/socket" > "$work/answer" || fail 'it does not answer'
		same 'STORED 42 VALUE key 0 2 42 END END' "$work/answer"
	done
	kill -TERM "$server"
	wait "$server" || fail "it ends with $?: $(cat "$work/stdout")"
}

serve --waits
jq -e '.locks.data | any(.name == "init_lock" or .acquired_count > 0)' "$work/report" > "$work/log" ||
	fail 'its locks are not observed'
serve
reported main worker_libevent drive_machine do_item_alloc complete_nread_ascii

# Its own tests. What starts it, timedrun, relies on it that a signal ends a system call; one that comes while a request is served
# does not.
build make -j 2 memcached-debug timedrun sizes testapp
toggled "$work/memcached/memcached" ./testapp > "$work/log"
toggled "$work/memcached/memcached" prove -j 2 t/getset.t t/incrdecr.t t/binary.t t/evictions.t t/chunked-items.t t/slabs_reassign.t > "$work/log"

exit "$failed"
