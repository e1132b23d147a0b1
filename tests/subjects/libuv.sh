#!/bin/sh
# SPDX-License-Identifier: MIT
# libuv's own tests end as before when everything it does is observed.
#
# Some need another network than ours, and some are a matter of luck: those that fail are asked again, with the probe
# and without.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/subjects.sh"
command -v cmake > /dev/null || skip 'cmake is not installed'
[ -e "$BUILD/src/probes/uv/libhotpath-uv.so" ] || skip 'the probe is not built'

# Built once: nothing in it is ours.
built=$downloads/libuv1.built
if [ ! -d "$built" ]; then
	unpack libuv1 libuv
	cd "$work/libuv"
	build cmake -S . -B out -DCMAKE_BUILD_TYPE=Debug -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON
	build cmake --build out --target uv_run_tests -j 2
	cd "$work"
	rm -rf "$built.new"
	mv libuv "$built.new"
	mv "$built.new" "$built"
fi
cp -a "$built" "$work/libuv"
cd "$work/libuv"

# They refuse to be run by root, who runs them as somebody else, to whom the build folder may be closed.
mkdir -p "$work/tree/cli" "$work/tree/library" "$work/tree/probes/uv" "$work/tree/probes/waits"
cp "$HOTPATH" "$work/tree/cli/hotpath"
cp "$BUILD/src/library/libhotpath.so" "$work/tree/library/"
cp "$BUILD/src/probes/uv/libhotpath-uv.so" "$work/tree/probes/uv/"
cp "$BUILD/src/probes/waits/libhotpath-waits.so" "$work/tree/probes/waits/"
user=
if [ "$(id -u)" = 0 ]; then
	user='setpriv --reuid=65534 --regid=65534 --clear-groups'
	chmod 711 "$work"
	chown -R 65534:65534 "$work/libuv" "$work/segments"
fi
export HOME="$work/libuv"

# observed: what makes a report of all processes of the command that follows.
observed() { echo "$work/tree/cli/hotpath run --no-cpu --probes=uv --waits --report futures,loops --format json" \
	"--limit 0 -o $work/libuv/report --"; }

# shellcheck disable=SC2046,SC2086
timeout 300 $user $(observed) out/uv_run_tests > "$work/tap" 2> "$work/log" || true
[ "$(grep -c '^ok' "$work/tap")" -gt 300 ] || fail "only $(grep -c '^ok' "$work/tap") pass: $(tail -n 5 "$work/log")"
mv "$work/libuv/report" "$work/report"

# passes TEST COMMAND...: one of three times.
passes()
{
	name=$1
	shift
	for _ in 1 2 3; do
		# shellcheck disable=SC2086
		timeout 60 $user "$@" out/uv_run_tests "$name" > "$work/log" 2>&1 && return
	done
	return 1
}

sed -n 's/^not ok [0-9]* - //p' "$work/tap" > "$work/lost"
while read -r name; do
	# shellcheck disable=SC2046
	passes "$name" $(observed) || ! passes "$name" || fail "$name fails when it is observed: $(cat "$work/log")"
done < "$work/lost"

# It was: their callbacks have names, and none was lost.
jq -e '.futures.data | length > 200 and any(.name == "uv_fs_open open_cb" and .call_count > 0)' \
	"$work/report" > /dev/null || fail "not observed: $(jq -c '.futures.data[:5]' "$work/report")"

exit "$failed"
