#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples' reports agree with what each example measured itself.
#
# usage: examples.sh FOLDER     the folder of the built examples
set -eu

examples=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -m 700 "$work/segments"
export HOTPATH_DIR="$work/segments"
failed=0

fail()
{
	echo "FAILED: $*"
	failed=1
}

# run EXAMPLE: leaves its report in report.json, and its own measurement in own.
run()
{
	example=$1
	rm -f "$work/own" "$work/report.json"
	HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/report.json" \
		EXAMPLE_EXPECT="$work/own" "$examples/$example" > "$work/output" 2>&1 ||
		fail "$example: exit status $?"
	[ ! -s "$work/output" ] || fail "$example printed: $(cat "$work/output")"
}

# of SECTION FILTER: jq over the rows of a section, an object by name.
of() { jq -r ".$1.data | map({(.name): .}) | add | $2" "$work/report.json"; }

report() { of functions_timing "$1"; }

holds() { [ "$(report "$1")" = true ]; }

# calls NAME COUNT
calls()
{
	actual=$(report ".$1.calls")
	[ "$actual" = "$2" ] || fail "$example: $1 was called $actual times, not $2"
}

own() { sed -n "s/^$1 //p" "$work/own"; }

# share NAME: within 2 percentage points of the program's own measurement, or a tenth of it.
share()
{
	expected="($(own "$1") * 100 / $(own main))"
	holds "(.$1.percent_total - $expected | fabs) | . <= 2 or . <= $expected / 10" ||
		fail "$example: $1 is $(report ".$1.percent_total") %, by its own clock" \
			"$(report "$expected") %"
}

# rows NAME CALLS...: these and main, and nothing else. Percentages are of main's time.
rows()
{
	expected=$(($# / 2 + 1))
	actual=$(report length)
	[ "$actual" = "$expected" ] || fail "$example: $actual rows, not $expected"
	calls main 1
	while [ $# -gt 0 ]; do
		calls "$1" "$2"
		share "$1"
		holds "(.$1.total_ns * 100 / .main.total_ns - .$1.percent_total | fabs) < 0.1" ||
			fail "$example: total and percentage of $1 differ"
		shift 2
	done
}

# allocates NAME CALLS BYTES COUNT: exactly.
allocates()
{
	actual=$(of functions_alloc ".$1 | \"\(.calls) \(.bytes) \(.count)\"")
	[ "$actual" = "$2 $3 $4" ] ||
		fail "$example: calls, bytes and count of $1 are $actual, not $2 $3 $4"
}

run overview
rows sync_work 1000 sync_alloc 1000 sync_sleep 1000
allocates sync_alloc 1000 1024000 1000
allocates sync_work 1000 0 0
allocates sync_sleep 1000 0 0
allocates main 1 0 0
[ "$(jq '[.functions_alloc.data[].bytes] | add' "$work/report.json")" = 1024000 ] ||
	fail "$example: there is more than was allocated"

run basic
rows sync_function 100 async_function 100 custom_block 100

run profile_cpu
rows heavy_work 1000 light_work 1000
holds '.heavy_work.total_ns > .light_work.total_ns' ||
	fail "$example: heavy_work takes less than light_work"

run profile_blocking_io
rows create_test_file 1 read_file 5

exit "$failed"
