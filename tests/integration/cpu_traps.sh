#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs that do odd things with their stacks are sampled 10000 times a second, and measured as if they were not.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"
export HOTPATH_CPU=1 HOTPATH_CPU_RATE=10000

# nothing_but_stacks: of samples that came while another thread was at the recorder, the stack may be missing.
nothing_but_stacks() { holds '.dropped | del(.stacks) | all(. == 0)'; }

for HOTPATH_CPU_SOURCE in perf timer; do
	export HOTPATH_CPU_SOURCE
	for thread in main thread near; do
		by_itself "$programs/coroutine" "$thread"
		agrees
		holds '$row | all(.open == 0)'
	done
	for program in coroutine_deep coroutine_local coroutine_migrate jump_depths leave_thread; do
		by_itself "$programs/$program"
		agrees
	done
	for stack in own-stack heap-stack local-stack; do
		by_itself "$programs/signal_timer" "$stack"
		agrees
		nothing_but_stacks
		holds '.functions_cpu.total_samples > 0'
	done
	# A look at millions of open calls takes no longer than at others: the program comes to its end.
	by_itself "$programs/deep" thread 2200000
done

exit "$failed"
