#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs "make check" as an ordinary user, for whom much is forbidden that root may do; in a copy of this folder, and with
# SIGHUP, SIGINT and SIGQUIT ignored, as under nohup. To be started by root.
#
# usage: tools/check_as_user.sh FOLDER    where the logs are left: FOLDER/testlog.json, FOLDER/testlog.txt
set -eu

if [ $# != 1 ] || [ "$(id -u)" != 0 ]; then
	sed -n 's/^# \(usage: .*\)/\1/p' "$0" >&2
	exit 2
fi
cd "$(dirname "$0")/.."
mkdir -p "$1"
logs=$(cd "$1" && pwd)
rm -f "$logs"/testlog.*
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/copy" "$work/home" "$work/tmp"
tar -c --exclude=./.git --exclude='./build' --exclude='./build-*' . | tar -x -C "$work/copy"
chown -R 65534:65534 "$work"
# The folders in the path of root may be closed to others.
status=0
(
	trap '' HUP INT QUIT
	unset XDG_RUNTIME_DIR XDG_CACHE_HOME XDG_CONFIG_HOME
	exec env HOME="$work/home" TMPDIR="$work/tmp" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		setpriv --reuid 65534 --regid 65534 --clear-groups make -C "$work/copy" check
) || status=$?
cp "$work"/copy/build/meson-logs/testlog.* "$logs" || status=1
exit "$status"
