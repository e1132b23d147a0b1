#!/bin/sh
# SPDX-License-Identifier: MIT
# What was asked for and is not there says so, and why; samples that nobody asked for say it in one line.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
cd "$work"
cc=${CC:-cc}
programs=$BUILD/tests/programs

# why TEXT STATUS OPTION... -- PROGRAM...: the report has a line that begins with the text, and JSON has it too.
why()
{
	text=$1 wanted=$2
	shift 2
	expect "$wanted" "$HOTPATH" run "$@"
	grep -q "^$text" stderr || fail "'$*' does not say '$text': $(cat stderr)"
	expect "$wanted" "$HOTPATH" run --format json -o report "$@"
	jq -e --arg text "$text" '.missing | any(.[]; test($text))' report > /dev/null ||
		fail "'$*' does not say '$text' in JSON: $(cat report)"
}

# Asked for by an option: the program was too short, has no need of it, takes the signals, or cannot be looked into.
why 'No CPU time was sampled: the program used .*, and a sample stands for 1.00 ms' 0 --cpu -- true
why 'No CPU time was sampled: the program used .*, and a sample stands for 100.00 ms' 1 --rate 10 -- false
why 'The program allocated nothing' 0 --alloc --report alloc,live -- true
why 'No CPU time was sampled: the program itself uses the signals' 0 --cpu -- "$programs/signal_user" both
HOTPATH_CPU=1 why 'No CPU time was sampled: the program used' 0 -- true
if printf 'int main(void) { return 3; }\n' | $cc -x c -static -o static - 2> /dev/null; then
	why 'No CPU time was sampled: the program used .*, and a sample stands for 1.00 ms' 3 --cpu -- ./static
	why 'No allocations were recorded: it is statically linked' 3 --alloc -- ./static
	HOTPATH_CPU_RATE=1 expect 3 "$HOTPATH" run ./static
	[ "$(wc -l < stderr)" = 3 ] || fail "more than one line: $(cat stderr)"
	says 'No CPU time was sampled: the program used' stderr
fi
if [ "$(id -u)" = 0 ] && cp /bin/true setuid && chown 65534 setuid && chmod 4755 setuid && chmod 711 .; then
	why 'No CPU time was sampled: the program used' 0 --cpu -- ./setuid
	why 'No allocations were recorded: it runs with different privileges' 0 --alloc -- ./setuid
fi

# Asked for by name: each section.
expect 0 "$HOTPATH" run --report timing,tree,alloc,live,channels,streams,futures,loops,threads,cpu,bottlenecks,debug true
for section in timing tree alloc-bytes live channels channels-latency streams futures loops threads cpu bottlenecks debug; do
	grep -A 1 "^$section - " stderr | grep -q '^No .*: .*\.$' || fail "$section does not say why: $(cat stderr)"
done
expect 0 "$HOTPATH" run --report live --alloc=count "$BUILD/examples/overview"
says 'Blocks were counted, but not tracked one by one: use --alloc=live.' stderr
expect 0 env HOTPATH_REPORT=alloc,cpu,streams "$BUILD/examples/basic"
says "No allocations were recorded: use 'hotpath run --alloc'" stderr
says "No CPU time was sampled: use 'hotpath run --cpu'" stderr
says 'No stream was measured: HOTPATH_STREAM_NEW' stderr
expect 0 env HOTPATH_ALLOC=live "$BUILD/examples/basic"
says 'No allocations were recorded: the program was not linked with hotpath-alloc' stderr

# The reason is in a saved report, too.
expect 0 env HOTPATH_ALLOC=live HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH=report "$BUILD/examples/basic"
expect 0 "$HOTPATH" report report
says 'No allocations were recorded: the program was not linked with hotpath-alloc' stdout
expect 137 "$HOTPATH" run --cpu sh -c 'kill -9 $$'
says 'killed by SIGKILL' stderr
says 'No CPU time was sampled: the program used' stderr

# Nobody asked for samples: one line says why there are none.
HOTPATH_CPU_RATE=1 expect 0 "$HOTPATH" run true
sed 's/^\(\[hotpath\]\) .*/\1/; s/used only .*,/used only …,/' stderr > seen
printf '%s\n' '[hotpath]' '' \
	'No CPU time was sampled: the program used only …, and a sample stands for 1.00 s.' | cmp - seen ||
	fail "true prints: $(cat stderr)"
expect 0 "$HOTPATH" run "$programs/signal_user" both
[ "$(tail -n +2 stderr)" = '
No CPU time was sampled: the program itself uses the signals that sampling needs.' ] || fail "signal_user prints: $(cat stderr)"
expect 0 "$HOTPATH" run --no-cpu true
says "No measurements recorded from true: use 'hotpath run --cpu' to see where its CPU time goes." stderr
# No reason is given where something else is shown.
HOTPATH_CPU_RATE=1 expect 0 "$HOTPATH" run "$BUILD/examples/basic"
says 'timing - ' stderr
! grep 'CPU time' stderr || fail 'a complaint that nobody asked for'
for options in '' --no-cpu; do
	# shellcheck disable=SC2086
	HOTPATH_OFF=1 expect 0 "$HOTPATH" run $options "$BUILD/examples/basic"
	[ "$(grep -c 'HOTPATH_OFF=1 switches all recording off' stderr)" = 1 ] || fail "off: $(cat stderr)"
done

# A file without symbols is named, with what to do, once.
printf 'int main(void) { for (volatile long i = 0; i < 200000000; i++) ; return 0; }\n' |
	$cc -x c -O1 -s -o stripped -
expect 0 "$HOTPATH" run --cpu ./stripped
grep -q '^hotpath: no symbols for functions of stripped: .*-g.*-rdynamic' stderr || fail "no word of symbols: $(cat stderr)"
[ "$(grep -c 'no symbols' stderr)" = 1 ] || fail 'more than one note'

exit "$failed"
