#!/bin/sh
# SPDX-License-Identifier: MIT
# The stacks of waits: what is exported of each path of a program is the time for which it waited there by its own clock.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
unset LD_PRELOAD HOTPATH_WAITS
root=$(cd "$(dirname "$0")/../.." && pwd)
programs=$root/tests/programs
cd "$work"

# waits PROGRAM ARGUMENT...: run it, with what $options adds, and leave what is exported in $work/folded and what the program
# says in $work/own.
options=--no-cpu
waits()
{
	name="$compiler $flags $options $*"
	# shellcheck disable=SC2086
	expect 0 timeout -s KILL 60 "$HOTPATH" run --waits $options --format none -- "$@"
	quiet stderr
	cp stdout own
	exported
}

exported()
{
	expect 0 "$HOTPATH" export --what waits --format folded -o -
	sed 's/_\[m\]//g' stdout > folded
}

# agrees: of each of $paths, a function, the stacks have what the program says, and so they have of all together, of which
# $least is the least share.
paths='a b c' least=0.98
agrees()
{
	awk -v paths="$paths" -v least="$least" '
		FNR == NR { own[$1] = $2; next }
		/;by_[a-z]*;/ {
			ns = $NF
			sub(/ [0-9]+$/, "")
			path = ""
			for (i = split($0, frames, ";"); i > 1; i--)
				if (frames[i] in own)
					path = frames[i]
			told[path] += ns
			total += ns
		}
		END {
			for (i = split(paths, names, " "); i > 0; i--) {
				ratio = told[names[i]] / own[names[i]]
				if (ratio < least - 0.03 || ratio > 1.05)
					print names[i], ratio
			}
			for (path in own)
				sum += own[path]
			if (total / sum < least || total / sum > 1.02)
				print "all", total / sum
		}' own folded > differences
	[ ! -s differences ] || fail "$name: not the same: $(cat differences own folded)"
}

# has PATTERN: one of the stacks is like that.
has() { grep -q -- "$1" folded || fail "$name: no stack has '$1': $(cat folded)"; }

# With frame pointers whole stacks, without them the function that called; measured functions are known in any case.
for compiler in gcc clang; do
	command -v "$compiler" > /dev/null || continue
	flags=-fno-omit-frame-pointer
	"$compiler" -O2 $flags "$programs/wait_paths.c" -o plain -lpthread
	undisturbed agrees waits ./plain lock 60
	has ';main;run;a;nap;by_lock;lock gate '
	has ';main;run;b;nap;by_lock;lock gate '
	undisturbed agrees waits ./plain sleep 60
	has ';main;run;c;nap;by_sleep;sleep '
	undisturbed agrees waits ./plain pipe 60
	has ';main;run;a;nap;by_pipe;read pipe '
	"$HOTPATH" cc "$compiler" -O2 $flags "$programs/wait_paths.c" -o measured -lpthread
	options='--cpu --rate 5000'
	undisturbed agrees waits ./measured lock 60
	options=--no-cpu
	has ';main;run;a;nap;by_lock;lock gate '
	flags=-fomit-frame-pointer
	"$compiler" -O2 $flags "$programs/wait_paths.c" -o without -lpthread
	paths=''
	undisturbed agrees waits ./without lock 60
	paths='a b c'
	has ';by_lock;lock gate '
	"$HOTPATH" cc "$compiler" -O2 $flags "$programs/wait_paths.c" -o without -lpthread
	undisturbed agrees waits ./without lock 60
	has ';main;run;b;nap;by_lock;lock gate '
done

# Deeper than a stack is kept: the innermost frames are there. And by another clock.
compiler=gcc flags=''
export HOTPATH_CLOCK=monotonic
undisturbed agrees waits ./plain lock 60 1000
unset HOTPATH_CLOCK
has ';\[cut off\];deep;.*;deep;nap;by_lock;lock gate '

