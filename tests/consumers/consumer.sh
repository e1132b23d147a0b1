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

# export_made FORMAT FILE: samples that were made by hand.
export_made() { "$BUILD/tests/programs/made_profile" "$1" > "$2" || fail "no $1"; }
