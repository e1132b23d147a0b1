# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154
# What the tests with programs of others share: how to find these, and the samples that they are to read.
#
# Sourced, after expect.sh.
modules=$(dirname "$0")/node_modules
export HOME="$work"

skip()
{
	echo "skipped: $* is not installed"
	exit 77
}

# needs COMMAND...
needs()
{
	for command in "$@"; do
		command -v "$command" > /dev/null || skip "$command"
	done
}

# needs_module NAME...: of npm, and a node that is new enough for all of them.
needs_module()
{
	for module in "$@"; do
		[ -d "$modules/$module" ] || skip "$module"
	done
	node=$(ls "$modules"/node-linux-*/bin/node 2> /dev/null) || skip 'node 24'
}

# start_server [OPTION...]: of hotpath, until the test ends; $address is what it prints.
start_server()
{
	"$HOTPATH" serve --port 0 "$@" > "$work/line" 2> "$work/log" &
	server=$!
	on_exit="kill $server 2> /dev/null"
	while ! [ -s "$work/line" ]; do
		kill -0 "$server" 2> /dev/null || { fail "no server: $(cat "$work/log")"; exit 1; }
		sleep 0.05
	done
	address=$(sed 's/^serving on //' "$work/line")
}

# export_made FORMAT FILE [WHAT]: samples that were made by hand, or what else was.
export_made() { "$BUILD/tests/programs/made_profile" "$1" "${3:-cpu}" > "$2" || fail "no $1"; }

# record: take samples of a program, and leave what there is to compare with in $work/figures: a line for each
# function, "self total name", by name.
record()
{
	"$HOTPATH" run --cpu --format none "$BUILD/tests/programs/hot_stacks" 2> "$work/stderr" ||
		fail "it does not run: $(cat "$work/stderr")"
	"$HOTPATH" export --format folded -o "$work/samples.folded" || fail "no samples"
	find_figures "$work/samples.folded"
}

# record_waits: the same, in nanoseconds, of what a program waits for.
record_waits()
{
	"$HOTPATH" run --waits --format none "$BUILD/tests/programs/wait_paths" lock 60 > "$work/stdout" 2> "$work/stderr" ||
		fail "it does not run: $(cat "$work/stderr")"
	"$HOTPATH" export --what waits --format folded -o "$work/waits.folded" || fail "no stacks of waits"
	find_figures "$work/waits.folded"
}

# record_calls: the same of the call tree of a program, which is measured. Its functions have their times in the report, too.
record_calls()
{
	"$HOTPATH" run --no-cpu --format none "$BUILD/tests/programs/call_tree" 2> "$work/stderr" ||
		fail "it does not run: $(cat "$work/stderr")"
	"$HOTPATH" export --what time --format folded -o "$work/calls.folded" || fail "no call tree"
	find_figures "$work/calls.folded"
}

# find_figures FILE: of folded stacks.
find_figures()
{
	# The mark of a measured function is not part of its name.
	sed 's/_\[m\]//g' "$1" | awk '
		{
			count = $NF
			sub(/ [0-9]+$/, "")
			depth = split($0, stack, ";")
			self[stack[depth]] += count
			delete seen
			for (i = 2; i <= depth; i++)
				if (!seen[stack[i]]++)
					total[stack[i]] += count
		}
		END { for (name in total) print self[name] + 0, total[name], name }' |
		by_name > "$work/figures"
	[ "$(wc -l < "$work/figures")" -ge 5 ] || fail "too few functions: $(cat "$work/figures")"
}

by_name() { LC_ALL=C sort -k 3; }

# compare FILE: it has the same functions, with the same samples.
compare() { diff "$work/figures" "$1" > "$work/differences" || fail "$(cat "$work/differences")"; }

# total NAME: the samples of a function and of what it calls.
total() { awk -v name="$1" '{ n = $2; sub(/^[0-9]+ [0-9]+ /, "") } $0 == name { print n }' "$work/figures"; }

# share PART WHOLE: in percent.
share() { echo $((100 * $(total "$1") / $(total "$2"))); }
