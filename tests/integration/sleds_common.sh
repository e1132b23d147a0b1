# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2015,SC2034,SC2154
# What the tests of sleds share: programs that are built by hotpath cc, and do what they do otherwise.
#
# Sourced after expect.sh. The argument is the compiler: gcc, clang, g++ or clang++.
compiler=$1
command -v "$compiler" > /dev/null || exit 77
source_folder=$(cd "$(dirname "$0")/../.." && pwd)
sources=$source_folder/tests/programs
cd "$work" || exit
# Every call is timed, whatever that costs.
export HOTPATH_MAX_OVERHEAD=0

# runs WHAT COMMAND...: it does what the plain program does.
runs()
{
	what=$1
	shift
	"$@" > printed 2> "$work/stderr" || { fail "$what: '$*' ends with $?: $(head -n 9 stderr)" && return 1; }
	cmp -s expected printed || { fail "$what: other output: $(diff expected printed | head -n 5)" && return 1; }
}

# compiled WHAT ARGUMENT...: by hotpath cc; what it says is in "said".
compiled()
{
	what=$1
	shift
	"$HOTPATH" cc "$@" > log 2>&1 || { fail "$what: $(head -n 9 log)" && return 1; }
	grep -v 'executable stack\|executable PT_GNU_STACK\|NOTE: This behaviour is deprecated' log > said || :
}

# built WHAT ARGUMENT...: and nothing is said.
built()
{
	compiled "$@" || return 1
	[ ! -s said ] || fail "$1: says $(head -n 5 said)"
}

# counted WHAT: as many calls of each function as the program has counted itself.
counted()
{
	jq -r '.functions_timing.data[] | "\(.name)|\(.calls)"' report | sort > reported
	sed -n 's/^\([^ ]*\) \([1-9][0-9]*\)$/\1|\2/p' printed | sort > counts
	wrong=$(comm -23 counts reported | paste -sd' ')
	[ -s counts ] && [ -z "$wrong" ] ||
		fail "$1: wrong calls of: $wrong; reported: $(paste -sd' ' reported | cut -c 1-600)"
}

# measured WHAT PROGRAM: alone, and under the tool.
measured()
{
	runs "$1" "$2" && runs "$1, measured" "$HOTPATH" run --no-cpu --limit 0 --format json -o report "$2" &&
		counted "$1"
}
