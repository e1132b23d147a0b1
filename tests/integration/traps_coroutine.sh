#!/bin/sh
# SPDX-License-Identifier: MIT
# Measured functions on coroutines' stacks, open while others run and ended on any thread, are counted.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

# A worker hardly does more than its steps. Where the machine stands still between two of these, that time is the worker's.
check_own_time() { holds '$row.worker | .self_ns < .total_ns / 10'; }

# inside THREAD: each worker's time is its own, with its steps inside it and the leaves inside those.
inside()
{
	by_itself "$programs/coroutine" "$1"
	agrees
	nothing_lost
	holds '$row | all(.open == 0)'
	holds "\$row.worker.total_ns | . > $(fact within) * 0.9 and . < $(fact around) * 1.01"
	holds '$row | .worker.total_ns >= .step.total_ns and .step.total_ns > .leaf.total_ns'
	holds '$row.leaf | .self_ns == .total_ns'
	holds '$row | .step.total_ns - .step.self_ns | . > 0 and . <= $row.leaf.total_ns * 1.01'
}

# far PROGRAM [WORD]: that calls are inside each other is known by the coroutine, however much is on the stack between them.
far()
{
	HOTPATH_REPORT=all by_itself "$programs/$1" ${2+"$2"}
	agrees
	nothing_lost
	holds '[.call_tree.data[] | recurse(.children[]) | select(.name == "worker")] |
		map([recurse(.children[]).name]) == [["worker", "step", "leaf"]]'
}

for clock in counter monotonic; do
	export HOTPATH_CLOCK=$clock

	for thread in main thread; do
		undisturbed check_own_time inside "$thread"
	done

	# Where a stack ends cannot be known when it is in one piece with others: the calls can.
	by_itself "$programs/coroutine" near
	agrees
	holds '$row | all(.open == 0)'
	by_itself "$programs/coroutine_local"
	agrees
	holds '$row | all(.open == 0)'

	# It is known from swapcontext, or from the program, as a statically linked one must say.
	undisturbed check_own_time far coroutine_far
	for name in coroutine_far static_coroutine_far; do
		[ ! -x "$programs/$name" ] || undisturbed check_own_time far "$name" told
	done

	by_itself "$programs/coroutine_migrate"
	agrees
	holds '$row | all(.open == 0)'
	lost detached "$(fact detached)"
	holds "\$row.worker.total_ns | . > $(fact within) * 0.9 and . < $(fact around) * 1.01"

	by_tool "$programs/coroutine_jump"
	bounded 1
	holds "\$row | .normal.calls == $(calls normal) and .quick_calls.calls == 1"
	holds "\$row.dive | .calls + .open == $(calls dive) and .open <= 4"
	holds "\$row.quick_calls.total_ns > $(fact worked) * 0.9"
done

exit "$failed"