# A saved report has them too, and each process its own.
expect 0 "$HOTPATH" run --waits --format json -o report -- ./plain lock 60
expect 0 "$HOTPATH" export --what waits --format folded -o from_segment
expect 0 "$HOTPATH" export --what waits --format folded -o from_report report
cmp -s from_segment from_report || fail "a saved report: $(diff from_segment from_report)"
two_processes()
{
	name='two processes'
	rm -f "$work"/segments/*
	expect 0 "$HOTPATH" run --no-cpu --waits --format none -- sh -c './plain lock 60; ./plain lock 60'
	awk '{ sum[$1] += $2 } END { for (path in sum) print path, sum[path] }' stdout > own
	: > folded
	for segment in "$work"/segments/*.seg; do
		expect 0 "$HOTPATH" export --what waits --format folded -o - "$segment"
		cat stdout >> folded
	done
}
undisturbed agrees two_processes

# Threads that come and go: each goes on where the one before it ended. Before it waits, the state of a new thread is made,
# in what the program takes for waiting.
cat > many.c << 'END'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_there;
static unsigned long long sum;
static unsigned long long now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec;
}
__attribute__((noinline)) static void by_lock(void)
{
	__atomic_store_n(&is_there, 1, __ATOMIC_SEQ_CST);
	unsigned long long since = now();
	pthread_mutex_lock(&gate);
	sum += now() - since;
	pthread_mutex_unlock(&gate);
}
static void *a(void *nothing)
{
	by_lock();
	return nothing;
}
int main(void)
{
	for (int i = 0; i < 200; i++) {
		struct timespec wait = { 0, 30000 + i % 10 * 200000 };
		pthread_t thread;
		is_there = 0;
		pthread_mutex_lock(&gate);
		pthread_create(&thread, NULL, a, NULL);
		while (!__atomic_load_n(&is_there, __ATOMIC_SEQ_CST))
			;
		nanosleep(&wait, NULL);
		pthread_mutex_unlock(&gate);
		pthread_join(thread, NULL);
	}
	printf("a %llu\n", sum);
	return 0;
}
END
gcc -O2 -fno-omit-frame-pointer many.c -o many -lpthread
least=0.9 paths=a
for options in --no-cpu --cpu; do
	undisturbed agrees waits ./many
	has ';by_lock;lock gate '
done
options=--no-cpu least=0.98 paths='a b c'

# Linked statically.
flags=$(sed -n 's/^FUNCTION(\([a-z0-9_]*\),.*/,--wrap=\1/p' "$root/src/probes/waits/waits.def" | tr -d '\n')
gcc -O2 -static -fno-omit-frame-pointer "$programs/wait_paths.c" -o static "-Wl$flags" \
	-Wl,--start-group "$BUILD/src/probes/waits/libhotpath-waits.a" "$BUILD/src/library/libhotpath.a" -Wl,--end-group -lpthread
static_program()
{
	name=static
	expect 0 env HOTPATH_OUTPUT_FORMAT=none ./static lock 60
	cp stdout own
	exported
}
undisturbed agrees static_program
has ';main;run;a;nap;by_lock;lock gate '
# The compiler's library, which is in the program then, has a lock of its own.
"$HOTPATH" report --format json --limit 0 > told.json
[ "$(jq -c '[.locks.data[].name]' told.json)" = '["gate"]' ] || fail "static: $(jq -c .locks.data told.json)"

# Exports of what was not recorded, or is unknown, are refused.
expect 0 "$HOTPATH" run --format none -- ./measured lock 10
refuse 1 "has no stacks of waits; record them with 'hotpath run --waits PROGRAM'" "$HOTPATH" export --what waits
refuse 2 "export: --what: 'locks' is not cpu, alloc, live, waits or time" "$HOTPATH" export --what locks
# The file does not take the place of that of the CPU.
expect 0 "$HOTPATH" run --waits --cpu --format none -- ./plain lock 60
expect 0 "$HOTPATH" export --what waits
says '-waits.svg' stderr
says 'its threads waited' hotpath-plain-*-waits.svg
says 'lock gate' hotpath-plain-*-waits.svg

exit "$failed"
