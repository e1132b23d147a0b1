#!/bin/sh
# SPDX-License-Identifier: MIT
# What older kernels cannot do costs precision of times at most: every call is counted.
# shellcheck disable=SC1091,SC2016,SC2046,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

# Put before a program; the tool itself runs on the kernel there is.
old() { echo "env LD_PRELOAD=$programs/old_kernel.so OLD_KERNEL=$1"; }

for version in 6.10 5.13 4.13; do
	by_itself $(old $version) "$programs/jump_depths"
	agrees
	bounded 1
	lost abandoned "$(fact jumped_over)"
	by_itself $(old $version) "$programs/many_threads" 500 50
	agrees
	bounded 50
	nothing_lost
	by_itself $(old $version) "$programs/coroutine" thread
	agrees
	holds "\$row.worker.total_ns | . > $(fact within) * 0.9 and . < $(fact around) * 1.01"
	by_itself $(old $version) "$programs/deep" thread
	agrees
	bounded 1
	by_tool $(old $version) "$programs/fork_open" exit
	each_agrees
	by_tool $(old $version) "$programs/fork_threads"
	each_agrees
	holds '$row.deep | . == null or .total_ns <= $row.deep.max_ns * 1.01'
done

exit "$failed"
