#!/bin/sh
# SPDX-License-Identifier: MIT
# What other threads call after exit, until the process is gone, is in the report of the tool; one that the program prints
# itself says at which moment it stands.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"

# The destructor of a library that the program needs comes after ours. It waits until the other thread has called hundreds
# of functions for the first time.
cat > "$work/last.c" << 'EOF'
#include <sched.h>
#include <stdatomic.h>
atomic_int exits, done;
__attribute__((no_instrument_function, destructor)) static void last(void)
{
	atomic_store(&exits, 1);
	while (!atomic_load(&done))
		sched_yield();
}
EOF
cat > "$work/program.c" << 'EOF'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
extern atomic_int exits, done;
#define F(n) __attribute__((noinline)) static void late_##n(void) { __asm__ volatile(""); }
#define TEN(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) m(n##8) m(n##9)
#define HUNDRED(m, n) TEN(m, n##0) TEN(m, n##1) TEN(m, n##2) TEN(m, n##3) TEN(m, n##4) \
	TEN(m, n##5) TEN(m, n##6) TEN(m, n##7) TEN(m, n##8) TEN(m, n##9)
HUNDRED(F, 1) HUNDRED(F, 2) HUNDRED(F, 3)
#define CALL(n) late_##n();
__attribute__((noinline)) static void early(void)
{
	__asm__ volatile("");
}
static void *worker(void *unused)
{
	early();
	while (!atomic_load(&exits))
		sched_yield();
	HUNDRED(CALL, 1) HUNDRED(CALL, 2) HUNDRED(CALL, 3)
	atomic_store(&done, 1);
	return unused;
}
static void *leaver(void *unused)
{
	(void)unused;
	exit(0);
}
int main(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, worker, NULL);
	pthread_create(&second, NULL, leaver, NULL);
	pthread_join(second, NULL);
}
EOF
gcc -O1 -shared -fPIC "$work/last.c" -o "$work/liblast.so"
gcc -O1 -finstrument-functions "$work/program.c" -o "$work/program" -pthread -L"$work" -llast -Wl,-rpath,"$work"
expect 0 "$HOTPATH" run --limit 0 --format json --output-path "$work/report" -- "$work/program"
found=$(jq '[.functions_timing.data[] | select(.name | startswith("late_")).calls] | add' "$work/report")
[ "$found" = 300 ] || fail "${found:-no} late calls, not 300"
[ "$(jq '.dropped | add // 0' "$work/report")" = 0 ] || fail "dropped: $(jq -c .dropped "$work/report")"
[ "$(jq .exit.clean "$work/report")" = true ] || fail "not a clean exit: $(jq -c .exit "$work/report")"

# By itself: the call that is in progress goes on, but not in the report.
unset HOTPATH_DIR
expect 0 env HOTPATH_DIR="$work/segments" HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/own" \
	"$BUILD/tests/programs/ends" exit
[ "$(jq -r '.notes[]' "$work/own")" = '1 other thread was in a measured call when recording ended: this report stands at that moment' ] ||
	fail "other notes: $(jq -c .notes "$work/own")"
expect 0 env HOTPATH_DIR="$work/segments" HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH="$work/own" \
	"$BUILD/tests/programs/ends" main
[ "$(jq '.notes | length' "$work/own")" = 0 ] || fail "notes: $(jq -c .notes "$work/own")"

exit "$failed"
