#!/bin/sh
# SPDX-License-Identifier: MIT
# Stacks through armed functions are whole: for the program itself, and for gdb, also inside the recorder. Breakpoints stay.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
source=$(cd "$(dirname "$0")/../programs" && pwd)/sleds_unwound.c
program=$work/sleds_unwound

gcc -O2 -w -rdynamic "$source" -o "$program" -ldl
"$program" > "$work/expected"
"$HOTPATH" cc gcc -O2 -w -rdynamic "$source" -o "$program" -ldl
expect 0 "$HOTPATH" run --max-overhead 0 --output-path "$work/report" "$program"
cmp -s "$work/expected" "$work/stdout" || fail "other names: $(diff "$work/expected" "$work/stdout")"

command -v gdb > /dev/null || { echo 'gdb is not installed' && exit "${failed:-0}"; }

# stack_at FUNCTION NAME...: gdb stops in tell_stack and then there, and these are on the stack, in this order.
stack_at()
{
	cat > "$work/commands" <<- END
		set startup-with-shell off
		set environment LD_PRELOAD $BUILD/src/library/libhotpath.so
		set environment HOTPATH_RUN 1
		set environment HOTPATH_DIR $work
		set environment HOTPATH_CPU 0
		set environment HOTPATH_MAX_OVERHEAD 0
		break tell_stack
		run
		$([ "$1" = tell_stack ] || printf 'break %s\ncontinue' "$1")
		backtrace
		kill
	END
	env -u LD_LIBRARY_PATH gdb -q -batch -nx -x "$work/commands" "$program" > "$work/said" 2>&1 < /dev/null || :
	stopped=$1
	shift
	sed -n 's/^#[0-9]* *\(0x[0-9a-f]* in \)*\([A-Za-z_][A-Za-z_0-9]*\) (.*/\2/p' "$work/said" | paste -sd' ' |
		grep -q "$* main\$" || fail "at $stopped, not '$* main': $(cat "$work/said")"
}

stack_at tell_stack tell_stack inner middle outer
stack_at hotpath__flush_and_leave middle outer

exit "$failed"
