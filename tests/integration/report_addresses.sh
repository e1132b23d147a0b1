#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions known by their addresses have names and places in the report, or the reason why not.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"

cat > "$work/program.cpp" << END
namespace name { int
	space(int a) { return a; } }
static int alone(int a) { return name::space(a); }
int main() { return alone(0); }
END
(cd "$work" && g++ -g -O0 -Wl,--build-id program.cpp -o program && strip -o stripped program)

# address SYMBOL: in the program.
address() { nm "$work/program" | awk -v name="$1" '$3 == name { print $1 }'; }

# segment FILE: with two functions of it.
segment()
{
	"$BUILD/tests/programs/addresses" "$work/segment" "$work/$1" "$(address _ZN4name5spaceEi)" \
		"$(address _ZL5alonei)"
}

segment program
expect 0 "$HOTPATH" report "$work/segment"
says '| name::space ' "$work/stdout"
says '| alone ' "$work/stdout"
expect 0 "$HOTPATH" report --format json "$work/segment"
# The line is that of the name, and the path as the compiler was given it.
jq -e '[.functions_timing.data[] | select(.module) | [.name, .kind, .location.file, .location.line]] | sort ==
	[["alone", "function", "program.cpp", 3], ["name::space", "function", "program.cpp", 2]]' \
	"$work/stdout" > "$work/log" || fail "$(cat "$work/stdout")"
jq -e '.notes == []' "$work/stdout" > "$work/log" || fail "$(jq .notes "$work/stdout")"
expect 0 "$HOTPATH" report --calls name::space --format json "$work/segment"
jq -e '.calls | length == 10' "$work/stdout" > "$work/log" || fail "$(cat "$work/stdout")"

segment stripped
expect 0 "$HOTPATH" report "$work/segment"
says '| stripped+0x' "$work/stdout"
says 'hotpath: no symbols for functions of stripped: they are shown by address' "$work/stdout"
expect 0 "$HOTPATH" report --save "$work/saved" "$work/segment"
expect 0 "$HOTPATH" report "$work/saved"
says 'hotpath: no symbols for functions of stripped: they are shown by address' "$work/stdout"

segment gone
expect 0 "$HOTPATH" report "$work/segment"
says 'hotpath: gone no longer exists: its functions are shown by address' "$work/stdout"

exit "$failed"
