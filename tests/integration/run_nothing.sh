#!/bin/sh
# SPDX-License-Identifier: MIT
# What was asked for and is not there says so, and why; and who has nothing at all is told what helps.
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
	why 'No CPU time was sampled: it is statically linked' 3 --cpu -- ./static
	why 'No allocations were recorded: it is statically linked' 3 --alloc -- ./static
	expect 3 "$HOTPATH" run ./static
	says 'The recorder cannot be loaded into it: it is statically linked' stderr
	! grep 'run --cpu' stderr || fail 'advice that does not help'
fi
if [ "$(id -u)" = 0 ] && cp /bin/true setuid && chown 65534 setuid && chmod 4755 setuid && chmod 711 .; then
	why 'No CPU time was sampled: it runs with different privileges' 0 --cpu -- ./setuid
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

# It is in what is saved.
expect 0 env HOTPATH_ALLOC=live HOTPATH_OUTPUT_FORMAT=json HOTPATH_OUTPUT_PATH=report "$BUILD/examples/basic"
expect 0 "$HOTPATH" report report
says 'No allocations were recorded: the program was not linked with hotpath-alloc' stdout
expect 137 "$HOTPATH" run --cpu sh -c 'kill -9 $$'
says 'killed by SIGKILL' stderr
says 'No CPU time was sampled: the program used' stderr

# What helps: first what needs no change of the program.
expect 0 "$HOTPATH" run true
[ "$(grep -n -e '--cpu true' -e '--alloc true' -e 'hotpath cc' -e HOTPATH_MEASURE stderr | sed 's/:.*//' | tr '\n' ' ')" = \
	'4 5 6 7 ' ] || fail "the advice is: $(cat stderr)"
HOTPATH_OFF=1 expect 0 "$HOTPATH" run "$BUILD/examples/basic"
says 'HOTPATH_OFF=1 switches all recording off' stderr

# A file without symbols is named, with what to do, once.
printf 'int main(void) { for (volatile long i = 0; i < 200000000; i++) ; return 0; }\n' |
	$cc -x c -O1 -s -o stripped -
expect 0 "$HOTPATH" run --cpu ./stripped
grep -q '^hotpath: stripped has no symbols: .*-dbgsym.*-g' stderr || fail "no word of symbols: $(cat stderr)"
[ "$(grep -c 'has no symbols' stderr)" = 1 ] || fail 'more than one note'

exit "$failed"
