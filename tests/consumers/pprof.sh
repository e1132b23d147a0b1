#!/bin/sh
# SPDX-License-Identifier: MIT
# go tool pprof reads what is exported for it: the same functions, with lines, labels, modules.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/consumer.sh"

needs go
export PPROF_TMPDIR="$work" GOFLAGS=-mod=mod

# top FILE OPTION...: "self name" of the functions, the most first.
top()
{
	file=$1
	shift
	go tool pprof -sample_index=samples "$@" -top "$file" 2> "$work/stderr" |
		awk 'table { name = $6; for (i = 7; i <= NF; i++) name = name " " $i
				if ($1 ~ /^[1-9]/) print $1, name }
			$1 == "flat" { table = 1 }'
}

export_made pprof "$work/made.pb.gz"
top "$work/made.pb.gz" > "$work/top"
same '400 memcpy
300 parse.constprop.0
240 render
200 draw & "b"; '"'c'"'
50 walk
10 [no stack]' "$work/top"

top "$work/made.pb.gz" '-tagfocus=measured=read line' > "$work/top"
same '400 memcpy' "$work/top"
top "$work/made.pb.gz" '-tagfocus=thread=worker;1' > "$work/top"
same '240 render' "$work/top"

expect 0 go tool pprof -raw "$work/made.pb.gz"
says 'PeriodType: cpu nanoseconds' "$work/stdout"
says 'Period: 1000000' "$work/stdout"
says 'samples/count cpu/nanoseconds' "$work/stdout"
says 'read line parse.c:0 s=42' "$work/stdout"
says '/none/bin/made 0102030405000000000000000000000000000000 [FN][FL][LN][IN]' "$work/stdout"
says '400  400000000:' "$work/stdout"

# A program that was really run.
record
"$HOTPATH" export --format pprof -o "$work/samples.pb.gz"
go tool pprof -sample_index=samples -nodecount=100000 -nodefraction=0 -top "$work/samples.pb.gz" 2> "$work/stderr" |
	awk 'table { name = $6; for (i = 7; i <= NF; i++) name = name " " $i
			sub(/ \((partial-)?inline\)$/, "", name); print $1, $4, name }
		$1 == "flat" { table = 1 }' | by_name > "$work/top"
compare "$work/top"
part=$(share 'read line' parse)
{ [ "$part" -gt 40 ] && [ "$part" -lt 80 ]; } || fail "the block has $part % of its function, not 60"
expect 0 go tool pprof -raw "$work/samples.pb.gz"
grep -q 'spin .*hot_stacks.c:2[0-9] s=2[0-9]' "$work/stdout" || fail "no line of an inlined function"
grep -q 'measured:\[main parse read line\] thread:\[hot_stacks\]' "$work/stdout" || fail "no labels"

# What a program waited for.
record_waits
"$HOTPATH" export --what waits --format pprof -o "$work/waits.pb.gz"
go tool pprof -unit=ns -nodecount=100000 -nodefraction=0 -top "$work/waits.pb.gz" 2> "$work/stderr" |
	awk 'table { name = $6; for (i = 7; i <= NF; i++) name = name " " $i
			print $1 + 0, $4 + 0, name }
		$1 == "flat" { table = 1 }' | by_name > "$work/top"
compare "$work/top"
expect 0 go tool pprof -raw "$work/waits.pb.gz"
says 'PeriodType: wait nanoseconds' "$work/stdout"
says 'wait/nanoseconds[dflt]' "$work/stdout"

exit "$failed"
