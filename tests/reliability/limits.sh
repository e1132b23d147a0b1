#!/bin/sh
# SPDX-License-Identifier: MIT
# Small limits on files, memory and descriptors do a program no harm.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317,SC3045
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/calm.sh"
. "$(dirname "$0")/unharmed.sh"

# take_apart: the report, the program's output, and what else there was, from one file.
take_apart()
{
	grep '^{' "$work/all" > "$report" || true
	grep '^sum ' "$work/all" > "$work/stdout" || true
	grep -v -e '^{' -e '^sum ' "$work/all" > "$work/stderr" || true
	still_unharmed
}

# bearable OPTION LIMIT: the program can live with it, when nothing is measured.
bearable()
{
	{
		(
			ulimit "$1" "$2"
			HOTPATH_OFF=1 exec "$many" "$functions" "$each" 5
		) || echo $? > "$work/status"
	} 2>&1 | cat > "$work/all"
	[ "$(cat "$work/status")" = 5 ]
}

# too_much: a sanitizer may need more than there is, the program itself may not.
too_much()
{
	if sanitized "$many"; then
		echo "skipped: $what, with a sanitizer"
	else
		fail "$what: the program itself cannot run: $(cat "$work/all")"
	fi
}

# limited OPTION LIMIT [FILE]: under this limit. Everything is written through a pipe, which has no size;
# or standard error into a file, which has one. False where the program itself cannot run.
limited()
{
	what="ulimit $1 $2${3+, standard error in a file}"
	status=0
	bearable "$1" "$2" || return 1
	{
		(
			[ $# = 2 ] || exec 2> "$3"
			ulimit "$1" "$2"
			exec "$many" "$functions" "$each" 5
		) || status=$?
		echo "$status" > "$work/status"
	} 2>&1 | cat > "$work/all"
	status=$(cat "$work/status")
	take_apart
}
export HOTPATH_OUTPUT_PATH=-

# The size of files, in blocks of 512 bytes. What does not fit is counted.
for blocks in 100000 2000 200 100 40 16 8; do
	if limited -f "$blocks"; then all_accounted_for; else too_much; fi
done

# Where not even the header fits, there is memory.
for blocks in 7 1 0; do
	if limited -f "$blocks"; then
		warned 'the file size limit is too low'
		all_measured
	else
		too_much
	fi
done

# Where standard error is a file, a line or a report may be too much: it must not raise SIGXFSZ.
unset HOTPATH_OUTPUT_PATH
for blocks in 20 2 1 0; do
	limited -f "$blocks" "$work/full" || too_much
done
export HOTPATH_OUTPUT_PATH=-

# Address space, in kilobytes: down to what the program itself cannot do with.
for kilobytes in 4000000 1000000 200000 100000; do
	if limited -v "$kilobytes"; then all_measured; else too_much; fi
done
for kilobytes in 50000 30000 20000 15000 10000 7000; do
	limited -v "$kilobytes" || break
	[ "$kilobytes" -lt 30000 ] || all_accounted_for
done

# Too few descriptors for the segment, but standard output and error are there. With none at all the library that prints
# the report cannot be loaded, which is told in a line of its own.
for descriptors in 3 4; do
	status=0
	what="$descriptors descriptors"
	MANY_DESCRIPTORS=$descriptors "$many" "$functions" "$each" 5 > "$work/all" 2>&1 || status=$?
	if [ "$descriptors" = 3 ]; then
		grep -q 'cannot load libhotpath-report.so.0' "$work/all" || fail "$what: $(cat "$work/all")"
		sed -i '/cannot load libhotpath-report.so.0/d' "$work/all"
	fi
	take_apart
	warned 'cannot keep a segment'
	[ "$descriptors" = 3 ] || all_measured
done

# Limits that a program sets when it is being measured already.
unset HOTPATH_OUTPUT_PATH
later=$BUILD/tests/reliability/later

# later_unharmed KIND COMMAND...: it can do what it can do when nothing is measured, and all its calls are counted.
later_unharmed()
{
	kind=$1
	shift
	expect 0 env HOTPATH_OFF=1 "$@" "$later" "$kind"
	for options in --no-cpu '--no-cpu --alloc' '--alloc --cpu'; do
		# shellcheck disable=SC2086
		expect 0 "$@" "$HOTPATH" run $options --format json -o "$report" "$later" "$kind"
		quiet "$work/stderr"
		jq -e '[.functions_timing.data[] | select(.name == "work").calls] == [9] and
			([.dropped[]] | add) == 0' "$report" > "$work/answer" || fail "$kind: $(head -c 300 "$report")"
	done
}

if sanitized "$later"; then
	echo "skipped: limits set later, with a sanitizer"
else
	later_unharmed address
	expect 0 "$HOTPATH" run --alloc --format none sh -c 'ulimit -v 500000; seq 100000 | sort -n | tail -1'
	same 100000 "$work/stdout"
	if [ "$(id -u)" = 0 ]; then
		# The capability to lock any amount would hide what is to be seen.
		later_unharmed locked prlimit --memlock=8388608 setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock
	else
		later_unharmed locked prlimit --memlock=8388608
	fi
fi

exit "$failed"
