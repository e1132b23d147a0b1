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

# top_times FILE: "self total name" of all functions, in nanoseconds.
top_times()
{
	go tool pprof -unit=ns -nodecount=100000 -nodefraction=0 -top "$1" 2> "$work/stderr" |
		awk 'table { name = $6; for (i = 7; i <= NF; i++) name = name " " $i
				print $1 + 0, $4 + 0, name }
			$1 == "flat" { table = 1 }' | by_name
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

# pprof finds the values of a heap by the names that Go gives them.
for what in alloc live; do
	export_made pprof "$work/$what.pb.gz" "$what"
	for value in 'alloc_objects 10 render 5 parse.constprop.0 4 [no stack] 1 walk' \
		'alloc_space 1000000B render 500000B parse.constprop.0 100B [no stack] 24B walk' \
		'inuse_objects 2 parse.constprop.0 1 walk' 'inuse_space 200000B parse.constprop.0 24B walk'; do
		case $value in *_space*) unit=B ;; *) unit=auto ;; esac
		top "$work/$what.pb.gz" -sample_index="${value%% *}" -unit="$unit" -nodefraction=0 > "$work/top"
		[ "$(tr '\n' ' ' < "$work/top")" = "${value#* } " ] || fail "$what: not $value: $(cat "$work/top")"
	done
	expect 0 go tool pprof -raw "$work/$what.pb.gz"
	says 'PeriodType: space bytes' "$work/stdout"
done
says 'alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes[dflt]' "$work/stdout"
expect 0 go tool pprof -raw "$work/alloc.pb.gz"
says 'alloc_objects/count alloc_space/bytes[dflt] inuse_objects/count inuse_space/bytes' "$work/stdout"

export_made pprof "$work/time.pb.gz" time
top "$work/time.pb.gz" -sample_index=wall -unit=ns > "$work/top"
same '5000000ns read line
4000000ns parse
3000000ns <other>' "$work/top"
top "$work/time.pb.gz" -sample_index=calls > "$work/top"
same '50 read line
8 <other>
5 parse' "$work/top"
expect 0 go tool pprof -raw "$work/time.pb.gz"
says 'PeriodType: wall nanoseconds' "$work/stdout"
says 'calls/count wall/nanoseconds[dflt]' "$work/stdout"

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

# Stacks of waits.
record_waits
"$HOTPATH" export --what waits --format pprof -o "$work/waits.pb.gz"
top_times "$work/waits.pb.gz" > "$work/top"
compare "$work/top"
expect 0 go tool pprof -raw "$work/waits.pb.gz"
says 'PeriodType: wait nanoseconds' "$work/stdout"
says 'wait/nanoseconds[dflt]' "$work/stdout"

# The functions that a program has measured.
record_calls
"$HOTPATH" export --what time --format pprof -o "$work/calls.pb.gz"
top_times "$work/calls.pb.gz" > "$work/top"
compare "$work/top"

exit "$failed"
