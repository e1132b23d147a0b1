#!/bin/sh
# SPDX-License-Identifier: MIT
# While nothing is recorded, the macros do not call the library; what begins or ends at a start or a stop is counted right.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

shared=$BUILD/src/library/libhotpath.so

# off_on MODE COMMAND...: each report has the calls that the program says, and nothing of another session.
off_on()
{
	mode=$1
	shift
	rm -rf "$work/reports"
	mkdir "$work/reports"
	what="$* $mode"
	expect 0 timeout -s KILL 60 "$@"
	quiet "$work/stderr"
	[ "$(wc -l < "$work/stdout")" = 6 ] || fail "$what: not 6 sessions: $(cat "$work/stdout")"
	if [ "$mode" = off ]; then
		[ -z "$(ls "$work/reports")" ] || fail "$what: reports: $(ls "$work/reports")"
		return
	fi
	while read -r line; do
		name=$(echo "$line" | jq -r .name)
		jq -e --argjson truth "$line" '(.functions_timing.data | map(select(.caller != true and
			.calls > 0 and .kind != "span") | {(.name): .calls}) | add) == $truth.calls' "$work/reports/$name.json" \
			> /dev/null || fail "$what: not $line: $(jq -c '[.functions_timing.data[] | {name, calls}]' \
				"$work/reports/$name.json")"
	done < "$work/stdout"
}

# With a copy of the flag in the program (off_on, off_on_fixed), without, optimised with the program, and with a library
# that is loaded later and shares the flag.
for program in off_on off_on_fixed off_on_pic off_on_lto off_on_static off_on_exported; do
	# Not every linker can do with what the compiler leaves to it.
	[ -e "$programs/$program" ] || [ "$program" != off_on_lto ] || continue
	off_on skips "$programs/$program" "$work/reports" skips
	off_on off env HOTPATH_OFF=1 "$programs/$program" "$work/reports" off
done
for program in off_on off_on_fixed off_on_pic; do
	off_on skips "$programs/$program" "$work/reports" skips "$programs/plugin.so"
	# It brings a recorder of its own, which is not used, and finds the flag of the one that is.
	off_on skips "$programs/$program" "$work/reports" skips "$programs/plugin_static.so"
done

# The recorder in the program hands all calls over to the shared one, which may record or not.
for program in off_on_static off_on_exported; do
	off_on passes env LD_PRELOAD="$shared" "$programs/$program" "$work/reports" passes
	off_on off env LD_PRELOAD="$shared" HOTPATH_OFF=1 "$programs/$program" "$work/reports" off
done

exit "$failed"
