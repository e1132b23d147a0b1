# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of CPU sampling share. Sourced, after expect.sh.

sources='perf timer'

# sampled SOURCE COMMAND...: run it, sampled, and leave the report in $work/report.
sampled()
{
	source=$1
	shift
	expect 0 env HOTPATH_CPU_SOURCE="$source" "$HOTPATH" run --cpu --format json -o "$work/report" -- "$@"
	quiet "$work/stderr"
	# Not every kernel lets us have events.
	used=$(jq -r '.functions_cpu.source' "$work/report")
	[ "$used" = "$source" ] || [ "$source" = perf ] || fail "the source is $used, not $source"
}

# holds FILTER: jq finds that true of the report.
holds() { jq -e "$1" "$work/report" > "$work/answer" || fail "not so: $1: $(head -3 "$work/answer")"; }

# is_all_of NANOSECONDS SHARE: all samples together are that CPU time, but for a share of it.
is_all_of()
{
	holds ".functions_cpu | .total_samples * .period_ns / $1 - 1 |
		if fabs <= $2 then true else ., false end"
}
