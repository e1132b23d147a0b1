# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# What a program allocates, by valgrind's count, by heaptrack's, and by ours. Sourced after
# alloc_common.sh.
#
# All of it is the same to the byte. The program is given the same environment each time, all of it ours, and
# writes to a file: stdio allocates otherwise for a terminal. What differs is known:
#
# - valgrind frees what the C library keeps for itself when the program has ended. It is told not to.
# - To malloc_usable_size valgrind answers what was asked for, and glibc what it rounded that to. A program
#   that uses the rest has reasons to reallocate less often. It must be built not to ask.
# - heaptrack brings the C++ library along, which allocates once when it is loaded. So does a program that
#   allocates nothing, and what that has is taken off.
# - heaptrack says the most that was allocated at once in three or more digits. So many are compared.
alone="env -i PATH=$PATH LC_ALL=C"

for tool in valgrind heaptrack heaptrack_print; do
	command -v "$tool" > /dev/null || {
		echo "skipped: $tool is not installed"
		exit 77
	}
done

# number FILE TEXT: the number that follows the text.
number() { tr -d , < "$1" | sed -n "s/.*$2[[:space:]]*\([0-9.]*[KMG]*\).*/\1/p" | tail -n 1; }

# bytes NUMBER: of one like 257.20K.
bytes()
{
	echo "$1" | sed 's/K$/e3/; s/M$/e6/; s/G$/e9/' | jq round
}

# timeless COMMAND...: what it prints, but for times at the end of lines, and the blanks in front of shorter ones.
timeless() { "$@" | sed 's/ *[0-9]*\.[0-9]*s$//'; }

# by_valgrind COMMAND...: allocations, frees, bytes, and the bytes and blocks that are left.
by_valgrind()
{
	# shellcheck disable=SC2086
	timeless $alone valgrind --run-libc-freeres=no --run-cxx-freeres=no --log-file="$work/valgrind" \
		-- "$@" > "$work/expected"
	echo "$(number "$work/valgrind" 'heap usage:')" "$(number "$work/valgrind" 'allocs')" \
		"$(number "$work/valgrind" 'frees')" "$(number "$work/valgrind" 'at exit:')" \
		"$(number "$work/valgrind" 'at exit:.* in')"
}

# by_heaptrack COMMAND...: allocations, blocks that are left, temporary ones, the most at once.
by_heaptrack()
{
	rm -f "$work"/heaptrack.*
	$alone heaptrack -o "$work/heaptrack" "$@" > /dev/null 2> "$work/stats"
	heaptrack_print "$work"/heaptrack.* > "$work/printed" 2> /dev/null
	echo "$(number "$work/stats" '	allocations:')" "$(number "$work/stats" 'leaked allocations:')" \
		"$(number "$work/stats" 'temporary allocations:')" \
		"$(bytes "$(number "$work/printed" 'peak heap memory consumption:')")"
}

# by_us COMMAND...: leaves $work/report.
by_us()
{
	rm -f "$work/report"
	# shellcheck disable=SC2086
	timeless $alone HOTPATH_DIR="$HOTPATH_DIR" "$HOTPATH" run --no-cpu --alloc --format json --limit 0 \
		-o "$work/report" -- "$@" > "$work/stdout"
	cmp "$work/expected" "$work/stdout" || fail "'$*' has other output"
	jq -e '.dropped | del(.abandoned) | all(. == 0)' "$work/report" > /dev/null ||
		fail "'$*': $(jq -c .dropped "$work/report")"
}

# ours FILTER: of the report, on one line.
ours() { jq -r "[$1] | join(\" \")" "$work/report"; }

# equal OTHER OURS WHAT
equal() { [ "$1" = "$2" ] || fail "$3: $1, and we say: $2"; }

printf 'int main(void) { return 0; }' > "$work/nothing.c"
gcc "$work/nothing.c" -o "$work/nothing"
# shellcheck disable=SC2046
set -- $(by_heaptrack "$work/nothing")
more_blocks=$1 more_left=$2 more_bytes=$4

# same_heap COMMAND...
same_heap()
{
	by_valgrind "$@" > "$work/by_valgrind"
	by_heaptrack "$@" > "$work/by_heaptrack"
	by_us "$@"
	equal "$(cat "$work/by_valgrind")" "$(ours '(.functions_alloc | .total_blocks, .freed_blocks,
		.total_bytes), (.memory_live | .live_bytes, .live_blocks)')" "valgrind of '$*'"
	read -r blocks left temporary peak < "$work/by_heaptrack"
	equal "$((blocks - more_blocks)) $((left - more_left)) $temporary" "$(ours '.functions_alloc.total_blocks,
		.memory_live.live_blocks, (.functions_alloc.data | map(.temporary_count) | add)')" \
		"heaptrack of '$*'"
	# Half of the last digit, and half of that of the program that allocates nothing.
	jq -e ".memory_live.peak_bytes + $more_bytes - $peak | fabs <= 5 + $peak / 199" "$work/report" \
		> /dev/null || fail "heaptrack of '$*': at most $peak, we: $(ours .memory_live.peak_bytes)"
	rows_add_up
}
