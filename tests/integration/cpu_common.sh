# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of CPU sampling share. Sourced, after expect.sh.

sources='perf timer'

# sampled SOURCE COMMAND...: run it, sampled, and leave the report in $work/report; of each process. One more option
# of the tool may be in $run_options.
run_options=--cpu
sampled()
{
	source=$1
	shift
	rm -f "$work/report"
	expect 0 timeout -s KILL 60 env HOTPATH_CPU_SOURCE="$source" \
		"$HOTPATH" run --each --cpu "$run_options" --format json -o "$work/report" -- "$@"
	quiet "$work/stderr"
	# Not every kernel lets us have events.
	used=$(jq -r '.functions_cpu.source' "$work/report" | sort -u)
	[ "$used" = "$source" ] || [ "$source" = perf ] || fail "the source is $used, not $source"
}

# holds FILTER: jq finds that true of the report; of several, of all that the filter selects.
holds()
{
	jq "$1" "$work/report" > "$work/answer" 2>&1 || :
	[ "$(tail -n 1 "$work/answer")" = true ] && ! grep -q '^false$\|^null$' "$work/answer" ||
		fail "not so: $1: $(head -n 3 "$work/answer")"
}

# settles FILTER COMMAND...: a command leaves a report of which the filter holds. Others who compute at the same time may
# disturb a run, and what a thread did last has no tick then; but not three in a row.
settles()
{
	settled=$1
	shift
	for _ in 1 2 3; do
		"$@"
		! jq -e "$settled" "$work/report" > /dev/null || break
	done
	holds "$settled"
}

# is_all_of NANOSECONDS SHARE: all samples together are that CPU time, but for a share of it.
is_all_of()
{
	holds ".functions_cpu | .total_samples * .period_ns / $1 - 1 |
		if fabs <= $2 then true else ., false end"
}

# each_has PROCESSES: so many told their CPU time, and the samples of each are that; a process that is not left by exit may
# lack what had no sample yet: some 20 ms of its 200. A virtual machine's host may take a processor away: perf events count
# that time, and the kernel's account does not. A process that executed another program has two reports. $what says in which case.
each_has()
{
	[ "$(wc -l < "$work/stdout")" = "$1" ] || fail "$what: not $1 processes: $(cat "$work/stdout")"
	while read -r pid used; do
		share=$(jq -s "[.[] | select(.pid == $pid).functions_cpu | .total_samples * .period_ns] | add / $used" "$work/report")
		jq -ne "$share > 0.9 and $share < 1.1" > /dev/null || fail "$what: process $pid has $share of its CPU time"
	done < "$work/stdout"
}
