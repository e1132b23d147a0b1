#!/bin/sh
# SPDX-License-Identifier: MIT
# A daemon gives up being root, or changes its root, before its first measured call: it is recorded all the same.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
[ "$(id -u)" = 0 ] || {
	echo 'skipped: only root can give up being root'
	exit 77
}
program=$BUILD/tests/programs/drops
library=$BUILD/src/library
chmod 711 "$work"
# The program must find its libraries as nobody, wherever the build lies.
cp "$program" "$library/libhotpath.so.0" "$work"
program=$work/drops
export LD_LIBRARY_PATH="$work"
mkdir "$work/root"

# What programs that are somebody else by now have left, of this test's programs.
others() { grep -ls "$program" /dev/shm/hotpath-65534/*.seg /tmp/hotpath-65534/*.seg 2> /dev/null || :; }
clean() { others | xargs -r rm -f; }
on_exit=clean

# recorded WORD...: all its calls are in the report.
recorded()
{
	expect 0 "$HOTPATH" run --format json -o "$work/report" "$program" "$@"
	jq -e '.functions_timing.data[] | select(.name == "measured").calls == 100' "$work/report" > /dev/null ||
		fail "$*: $(cat "$work/stderr" "$work/report")"
	quiet "$work/stderr"
}
recorded
recorded setuid
recorded setuid fork
recorded chroot "$work/root"
recorded chroot "$work/root" setuid

# Later, root sees them with those of the folder of its choice.
expect 0 "$HOTPATH" list
others > "$work/left"
[ -s "$work/left" ] || fail 'no segment of nobody'
while read -r segment; do
	pid=${segment##*/hotpath-}
	grep -q "^ *${pid%%-*} " "$work/stdout" || fail "$segment is not listed: $(cat "$work/stdout")"
done < "$work/left"

# Without a folder of its own choice, too; and later, root can see it again.
by_default() { env -u HOTPATH_DIR -u XDG_RUNTIME_DIR "$HOTPATH" "$@"; }
expect 0 by_default run "$program" setuid
says '| measured ' "$work/stderr"
expect 0 by_default report "$(others | sed -n '$s/.*hotpath-\([0-9]*\)-[0-9]*\.seg/\1/p')"
says '| measured ' "$work/stdout"

# What measures nothing leaves nothing.
clean
rm -f "$HOTPATH_DIR"/*
for words in 'setuid nothing' "chroot $work/root nothing" "chroot $work/root setuid nothing"; do
	# shellcheck disable=SC2086
	expect 0 "$HOTPATH" run --no-cpu "$program" $words
	says 'No measurements recorded from drops' "$work/stderr"
	# shellcheck disable=SC2086
	HOTPATH_CPU_RATE=1 expect 0 "$HOTPATH" run "$program" $words
	says 'No CPU time was sampled' "$work/stderr"
	[ -z "$(ls "$HOTPATH_DIR")$(others)" ] || fail "$words leaves a segment"
done

# Where it cannot be recorded, the reason is said.
expect 0 "$HOTPATH" run "$program" chroot "$work/root" fork
says 'cannot keep a segment in ' "$work/stderr"
[ "$(grep -c 'cannot keep' "$work/stderr")" = 1 ] || fail "more than one line: $(cat "$work/stderr")"

# Somebody else's folder is not read if it is a link.
clean
if ln -s "$HOTPATH_DIR" /dev/shm/hotpath-65533; then
	by_default list > "$work/stdout" 2> /dev/null || :
	rm /dev/shm/hotpath-65533
	! grep -q drops "$work/stdout" || fail 'a folder that is a link is read'
fi

exit "$failed"
