#!/bin/sh
# SPDX-License-Identifier: MIT
# What a later report says of a run that has ended is what the run itself said: its length, its end, all its processes.
# shellcheck disable=SC1091,SC2016,SC2086,SC2154
set -eu
. "$(dirname "$0")/expect.sh"

# Computes until it has been sampled, starts children that end at once, sleeps, and ends on some way.
cat > "$work/leaves.c" << 'END'
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct timespec pause = { 0, 600000000 };
	const char *way = argc > 1 ? argv[1] : "";
	pid_t child = vfork();

	if (child == 0)
		_exit(4);
	waitpid(child, NULL, 0);
	while (clock() < CLOCKS_PER_SEC / 10)
		;
	if (!(child = vfork()))
		_exit(4);
	waitpid(child, NULL, 0);
	nanosleep(&pause, NULL);
	if (strcmp(way, "_exit") == 0)
		_exit(3);
	if (strcmp(way, "exit_group") == 0)
		syscall(SYS_exit_group, 3);
	if (strcmp(way, "kill") == 0)
		kill(getpid(), SIGKILL);
	return 3;
}
END
${CC:-cc} -O1 "$work/leaves.c" -o "$work/leaves"

# told FILE: what both must say.
told() { jq -cS '[.elapsed_ns, .pid, .program, .exit, .process_tree, .threads.data, .bottlenecks]' "$1"; }

# agrees STATUS COMMAND...: the run, which may have options, and the later report. The last one is in $work/stdout.
options=
agrees()
{
	wanted=$1
	shift
	expect "$wanted" "$HOTPATH" run $options --format json --report all,processes -o "$work/run" -- "$@"
	expect 0 "$HOTPATH" report --format json --report all,processes
	[ "$(told "$work/run")" = "$(told "$work/stdout")" ] ||
		fail "$*: the run says $(told "$work/run"), the report $(told "$work/stdout")"
}

# has FILTER WHAT: the last report.
has() { jq -e "$1" "$work/stdout" > /dev/null || fail "$2: $(told "$work/stdout")"; }

# However it ends, its length goes to its end, and how it ended is known.
for way in exit _exit exit_group; do
	agrees 3 "$work/leaves" $way
	has '.elapsed_ns >= 600000000' "$way: shorter than it slept"
	has '.exit.status == 3' "$way: another exit status"
done
agrees 137 "$work/leaves" kill
has '.elapsed_ns >= 600000000' 'killed: shorter than it slept'
has '.exit.signal == 9' 'killed: another end'

# After _exit, what it spent its time on is known as after exit; a child of vfork that does so ends itself only.
for way in exit _exit; do
	agrees 3 "$work/leaves" $way
	has '.threads.data | length == 1 and all(.user_ns + .system_ns >= 100000000)' "$way: CPU time of the thread"
	has '.bottlenecks.data[0] | .wait_ns >= 590000000 and .verdict != null' "$way: the time that it slept"
done

# A shell script ends by _exit, too.
agrees 5 sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done; sleep 0.6; exit 5'
has '.elapsed_ns >= 600000000 and .exit.status == 5' 'a script'
has '.process_tree.data | length == 2 and .[1].program == "sleep"' 'the processes of a script'

# One process of several, named by its number.
expect 0 "$HOTPATH" run --format none sh -c '"$0" _exit; "$0" exit; :' "$work/leaves"
pid=$("$HOTPATH" report --format json --each | jq -s '.[1].pid')
expect 0 "$HOTPATH" report --format json "$pid"
has '.exit.status == 3 and .elapsed_ns >= 600000000' 'one process'

# Processes without a segment are in the tree when one alone has left one; each has a name by which it may be asked for.
# So seldom, no program as short as expr is sampled, however busy the machine is.
options='--rate 20'
agrees 0 sh -c '"$0" _exit; expr 1 + 1; expr 1 + 2' "$work/leaves"
options=
has '[.process_tree.data[] | select(.program == "expr").processes] == [2]' 'processes without a segment'
expect 0 "$HOTPATH" report --process leaves
refuse 1 "process 'expr' has recorded nothing" "$HOTPATH" report --process expr
# Its number stands for that process, and it has its latest calls; so has the run.
expect 0 "$HOTPATH" run --no-cpu --format none sh -c '"$0"; :' "$BUILD/examples/basic"
pid=$("$HOTPATH" list --json | jq '.[0].pid')
expect 0 "$HOTPATH" report --format json "$pid"
has ".pid == $pid and .program == \"basic\" and .process_tree == null" 'the report of a number'
expect 0 "$HOTPATH" report --calls custom_block "$pid"
expect 0 "$HOTPATH" report --calls custom_block

# What was folded is not lost when one segment is left.
HOTPATH_KEEP=1 agrees 0 sh -c 'for i in 1 2 3 4; do "$0"; done' "$BUILD/examples/basic"
has '[.process_tree.data[] | select(.program == "basic").processes] == [4]' 'folded'

# One process alone has a row, if its table was asked for.
expect 0 "$HOTPATH" run --no-cpu --report processes -o "$work/run" "$BUILD/examples/basic"
expect 0 "$HOTPATH" report --report processes
for said in "$work/run" "$work/stdout"; do
	grep -q '^| basic .* 0  *|$' "$said" || fail "no row: $(cat "$said")"
done
[ "$(grep '^| basic' "$work/run")" = "$(grep '^| basic' "$work/stdout")" ] || fail 'another row'
expect 0 "$HOTPATH" report
! grep 'processes - ' "$work/stdout" || fail 'a table that nobody asked for'

# A segment that cannot be read: one line says why.
truncate -s 100 "$HOTPATH_DIR"/hotpath-*.seg
refuse 2 '.seg' "$HOTPATH" report
exit "$failed"
