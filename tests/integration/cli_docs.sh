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
	done
	for variable in $(variables "$command"); do
		mentions "$variable" "$root/man/hotpath.1.scd"
	done
done

# The manual promises no option that is not there.
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

# The tool that completions ask, which keeps what it was asked.
tool=$work/hotpath
cat > "$tool" << EOF
#!/bin/sh
echo "\$*" >> "$work/asked"
exec "$HOTPATH" "\$@"
EOF
chmod +x "$tool"

# offers WORDS LINE: all words to be offered for a command line, whose last word may be empty.
offers()
{
	echo "$2" >> "$work/lines"
	# shellcheck disable=SC2086
	in_order $1 >> "$work/wanted"
}
# Folders may end with a slash.
in_order() { printf '%s\n' "$@" | sed 's|/$||' | sort -u | paste -s -d ' '; }
for command in $(commands) help; do
	offers "$(options "$command" | sed 's/^/--/')" "$tool $command --"
done
for command in run report top; do
	offers "alloc $(sections "$command")" "$tool $command --report "
done
offers "$(sections compare)" "$tool compare --report="
offers "$(commands) help" "$tool help "
offers '--help --version' "$tool --"
offers 'report' "$tool re"
offers '--each' "$tool run --ea"
offers 'freed' "$tool run --alloc=f"
offers 'json json-pretty' "$tool report --format js"
offers 'html' "$tool compare --format=h"
offers 'flamegraph firefox folded' "$tool export --format f"
offers 'cpu alloc live waits time' "$tool export --what "
offers 'any alloc' "$tool compare --fail-on a"
offers 'bytes count' "$tool top --alloc-metric="
offers 'p50 p95 p99 percent' "$tool console --sort p"
offers 'uv glib' "$tool run --probes "
offers '' "$tool report --limit "
offers '' "$tool nonsense --"
offers 'report' "$tool run --format json --alloc $tool rep"
offers '' "$work/missing/hotpath report --"
mkdir "$work/thing-folder" && touch "$work/thing-file"
offers 'thing-file thing-folder' "$tool report thing-"
offers 'thing-file thing-folder' "$tool export -o thing-"
offers 'thing-file' "$tool cc --only=thing-fi"
offers 'thing-folder' "$tool compare --save thing-"
offers 'thing-file thing-folder' "$tool serve --unix thing-"

offered_by_bash()
{
	# The stand-in for a function of the package bash-completion, which completes the words from there on.
	bash -c '. "$1"
		_command_offset() { COMP_WORDS=("${COMP_WORDS[@]:$1}") COMP_CWORD=$((COMP_CWORD - $1)); _hotpath; }
		while IFS= read -r line; do
			read -r -a COMP_WORDS <<< "${line//=/ = }"
			[ "${line% }" = "$line" ] || COMP_WORDS+=("")
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
			_hotpath
			echo "${COMPREPLY[*]}"
		done' - "$root/completions/hotpath.bash"
}
offered_by_zsh() { timeout 60 zsh -f "$root/tests/integration/zsh_offers.zsh" "$root/completions"; }
offered_by_fish()
{
	# For --option=value, fish wants to be given the whole word.
	HOME=$work XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work XDG_RUNTIME_DIR=$work fish --no-config -c 'source $argv[1]
		while read -l line
			echo (complete -C $line | string replace -r "\t.*" "" | string replace -r -- "^--[a-z-]+=" "")
		end' "$root/completions/hotpath.fish"
}

# Each shell offers the wanted words, in silence. It asks the tool nothing twice, and only for help, values and segments.
for shell in bash zsh fish; do
	command -v "$shell" > /dev/null || { echo "skipped: $shell is not installed" && continue; }
	: > "$work/asked"
	(cd "$work" && "offered_by_$shell") < "$work/lines" > "$work/offered" 2> "$work/stderr" || fail "$shell ends with $?"
	quiet "$work/stderr"
	# shellcheck disable=SC2086
	while read -r words; do in_order $words; done < "$work/offered" | paste "$work/lines" - > "$work/found"
	paste "$work/lines" "$work/wanted" | diff - "$work/found" || fail "$shell (>) does not offer what it should (<)"
	sort "$work/asked" | uniq -d > "$work/twice"
	quiet "$work/twice"
	! grep -v -e '--help$' -e ' --[a-z-]* ?$' -e '^list' "$work/asked" || fail "$shell asks that"
done

# begins_at WORD ARGUMENT...: bash takes the program to begin there, after options with a value in its own word or behind "=".
begins_at()
{
	wanted=$1
	shift
	found=$(bash -c '. "$1"; shift; COMP_WORDS=("$HOTPATH" "$@"); COMP_CWORD=$#
		_hotpath_program' - "$root/completions/hotpath.bash" "$@")
	[ "$found" = "$wanted" ] || fail "completion of '$*': the program is word $found, not $wanted"
}
begins_at 2 run program x
begins_at 4 run --format json program x
begins_at 5 run --format = json program x
begins_at 6 run --alloc = count --each program x
begins_at 3 run --alloc program x
begins_at 0 run --alloc = c
begins_at 6 run --cpu -o file --each program x
begins_at 5 cc --only main --alloc gcc x
begins_at 3 cc -- gcc x

exit "$failed"
