# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# The stacks from which a program allocates, by heaptrack and by us. Sourced after expect.sh.
for tool in heaptrack zstdcat; do
	command -v "$tool" > /dev/null || {
		echo "skipped: $tool is not installed"
		exit 77
	}
done

# same_stacks COMMAND...: the program has the same environment both times, and writes to a file.
same_stacks()
{
	rm -f "$work"/heaptrack.* "$work/report"
	alone="env -i PATH=$PATH LC_ALL=C"
	# shellcheck disable=SC2086
	$alone heaptrack -o "$work/heaptrack" "$@" > "$work/expected" 2> "$work/stats"
	# shellcheck disable=SC2086
	$alone HOTPATH_DIR="$HOTPATH_DIR" "$HOTPATH" run --no-cpu --alloc --format json --limit 0 -o "$work/report" \
		-- "$@" > "$work/stdout"
	python3 "$here/../oracle/heaptrack_stacks.py" "$work"/heaptrack.* "$work/report" > "$work/faults" ||
		fail "$*: $(head -n 20 "$work/faults")"
	tail -n 1 "$work/faults"
}
