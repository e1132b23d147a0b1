# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of the tool share: a folder of their own, and a way to say what a command must do.
#
# Sourced. $HOTPATH is the tool, $BUILD the build folder. A test ends with: exit "$failed"
: "${HOTPATH:?the tool to test}" "${BUILD:?the build folder}"

# Under nohup, or in the background of a script, SIGHUP, SIGINT and SIGQUIT (the lowest three bits) are ignored. A shell
# cannot undo that for itself, and every program it starts inherits it: so the script starts again, with the defaults.
case $(sed -n 's/^SigIgn:.*\(.\)$/\1/p' "/proc/$$/status") in
0 | 8) ;;
*) exec python3 "$(dirname "$0")/../default_signals.py" "$0" "$@" ;;
esac

work=$(mktemp -d)
# A test that needs more cleaning up than its folder puts the command here.
on_exit=:
failed=0 last_command='none yet'
trap ended EXIT

# ended: cleans up. Where "set -e" ended the script, it has printed nothing: this says which test of a command came before.
ended()
{
	ended_with=$?
	eval "$on_exit" || :
	rm -rf "$work"
	[ "$ended_with" = 0 ] || [ "$ended_with" = 77 ] || [ "$failed" != 0 ] ||
		echo "FAILED: $0 ended early with status $ended_with ('sh -x' shows where); last command: $last_command"
}

mkdir -m 700 "$work/segments"
export HOTPATH_DIR="$work/segments"
unset HOTPATH_OUTPUT_FORMAT HOTPATH_OUTPUT_PATH HOTPATH_REPORT HOTPATH_LIMIT HOTPATH_PERCENTILES \
	HOTPATH_FOCUS HOTPATH_EXCLUDE HOTPATH_TREE HOTPATH_TREE_LIMIT HOTPATH_TIME_EXCLUSIVE HOTPATH_OFF \
	HOTPATH_ALLOC_METRIC HOTPATH_ALLOC_CUMULATIVE HOTPATH_ALLOC_LIMIT HOTPATH_LIVE_LIMIT \
	HOTPATH_THREADS_LIMIT HOTPATH_CHANNELS_LIMIT HOTPATH_STREAMS_LIMIT HOTPATH_FUTURES_LIMIT \
	HOTPATH_LOOPS_LIMIT HOTPATH_RUN HOTPATH_ALLOC HOTPATH_CPU HOTPATH_CPU_RATE HOTPATH_MAX_OVERHEAD DEBUGINFOD_URLS

fail()
{
	echo "FAILED: $*"
	failed=1
}

# stolen: for how many hundredths of a second the host of a virtual machine has taken processors away.
stolen() { sed -n 's/^cpu  *\([0-9]* \)\{7\}\([0-9]*\).*/\2/p' /proc/stat; }

# undisturbed CHECK COMMAND...: for times, which whatever else computes may disturb, but not three times in a row. Runs the
# command, then the check, until that calls fail no more: only the third time counts, and ten times if a host was busy
# otherwise meanwhile. The command may never fail.
undisturbed()
{
	check=$1 tries=0 quiet_tries=0
	shift
	while [ "$quiet_tries" -lt 3 ] && [ "$tries" -lt 10 ]; do
		stolen_before=$(stolen)
		"$@"
		failed_before=$failed failed=0
		"$check"
		check_failed=$failed failed=$failed_before
		[ "$check_failed" != 0 ] || return 0
		tries=$((tries + 1))
		[ $(($(stolen) - stolen_before)) -gt 2 ] || quiet_tries=$((quiet_tries + 1))
	done
	failed=1
}

# expect STATUS COMMAND...: it ends with this status, and leaves $work/stdout and $work/stderr.
expect()
{
	wanted=$1
	shift
	status=0 last_command=$*
	"$@" > "$work/stdout" 2> "$work/stderr" || status=$?
	[ "$status" = "$wanted" ] ||
		fail "'$*' ends with $status, not $wanted: $(cat "$work/stderr")"
}

# refuse STATUS TEXT COMMAND...: one line on standard error, with the text in it, and nothing else.
refuse()
{
	wanted=$1 text=$2
	shift 2
	expect "$wanted" "$@"
	line=$(cat "$work/stderr")
	[ "$(wc -l < "$work/stderr")" = 1 ] || fail "'$*' does not say one line: $line"
	says "$text" "$work/stderr"
	quiet "$work/stdout"
}

# same TEXT FILE: the file holds this and nothing else.
same() { [ "$(cat "$2")" = "$1" ] || fail "'$(cat "$2")', not '$1'"; }

# says TEXT FILE
says() { grep -qF -- "$1" "$2" || fail "'$1' is not in: $(cat "$2")"; }

# quiet FILE: nothing in it.
quiet() { [ ! -s "$1" ] || fail "unexpected: $(cat "$1")"; }
