#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command explains itself, and answers a mistake with one line.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

commands() { "$HOTPATH" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'; }

expect 0 "$HOTPATH"
says 'usage: hotpath' "$work/stdout"
quiet "$work/stderr"
for way in --help -h help; do
	expect 0 "$HOTPATH" "$way"
	says 'commands:' "$work/stdout"
done
for way in --version -V; do
	expect 0 "$HOTPATH" "$way"
	grep -qx 'hotpath [0-9]*\.[0-9]*\.[0-9]*' "$work/stdout" || fail "no version"
done
[ "$(commands | wc -l)" -ge 5 ] || fail "commands: $(commands)"

for command in $(commands); do
	for way in "$command --help" "$command -h" "help $command"; do
		# shellcheck disable=SC2086
		expect 0 "$HOTPATH" $way
		says "usage: hotpath $command" "$work/stdout"
		quiet "$work/stderr"
		awk 'length($0) > 81 { exit 1 }' "$work/stdout" || fail "hotpath $way is too wide"
	done
	refuse 2 "unknown option '--no-such-thing'" "$HOTPATH" "$command" --no-such-thing
	refuse 2 "unknown option '-Z'" "$HOTPATH" "$command" -Z
	refuse 2 "'--help' takes no value" "$HOTPATH" "$command" --help=yes
done

refuse 2 "did you mean 'report'?" "$HOTPATH" reporrt
refuse 2 "did you mean 'doctor'?" "$HOTPATH" doc
refuse 2 "unknown command 'frobnicate'" "$HOTPATH" frobnicate
refuse 2 "unknown command 'frobnicate'" "$HOTPATH" help frobnicate
refuse 2 "unknown option '--helpp'" "$HOTPATH" --helpp
refuse 2 "did you mean '--percentiles'?" "$HOTPATH" report --percentile=50
refuse 2 "'--limit' needs a value" "$HOTPATH" report --limit
refuse 2 "'--save' needs a value" "$HOTPATH" report --save
refuse 2 "'x' is not a number" "$HOTPATH" report --limit x
refuse 2 "'x' is not a number" "$HOTPATH" report --limit=x
refuse 2 "--time-exclusive: 'maybe'" "$HOTPATH" report --time-exclusive=maybe
refuse 2 "unexpected argument 'two'" "$HOTPATH" console one two
refuse 2 "unexpected argument 'one'" "$HOTPATH" list one
refuse 2 "unexpected argument 'one'" "$HOTPATH" doctor one
refuse 2 'no program given' "$HOTPATH" run
refuse 2 'no program given' "$HOTPATH" run --each --
refuse 2 "unknown option" "$HOTPATH" report "$(printf -- '--a\nb\033[31m')"

# Whoever stops reading is no error.
"$HOTPATH" run --help 2> "$work/stderr" | head -c 1 > /dev/null
quiet "$work/stderr"
refuse 2 'No space left on device' sh -c "exec '$HOTPATH' --help > /dev/full"
refuse 2 'Bad file descriptor' sh -c "exec '$HOTPATH' --help >&-"

exit "$failed"
