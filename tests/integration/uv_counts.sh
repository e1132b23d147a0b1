#!/bin/sh
# SPDX-License-Identifier: MIT
# Requests, handles and loops of libuv are reported as the program counts them itself, to the last one.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/uv_common.sh"

UV_THREADPOOL_SIZE=1 observe uv_requests
as_it_says
observe uv_handles
as_it_says

# Loops on several threads are one row, by the name that the program gave them.
UV_THREADPOOL_SIZE=3 observe uv_loops
as_it_says
holds '($loops | keys) == ["side"] and $loops.side.has_custom_label and $loops.side.busy_sampled_count > 0'

# One thread serves all: who waits is told apart from who takes long.
UV_THREADPOOL_SIZE=1 observe uv_pool
first=$(sed -n 's/^@first //p' "$work/stdout")
holds "\$futures[\"uv_queue_work first\"].total_service_ns >= $first"
holds "\$futures[\"uv_queue_work second\"].total_queue_ns >= $first"
holds "\$futures[\"uv_fs_stat on_stat\"].total_queue_ns >= $first"
holds '$futures["uv_queue_work second"] | .total_queue_ns + .total_service_ns <= .lifetime_sum_ns * 1.001'
holds '$loops["uv_run main"].callback_count == 3 and $loops["uv_run main"].idle_ns > 0'
[ "$(jq '[.threads.data[] | select(.name == "libuv-worker")] | length' "$work/report")" = 1 ] ||
	fail "the worker has no name: $(jq -c .threads "$work/report")"

# Names, signal handlers, jumps, forks and loops inside of loops.
observe uv_traps
[ "$(jq -s '.[1].dropped | add' "$work/report")" = 0 ] || fail "of the child: $(tail -n 1 "$work/report")"
head -n 1 "$work/report" > "$work/first"
mv "$work/first" "$work/report"
as_it_says
holds '$futures.heartbeat.has_custom_label and $futures.bell.has_custom_label'
holds '($loops | keys) == ["inner", "outer"]'

exit "$failed"
