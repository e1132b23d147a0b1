#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command believes only what lies in a folder that is the user's, and to which nobody else may write.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/own_mount.sh"
. "$(dirname "$0")/expect.sh"
mount -t tmpfs -o mode=1777 none /dev/shm
unset XDG_RUNTIME_DIR

by_default() { env -u HOTPATH_DIR "$HOTPATH" "$@"; }
record() { HOTPATH_OUTPUT_FORMAT=none "$BUILD/examples/basic" > /dev/null; }

(unset HOTPATH_DIR && record)
default=/dev/shm/hotpath-$(id -u)
segment=$(ls "$default"/*.seg)
pid=$(expr "$segment" : '.*hotpath-\([0-9]*\)-[0-9]*\.seg')

# visible, hidden WHAT: whether the commands see the segment in the default folder.
visible()
{
	expect 0 by_default list
	says " basic" "$work/stdout"
	expect 0 by_default report "$pid"
}
hidden()
{
	for words in list "report $pid" "export $pid --format folded -o -"; do
		# shellcheck disable=SC2086
		expect 1 by_default $words
		! grep -q basic "$work/stdout" || fail "$1: '$words' shows it"
	done
	expect 0 by_default list --clean
	says 'removed 0 segments' "$work/stdout"
	[ -e "$segment" ] || fail "$1: it was removed"
}

visible
for mode in 770 707 1777; do
	chmod "$mode" "$default"
	hidden "mode $mode"
done
chmod 700 "$default"
mv "$default" /dev/shm/elsewhere
ln -s elsewhere "$default"
hidden 'a link'
rm "$default"
mv /dev/shm/elsewhere "$default"
if chown 65534 "$default" 2> /dev/null; then
	hidden "another user's folder"
	chown 0 "$default"
	chown 65534 "$segment"
	hidden "another user's file"
	chown 0 "$segment"
fi
visible

# What is no file of ours is none of our segments, and nothing waits for it.
ln -s "$segment" "$default/hotpath-4000001-1.seg"
mkfifo "$default/hotpath-4000002-1.seg"
mkdir "$default/hotpath-4000003-1.seg"
expect 0 by_default list --json
[ "$(jq length "$work/stdout")" = 1 ] || fail "not one segment: $(cat "$work/stdout")"

# A folder that was chosen is refused in one line; what the user names is shown all the same.
refused()
{
	for words in list 'list --clean' report 'report 1' 'export 1' top console 'top nothing'; do
		# shellcheck disable=SC2086
		HOTPATH_DIR=$1 refuse 2 "cannot look for segments in $1: $2" "$HOTPATH" $words
	done
	# Without a sample of it, nothing is recorded.
	HOTPATH_DIR=$1 HOTPATH_CPU_RATE=1 expect 0 "$HOTPATH" run --format none true
	quiet "$work/stderr"
	HOTPATH_DIR=$1 expect 0 "$HOTPATH" report "$segment"
}
chmod 777 "$HOTPATH_DIR"
refused "$HOTPATH_DIR" 'it must belong to you, and nobody else may write to it'
chmod 700 "$HOTPATH_DIR"
ln -s segments "$work/link"
refused "$work/link" 'it is a symbolic link'
: > "$work/file"
refused "$work/file" 'Not a directory'
if chown 65534 "$HOTPATH_DIR" 2> /dev/null; then
	refused "$HOTPATH_DIR" 'it must belong to you'
	chown 0 "$HOTPATH_DIR"
fi

exit "$failed"
