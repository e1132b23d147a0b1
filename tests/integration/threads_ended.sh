#!/bin/sh
# SPDX-License-Identifier: MIT
# What is known of threads when they have ended, and the process too; compared with what the kernel told them.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

program=$BUILD/tests/programs/thread_times

# holds FILTER: true of the report; $said is what the threads said of themselves.
holds()
{
	jq -e --slurpfile said "$work/said" "$1" "$work/report" > "$work/jq" ||
		fail "${what-}: not true: $1: $(cat "$work/jq" "$work/said") $(jq -c .threads "$work/report")"
}

# Times may differ a little: some microseconds pass between what a thread says and its end.
same_times='def near($a; $b; $all): ($a - $b | fabs) <= $all / 10;
	def same($row; $truth): ($truth.user_ns + $truth.system_ns) as $all |
		near($row.user_ns + $row.system_ns; $all; $all) and near($row.user_ns; $truth.user_ns; $all);
	.threads.data as $rows | $said | all(. as $truth |
		$rows | map(select(.tid == $truth.tid)) | length == 1 and
		(.[0].name == $truth.name or $truth.name == "main") and'

run()
{
	what="hotpath run $*"
	expect "$wanted" "$HOTPATH" run --format json -o "$work/report" "$@"
	cp "$work/stdout" "$work/said"
}

# A program that exits: all of its threads are known.
wanted=0
run "$program" exit
holds "$same_times same(.[0]; \$truth))"
holds '.threads.data | length == 4 and all(.state == "ended" and .cpu_percent_avg > 0)'
holds '[.threads.data[].name] | sort == ["kernel", "main", "stays", "user"]'
holds '.threads.ended.threads == 0 and .threads.pid == .pid'
holds '.threads.data | map(select(.name == "kernel"))[0] | .system_ns > .user_ns'
holds '.threads.rss_bytes > 65536 and .threads.peak_rss_bytes >= .threads.rss_bytes'
holds '.threads.allocated_bytes == null and all(.threads.data[]; .allocated_bytes == null)'

# The program's own report has the same times, and a saved report is the same.
HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH=$work/report expect 0 "$program" exit
cp "$work/stdout" "$work/said"
holds "$same_times same(.[0]; \$truth))"
expect 0 "$HOTPATH" report --report threads
cp "$work/stdout" "$work/before"
expect 0 "$HOTPATH" report --save "$work/saved.json"
expect 0 "$HOTPATH" report "$work/saved.json" --report threads
cmp -s "$work/before" "$work/stdout" || fail "a saved report differs: $(diff "$work/before" "$work/stdout")"

# A program killed by SIGKILL: threads that ended before are known, and none is there twice.
wanted=137
run "$program" killed
holds "$same_times if .[0].name == \"user\" or .[0].name == \"kernel\" then same(.[0]; \$truth)
	else .[0].user_ns == null end)"
holds '.threads.data | length == 4 and (map(.tid) | unique | length) == 4'

# Allocations of threads add up to those of the process.
wanted=0
run --alloc "$program" exit
holds '.threads.data | map(select(.name == "stays"))[0] | [.allocated_bytes, .freed_bytes] == [1000, 1000]'
holds '.threads | [.allocated_bytes, .freed_bytes] ==
	(.data + [.ended] | [map(.allocated_bytes), map(.freed_bytes) | add])'

# Ten thousand threads are counted, and need the room of a hundred. Without samples, of which there are more.
threads()
{
	run --no-cpu --alloc "$program" many "$1"
	holds "[.threads.data[], .threads.ended] | map(.threads) | add == $1 + 1"
	holds ".threads.data | (map(.user_ns + .system_ns) | min) > 0"
	# 64 have a row each, and the first thread has one; the others are a row together, with their name and time.
	holds ".threads.data | map(select(.tid)) | length == 65"
	holds ".threads.data | map(select(.tid == null)) |
		length == 1 and .[0].threads == $1 - 64 and .[0].name == \"thread_times\""
	holds ".threads.data[] | select(.tid == null) | .recorded_ns > .user_ns + .system_ns - .before_ns"
	holds "[.threads.data[], .threads.ended] | map(.freed_bytes) | add >= 1000 * $1"
	bytes=$("$HOTPATH" list --json | jq '.[0].bytes')
	"$HOTPATH" list --clean > /dev/null
}
"$HOTPATH" list --clean > /dev/null
threads 100
few=$bytes
threads 10000
[ "$bytes" = "$few" ] || fail "10000 threads need $bytes bytes, 100 need $few"

# A process that leaves by _exit has the times of the threads that it had then. What is called python3 may be a script, whose time
# is not that of the program which it executes.
python=$(python3 -c 'import sys; print(sys.executable)')
"$HOTPATH" run --format json -o "$work/report" "$python" -c 'import os, threading, time
def compute():
    while time.thread_time() < 0.1: pass
done = threading.Event()
threading.Thread(target=lambda: (compute(), done.set(), time.sleep(60)), daemon=True).start()
compute()
done.wait()
os._exit(0)'
what='_exit' holds '[.threads.data[] | select(.name | startswith("python"))] |
	length == 2 and all(.user_ns + .system_ns >= 100000000)'

# More than five threads of a name are one row, unless all are asked for.
expect 0 "$HOTPATH" run "$program" many 50
says '| thread_times (50 threads) ' "$work/stderr"
HOTPATH_THREADS_LIMIT=51 expect 0 "$HOTPATH" run "$program" many 50
[ "$(grep -c '^| thread_times ' "$work/stderr")" = 51 ] || fail "not 51 rows: $(cat "$work/stderr")"

exit "$failed"
