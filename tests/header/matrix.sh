#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles every use of every macro in every way that a user may: no compiler may say a word.
#
# usage: matrix.sh [LEVEL...]                              levels of optimisation, or else -O0 and -O2
#        matrix.sh compile COMPILER STANDARD ON LEVEL      one of them
set -eu

here=$(cd "$(dirname "$0")" && pwd)
warnings='-Werror -Wall -Wextra -pedantic -Wshadow -Wconversion -Wsign-conversion -Wundef
	-Wdouble-promotion'
c_warnings="$warnings -Wdeclaration-after-statement -Wmissing-prototypes -Wstrict-prototypes"
cxx_warnings="$warnings -Wold-style-cast -Wzero-as-null-pointer-constant -Wmissing-declarations"

# useless_cast COMPILER: the warning's name, where the compiler has it. (Of C, only gcc 14 and newer.)
useless_cast()
{
	case $1 in
	*++) language=c++ ;;
	*) language=c ;;
	esac
	"$1" -Werror -Wuseless-cast -x "$language" -fsyntax-only /dev/null 2> /dev/null &&
		echo -Wuseless-cast
}

# compile COMPILER STANDARD ON LEVEL: exit status and messages are the compiler's.
compile()
{
	case $1 in
	*++) flags=$cxx_warnings source=every_macro.cpp ;;
	*) flags=$c_warnings source=every_macro.c ;;
	esac
	flags="$flags $(useless_cast "$1" || true)"
	# shellcheck disable=SC2086
	"$1" "-std=$2" "-DHOTPATH_ENABLE=$3" "$4" $flags -I"$here/../../include" \
		-c "$here/$source" -o /dev/null
}

# combinations LEVEL...
combinations()
{
	for compiler in gcc clang g++ clang++; do
		case $compiler in
		*++) standards='c++11 c++14 c++17 c++20' ;;
		*) standards='c99 gnu99 c11 gnu11 c17 c2x' ;;
		esac
		for standard in $standards; do
			for on in 0 1; do
				for level in "$@"; do
					echo "$compiler $standard $on $level"
				done
			done
		done
	done
}

# refuses COMPILER ON CASE: a mistake in an argument is an error, on and off.
refuses()
{
	! "$1" "-DHOTPATH_ENABLE=$2" "-DMISUSE=$3" -Werror -Wformat -fsyntax-only -I"$here/../../include" \
		"$here/misuse.c" 2> /dev/null && return
	echo "FAILED: $1 compiles misuse $3 with HOTPATH_ENABLE=$2"
	failed=1
}

if [ "${1-}" = compile ]; then
	shift
	output=$(compile "$@" 2>&1) && exit
	printf '%s\nFAILED: %s\n' "$(echo "$output" | head -n 10)" "$*"
	exit 1
fi

[ $# != 0 ] || set -- -O0 -O2
failed=0
combinations "$@" | xargs -P 2 -L 1 "$0" compile || failed=1
for compiler in gcc clang; do
	for on in 0 1; do
		"$compiler" "-DHOTPATH_ENABLE=$on" -DMISUSE=0 -Werror -Wformat -fsyntax-only \
			-I"$here/../../include" "$here/misuse.c" || failed=1
		for number in $(seq 1 "$(grep -c 'MISUSE ==' "$here/misuse.c")"); do
			refuses "$compiler" "$on" "$number"
		done
	done
done
[ "$failed" = 0 ] && echo "$(combinations "$@" | wc -l) combinations: no diagnostics"
exit "$failed"
