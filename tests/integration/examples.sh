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

# run EXAMPLE ARGUMENT...: leaves its report in report.json, and its own measurement in own.
run()
{
	example=$1
	shift
	rm -f "$work/own" "$work/report.json"
	HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/report.json" \
		EXAMPLE_EXPECT="$work/own" "$examples/$example" "$@" > "$work/output" 2>&1 ||
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

# so SECTION FILTER: it is true.
so()
{
	[ "$(of "$1" "$2")" = true ] ||
		fail "$example: not so: $2, in $(jq -c ".$1.data" "$work/report.json"); by itself: $(own '.*')"
}

if [ -e "$examples/channels_glib" ]; then
	run channels_glib
	calls cook 200
	so channels '.orders | .sent_count == 200 and .received_count == 200 and .instances == 1 and
		.state == "closed" and .queue_size == 0'
	# It grows, and who is last in it waits for all the others to be cooked.
	so channels '.orders | .max_queue_size > 15 and .delay_max_ns >= (.max_queue_size - 1) * 1000000'
	so channels ".orders | (.delay_sum_ns / $(own waited) - 1 | fabs) < 0.02"
fi

run channels_pthread
calls deliver 2000
so channels '.shelf | .sent_count == 2000 and .received_count == 2000 and .sent_bytes == 2000 * 512 and
	.channel_type == "bounded[16]" and .max_queue_size <= 16 and .state == "closed"'
so channels ".shelf | (.delay_avg_ns / ($(own waited) / 2000) - 1 | fabs) < 0.1"

run futures
calls receive 360
so futures '.download | .call_count == 100 and .cancelled_count == 20 and .total_polls == 360 and
	.lifetime_sampled_count == 80'
so futures ".download | (.lifetime_sum_ns / $(own ready) - 1 | fabs) < 0.02"
[ "$(jq '.futures.data[0].total_poll_duration_ns >= (.functions_timing.data[] | select(.name == "receive").total_ns)' \
	"$work/report.json")" = true ] || fail "$example: receive is not in the polls"

run coroutines
rows run_kitchen 1 cook_all 3 make_dish 60 stir 120

# Five files at the same time: together they take more than all there is, and far more than they compute.
if [ -x "$examples/profile_async_io" ]; then
	export HOTPATH_CPU=1
	run profile_async_io
	for name in create_file read_file; do
		calls "$name" 5
		share "$name"
	done
	holds '.create_file.percent_total > 150 and .create_file.percent_total < 500' ||
		fail "$example: create_file is $(report .create_file.percent_total) %"
	jq -e '(.functions_cpu.data | map({(.name): .percent_total}) | add) as $cpu |
		($cpu.create_file // 0) < 100' "$work/report.json" > /dev/null ||
		fail "$example: create_file computes: $(jq -c .functions_cpu "$work/report.json")"
	jq -e '.bottlenecks.summary | any(test("^create_file takes [0-9]* % of main: several run"))' \
		"$work/report.json" > /dev/null || fail "$example: why? $(jq -c .bottlenecks.summary "$work/report.json")"
	[ "$(of futures '."uv_fs_write on_written" | "\(.call_count) \(.ended_count) \(.total_polls)"')" = \
		'12800 12800 12800' ] || fail "$example: other writes: $(jq -c .futures.data "$work/report.json")"

	UV_THREADPOOL_SIZE=4 run profile_async_io_long 0
	[ "$(jq '[.threads.data[] | select(.name == "libuv-worker")] | length' "$work/report.json")" = 4 ] ||
		fail "$example: other threads: $(jq -c .threads.data "$work/report.json")"
fi

# A program without hotpath: it counts right, and so the documentation's reports of it are of something real.
cat "$0" "$0" > "$work/text"
tr -cs '[:alnum:]' '\n' < "$work/text" | tr '[:upper:]' '[:lower:]' | grep . | sort | uniq -c | sort -rn |
	head -n 1 > "$work/expected"
"$examples/words" "$work/text" | head -n 1 > "$work/output"
[ "$(tr -s ' ' < "$work/output")" = "$(tr -s ' ' < "$work/expected")" ] ||
	fail "words: $(cat "$work/output"), not $(cat "$work/expected")"
[ "$("$examples/words" < "$work/text")" = "$("$examples/words" "$work/text")" ] || fail 'words: other words from a pipe'

exit "$failed"
