#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that knows nothing of us is measured, unless it cannot be, and then it runs all the same.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"

squares=$BUILD/tests/programs/squares
source=$(dirname "$0")/../programs/squares.c
instrumented='gcc -O1 -finstrument-functions -fno-inline'

# measured SQUARES COMMAND...: the program's output and status are its own, and its calls are counted.
measured()
{
	calls=$1
	shift
	expect 3 "$HOTPATH" run --no-cpu --format json --output-path "$work/report" -- "$@" 2 3 4
	[ "$(head -n 3 "$work/stdout" | paste -sd' ')" = '4 9 16' ] || fail "$*: other output"
	found=$(jq '.functions_timing.data[] | select(.name == "square").calls' "$work/report")
	[ "${found:-0}" = "$calls" ] || fail "$*: ${found:-no} calls of square, not $calls"
}

measured 3 "$squares"
quiet "$work/stderr"
cp "$work/stdout" "$work/first"
sed -n 4p "$work/first" | grep -q '/libhotpath\.so' || fail 'not preloaded'

# What was preloaded before still is.
LD_PRELOAD=libm.so.6 measured 3 "$squares"
sed -n 4p "$work/stdout" | grep -q ':libm\.so\.6$' || fail "lost: $(sed -n 4p "$work/stdout")"

# In a program that a script starts, or another program.
printf '#!/bin/sh\n%s "$@"\n' "$squares" > "$work/script"
chmod +x "$work/script"
measured 3 "$work/script"
measured 3 env "$squares"

# A program that brings its own hooks keeps them.
cat > "$work/own.c" << 'EOF'
#include <stdlib.h>
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *caller);
static int entered;
__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *caller)
{
	(void)function;
	(void)caller;
	entered++;
}
__attribute__((no_instrument_function, destructor)) static void check(void)
{
	if (entered != 4)
		abort();
}
EOF
$instrumented "$source" "$work/own.c" -o "$work/own"
expect 3 "$HOTPATH" run -- "$work/own" 2 3 4

# Of another C library: our own would keep it from starting.
if command -v musl-gcc > /dev/null; then
	musl-gcc -O1 "$source" -o "$work/musl"
	expect 3 "$HOTPATH" run -- "$work/musl" 5
	[ "$(cat "$work/stdout")" = "$(printf '25\npreload nothing')" ] || fail "musl: $(cat "$work/stdout")"
fi

# With a sanitiser that wants to be first.
if $instrumented -fsanitize=address "$source" -o "$work/sanitised" 2> /dev/null; then
	ASAN_OPTIONS=detect_leaks=0 measured 3 "$work/sanitised"
	quiet "$work/stderr"
	# It asks for options before it is ready, in a function that is measured.
	printf 'const char *__asan_default_options(void);\n%s\n' \
		'const char *__asan_default_options(void) { return "exitcode=7"; }' > "$work/options.c"
	$instrumented -fsanitize=address "$source" "$work/options.c" -o "$work/optional"
	measured 3 "$work/optional"
fi

exit "$failed"
