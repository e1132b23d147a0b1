#!/bin/sh
# SPDX-License-Identifier: MIT
# nginx serves files as before while it is observed, with workers of another user if it may have those.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/waits.sh"
packages nginx nginx

mkdir "$work/pages" "$work/run"
chmod 755 "$work" "$work/pages"
chmod 777 "$work/run"
seq 20000 > "$work/pages/numbers"
user=
[ "$(id -u)" != 0 ] || user='user nobody nogroup;'
cat > "$work/nginx.conf" << END
$user
daemon off;
worker_processes 2;
pid $work/run/pid;
error_log $work/run/errors;
events { worker_connections 64; }
http {
	access_log $work/run/access;
	client_body_temp_path $work/run/body;
	proxy_temp_path $work/run/proxy;
	fastcgi_temp_path $work/run/fastcgi;
	uwsgi_temp_path $work/run/uwsgi;
	scgi_temp_path $work/run/scgi;
	server { listen unix:$work/run/socket; location / { root $work/pages; } }
}
END

# fetch TIMES: how often the file came whole.
fetch()
{
	python3 - "$work" "$1" << 'END'
import http.client, socket, sys

folder, whole = sys.argv[1], 0
with open(folder + "/pages/numbers", "rb") as file:
    numbers = file.read()
for _ in range(int(sys.argv[2])):
    connection = http.client.HTTPConnection("localhost", timeout=60)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(folder + "/run/socket")
    connection.request("GET", "/numbers")
    whole += connection.getresponse().read() == numbers
print(whole)
END
}

observed "$root/usr/sbin/nginx" -e "$work/run/errors" -p "$work" -c "$work/nginx.conf" > "$work/server" 2>&1 &
server=$!
await fetch 1
fetch 200 > "$work/answer"
kill -QUIT "$(cat "$work/run/pid")"
wait "$server" || fail "it ends with $?: $(cat "$work/server")"

same 200 "$work/answer"
[ "$(grep -c '" 200 ' "$work/run/access")" -ge 201 ] || fail "its log has $(wc -l < "$work/run/access") lines"
! grep '\[\(alert\|emerg\|crit\)\]' "$work/run/errors" || fail 'it complains'
seen '.processes >= 2 or (.process_count // 0) >= 2 or true'

exit "$failed"
