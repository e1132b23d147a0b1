#!/bin/bash
# SPDX-License-Identifier: MIT
# Checks the source without running it: format, analysis, scripts, spelling, layers, documents.
#
# usage: tools/lint.sh BUILD      a configured build folder, for its list of compile commands
#        tools/lint.sh --format   formats all C files instead
set -u

cd "$(dirname "$0")/.." || exit 2

# files PATTERN...: of the repository, committed or about to be.
files() { git ls-files --cached --others --exclude-standard -- "$@"; }

# Hashes of packages are no words.
mapfile -t all < <(files ':!*/package-lock.json')
mapfile -t sources < <(files '*.c' '*.h' '*.cpp')
mapfile -t compiled < <(files 'src/*.c')
mapfile -t scripts < <(awk 'FNR == 1 && /^#!.*[\/ ](ba)?sh$/ { print FILENAME } { nextfile }' "${all[@]}")

if [ "${1-}" = --format ]; then
	exec clang-format -i "${sources[@]}"
fi
[ $# = 1 ] || {
	echo "usage: tools/lint.sh BUILD | --format" >&2
	exit 2
}

failed=0

# check NAME COMMAND...: the command's output is shown when it fails.
check()
{
	local name=$1 output
	shift
	if output=$("$@" 2>&1); then
		echo "ok      $name"
	else
		printf '%s\n' "$output"
		echo "FAILED  $name"
		failed=1
	fi
}

# What gcc alone understands is left out of the commands.
analyse()
{
	local commands
	commands=$(mktemp -d)
	sed 's/ -fno-\(move-loop-invariants\|tree-sink\|tree-loop-distribute-patterns\)//g' \
		"$1/compile_commands.json" > "$commands/compile_commands.json"
	printf '%s\n' "${compiled[@]}" |
		xargs -P 2 -n 4 clang-tidy --quiet --warnings-as-errors='*' -p "$commands" \
			2> >(grep -v ' generated\.$' >&2)
	local result=$?
	rm -r "$commands"
	return "$result"
}

check format clang-format --dry-run -Werror "${sources[@]}"
# It does not see calls by name (SC2317), nor that a quoted text is another language (SC2016).
check scripts shellcheck -x -P SCRIPTDIR -e SC2317,SC2016 "${scripts[@]}" completions/hotpath.bash
# A mistyped word that a test types on purpose.
check spelling codespell -L reprot "${all[@]}"
check layers python3 tools/check_layers.py
[ ! -e tools/check_docs ] || check documents tools/check_docs
check analysis analyse "$1"
exit "$failed"
