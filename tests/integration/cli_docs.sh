#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual, the completions and --help speak of the same commands, options, sections and variables.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

root=$(cd "$(dirname "$0")/../.." && pwd)

commands()
{
	"$HOTPATH" help | sed -n '/^commands:/,/^  help/{/^  help/d;s/^  \([a-z]*\) .*/\1/p}'
}
options() { "$HOTPATH" "$1" --help | sed -nE 's/^ {2,6}(-[a-z], )?--([a-z][-a-z]*).*/\2/p'; }
variables() { "$HOTPATH" "$1" --help | grep -o 'HOTPATH_[A-Z_]*' | sort -u; }

# mentions WHAT FILE: whole words, as scdoc may write them.
mentions()
{
	sed 's/\\//g' "$2" | grep -qE -- "(^|[^-a-zA-Z_])$1([^-a-zA-Z_]|\$)" || fail "$2 lacks $1"
}

# page_of COMMAND: its page of the manual; some are made of several files.
page_of()
{
	page=hotpath-$1.1.scd
	if [ -f "$root/man/$page.in" ]; then echo "$BUILD/man/$page"; else echo "$root/man/$page"; fi
}

for command in $(commands); do
	page=$(page_of "$command")
	[ -f "$page" ] || { fail "no $page"; continue; }
	mentions "hotpath-$command" "$root/man/hotpath.1.scd"
	for option in $(options "$command"); do
		mentions "--$option" "$page"
		for shell in hotpath.bash _hotpath; do
			mentions "--$option" "$root/completions/$shell"
		done
		mentions "$option" "$root/completions/hotpath.fish"
	done
	for variable in $(variables "$command"); do
		mentions "$variable" "$root/man/hotpath.1.scd"
	done
	for shell in hotpath.bash _hotpath hotpath.fish; do
		mentions "$command" "$root/completions/$shell"
	done
done

# And the other way: the manual promises no option that is not there.
promised()
{
	grep -E '^\*-' "$(page_of "$1")" | grep -oE -- '--[a-z-]+' | cut -c3- | sort -u
}
for command in $(commands); do
	for option in $(promised "$command"); do
		options "$command" | grep -qx "$option" ||
			fail "hotpath-$command.1 speaks of --$option, which is unknown"
	done
done

# The sections that --report knows are those that the pages list. The whole program is always compared, and not in the list.
sections() { "$HOTPATH" "$1" --report '?' 2>&1 | sed -n 's/.*choose from //; s/,//gp'; }
listed()
{
	sed -n '/^\*--report\* _/,/^$/p' "$(page_of "$1")" | tr -d '\n' |
		sed 's/.*list of//; s/[.;].*//' | grep -oE '_[a-z-]+_' | tr -d _
}
for command in run report compare; do
	sections "$command" | tr ' ' '\n' | grep -vx -e auto -e all -e program | sort > "$work/sections"
	[ -s "$work/sections" ] || fail "$command --report does not list its sections"
	listed "$command" | sort | diff "$work/sections" - || fail "hotpath-$command.1 lists other sections than the tool (<)"
done
for section in $(sections report); do
	mentions "_${section}_" "$root/man/hotpath.1.scd"
done

if command -v scdoc > /dev/null; then
	for page in "$root"/man/*.scd "$BUILD"/man/*.scd; do
		scdoc < "$page" > "$work/page" 2> "$work/stderr" || fail "$page is not scdoc"
		quiet "$work/stderr"
		command -v mandoc > /dev/null || continue
		mandoc -T lint -W error "$work/page" || fail "$page does not suit mandoc"
	done
fi
# Every key that the console has is in its page, with what it does.
"$HOTPATH" console --help | sed -n '/^keys:/,$s/^  [^ ].\{12\}//p' > "$work/keys"
[ -s "$work/keys" ] || fail "the help of the console has no keys"
sed 's/\\//g' "$(page_of console)" > "$work/page"
while read -r help; do
	says "	$help" "$work/page"
done < "$work/keys"

bash -n "$root/completions/hotpath.bash" || fail "hotpath.bash is not bash"

# What bash would offer after: hotpath WORD...
offered()
{
	bash -c '. "$1"; shift; COMP_WORDS=(hotpath "$@"); COMP_CWORD=$#
		_hotpath; echo "${COMPREPLY[*]}"' - "$root/completions/hotpath.bash" "$@"
}
[ "$(offered re)" = report ] || fail "completion of 're': $(offered re)"
[ "$(offered run --mer)" = --merge ] || fail "completion of 'run --mer': $(offered run --mer)"
[ "$(offered run --alloc = f)" = freed ] || fail "completion of 'run --alloc=f': $(offered run --alloc = f)"
[ "$(offered report --format js)" = 'json json-pretty' ] ||
	fail "completion of 'report --format js': $(offered report --format js)"

[ "$(offered export --format f)" = 'flamegraph firefox folded' ] ||
	fail "completion of 'export --format f': $(offered export --format f)"

# Where bash takes the program to begin, after options with a value in a word of its own or behind "=".
begins_at()
{
	wanted=$1
	shift
	found=$(bash -c '. "$1"; shift; COMP_WORDS=(hotpath "$@"); COMP_CWORD=$#
		_hotpath_program' - "$root/completions/hotpath.bash" "$@")
	[ "$found" = "$wanted" ] || fail "completion of '$*': the program is word $found, not $wanted"
}
begins_at 2 run program x
begins_at 4 run --format json program x
begins_at 5 run --format = json program x
begins_at 6 run --alloc = count --merge program x
begins_at 3 run --alloc program x
begins_at 0 run --alloc = c

exit "$failed"
