#!/bin/sh
# SPDX-License-Identifier: MIT
# A bad value in the environment is one line of warning, and the default.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/calm.sh"
. "$(dirname "$0")/unharmed.sh"
unset HOTPATH_OUTPUT_PATH HOTPATH_OUTPUT_FORMAT HOTPATH_LIMIT

# The report by default, in which only times differ from run to run.
shape()
{
	sed -E '/^hotpath: /d; /^Measuring took|^For rows with ~/d; s/~?[0-9.]+ (ns|µs|ms|s)\b/T/g; s/[0-9.]+%/%/g; s/[ +|-]+/ /g' "$1" | sort
}
program() { "$many" 3 2 5; }
expect 5 program
sum=$(cat "$work/stdout")
shape "$work/stderr" > "$work/default"

# judge WHAT: the program unharmed, one line with the variable in it, and the default report.
judge()
{
	[ "$status" = 5 ] || fail "$1: status $status"
	[ "$(cat "$work/stdout")" = "$sum" ] || fail "$1: output $(cat "$work/stdout")"
	[ "$(grep -c '^hotpath: ' "$work/stderr")" = 1 ] || fail "$1: not one line: $(cat "$work/stderr")"
	grep '^hotpath: ' "$work/stderr" > "$work/line" || true
	says "$variable" "$work/line"
	[ "$(wc -c < "$work/line")" -lt 500 ] || fail "$1: a line of $(wc -c < "$work/line") bytes"
	shape "$work/stderr" > "$work/shape"
	cmp -s "$work/shape" "$work/default" || fail "$1: not the default: $(diff "$work/default" "$work/shape")"
}

# bad VARIABLE VALUE...: of each value alone, without the tool and with it.
bad()
{
	variable=$1
	shift
	for value; do
		export "$variable=$value"
		label="$variable='$(printf %.40s "$value")'"
		status=0
		program > "$work/stdout" 2> "$work/stderr" || status=$?
		judge "$label"
		status=0
		"$HOTPATH" run --no-cpu "$many" 3 2 5 > "$work/stdout" 2> "$work/stderr" || status=$?
		sed -i 's/ | exit status 5$//' "$work/stderr"
		judge "run, $label"
		unset "$variable"
	done
}

long=$(printf '%03000d' 7)
lines='two
lines'

bad HOTPATH_OFF maybe 2 -1 "$long" "$lines"
bad HOTPATH_CLOCK sundial Monotonic "$lines"
bad HOTPATH_LOGS_LIMIT many -1 65 1e2 ' 5' 5x 99999999999999999999999
bad HOTPATH_SHUTDOWN_MS soon -1 5s 0.5 99999999999 18446744073709551617
bad HOTPATH_PERCENTILES 101 -1 abc '50,x' nan inf 1,2,3,4,5,6,7,8,9,10,11 "$lines" "$long"
bad HOTPATH_LIMIT many -5 1.5 99999999999999999999 "$lines"
bad HOTPATH_OUTPUT_FORMAT xml 'table ' JSON-ugly "$lines" "$long"
bad HOTPATH_REPORT nonsense 'auto,-nonsense' "$lines"
bad HOTPATH_FOCUS '/(/' '/[/' "/$long("
bad HOTPATH_TIME_EXCLUSIVE perhaps 2
bad HOTPATH_EXCLUDE_WRAPPER perhaps 2
bad HOTPATH_MAX_LOG_LEN long 15 2048 -1 64k 99999999999999999999
bad HOTPATH_USER_METADATA key '=value' 'a=1,b' 'a=1,' "$lines"

# Empty is as good as unset.
for variable in OFF CLOCK LOGS_LIMIT SHUTDOWN_MS PERCENTILES LIMIT OUTPUT_FORMAT REPORT FOCUS \
	TIME_EXCLUSIVE EXCLUDE_WRAPPER MAX_LOG_LEN USER_METADATA OUTPUT_PATH RUN; do
	export "HOTPATH_$variable="
	expect 5 program
	shape "$work/stderr" > "$work/shape"
	cmp -s "$work/shape" "$work/default" || fail "HOTPATH_$variable empty: $(cat "$work/stderr")"
	unset "HOTPATH_$variable"
done

# Several bad ones: a line each, and no more.
HOTPATH_CLOCK=x HOTPATH_LIMIT=x HOTPATH_REPORT=x expect 5 program
[ "$(grep -c '^hotpath: ' "$work/stderr")" = 3 ] || fail "three bad values: $(cat "$work/stderr")"

exit "$failed"
