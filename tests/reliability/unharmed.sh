# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# What the tests share that take something away from a program: it must not notice.
#
# Sourced after expect.sh. many FUNCTIONS CALLS 5 is the program; it prints a sum and ends with 5.
many=$BUILD/tests/reliability/many
functions=500 each=20
HOTPATH_OFF=1 expect 5 "$many" "$functions" "$each" 5
sum=$(cat "$work/stdout")
quiet "$work/stderr"
report=$work/report

# unharmed WHAT COMMAND...: the program's output and status are its own; the profiler says at most one line.
unharmed()
{
	what=$1
	shift
	status=0
	rm -f "$report"
	"$@" > "$work/stdout" 2> "$work/stderr" || status=$?
	still_unharmed
}

still_unharmed()
{
	[ "$status" = 5 ] || fail "$what: status $status: $(head -c 400 "$work/stderr")"
	[ "$(cat "$work/stdout")" = "$sum" ] || fail "$what: output '$(head -c 400 "$work/stdout")'"
	grep -v '^hotpath: ' "$work/stderr" > "$work/others" && fail "$what: $(cat "$work/others")"
	[ "$(wc -l < "$work/stderr")" -le 1 ] || fail "$what: more than a line: $(cat "$work/stderr")"
}

# warned TEXT: it did say something, with this in it.
warned() { grep -qF -- "$1" "$work/stderr" || fail "$what: no '$1': $(cat "$work/stderr")"; }

# silent: it did not.
silent() { [ ! -s "$work/stderr" ] || fail "$what: $(cat "$work/stderr")"; }

# reported: there is a report.
reported()
{
	[ -s "$report" ] || {
		fail "$what: no report"
		return 1
	}
}

# all_measured: the report is there, with every call.
all_measured()
{
	reported || return 0
	jq -e "[.functions_timing.data[] | select(.name | startswith(\"f\")).calls] ==
		[range($functions) | $each] and ([.dropped[]] | add) == 0" "$report" > "$work/answer" 2>&1 ||
		fail "$what: not all calls: $(head -c 300 "$report" 2>&1)"
}

# all_accounted_for: what is not in the report was counted as dropped; a place only once.
all_accounted_for()
{
	reported || return 0
	jq -r "([.functions_timing.data[] | select(.name | startswith(\"f\")).calls] | add // 0) as \$calls |
		(\$calls + .dropped.functions + .dropped.sites + .dropped.threads) as \$known |
		select(\$known < $functions * $each or .dropped.sites > $functions) |
		\"\(\$calls) calls and \(.dropped) dropped\"" "$report" > "$work/wrong" 2>&1 ||
		fail "$what: no report"
	[ ! -s "$work/wrong" ] || fail "$what: $(cat "$work/wrong")"
}

# With the report in a file, standard error is for warnings alone.
export HOTPATH_OUTPUT_PATH="$report" HOTPATH_OUTPUT_FORMAT=json HOTPATH_LIMIT=0
