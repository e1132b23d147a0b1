#!/bin/sh
# SPDX-License-Identifier: MIT
# Input and output has the right target, whatever became of the descriptor; errors are counted, and calls that would block are
# none; handlers, threads that are cancelled, constructors and destructors.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/io_common.sh"
files=$work/files

mkdir "$files/many"
expect 3 "$programs/io_traps" "$files"
same "done" "$work/stdout"
rm -rf "$files" && mkdir -p "$files/many"
status_wanted=3 recorded "$programs/io_traps" "$files"
same "done" "$work/stdout"
quiet "$work/stderr"
# The folder may be reached by a link.
files=$(cd "$files" && pwd -P)

is reopened write "$files/first" .bytes 11
is reopened write "$files/second" .bytes 12
is reopened write "$files/third" .bytes 13
is duplicated write "$files/second" .bytes 21
is duplicated write "$files/first" '[.calls, .bytes]' '[3,69]'
is duplicated write pipe .bytes 25
is forked write "$files/kept" '[.calls, .bytes]' '[2,65]'
is vforked write "$files/kept" '[.calls, .bytes]' '[2,83]'
is vforked write "$files/other" '[.calls, .bytes]' '[1,43]'
# Of 300 files in a folder, 64 have rows.
[ "$(rows 'select(.name == "temporary" and .operation == "write" and (.target | contains("/many/"))) | .target' | wc -l)" = 65 ] ||
	fail "files of a folder: $(rows '.target')"
is temporary write "$files/many/*" '[.calls, .bytes]' '[236,1180]'
is temporary write sortXXXXXX '[.calls, .bytes, .small_percent]' '[20,120,100]'

is failed write "$files/first" '[.calls, .errors, .bytes]' '[1,1,0]'
is failed open none/none '[.calls, .errors]' '[1,1]'
is failed open '<unknown>' '[.calls, .errors]' '[1,1]'
is failed read "$files/first" '[.calls, .errors]' '[1,1]'
is failed read '<unknown>' '[.calls, .errors]' '[1,1]'
[ -z "$(row failed close '<unknown>' .calls)" ] || fail 'numbers that are not open have a row'
# One read would block, one had all there was, which was less than it asked for, and one was at the end.
is failed read pipe '[.calls, .errors, .short_count, .bytes]' '[3,0,1,65536]'
is failed write pipe '[.calls, .errors, .short_count, .bytes]' '[1,0,1,65536]'

is put write "$files/handled" '[.calls, .bytes]' '[11,77]'
is interrupted read pipe '[.calls, .errors]' '[1,0]'
# The call that was left by a jump is none. One that was cancelled has waited.
is again read pipe '[.calls, .errors, .bytes]' '[104,0,103]'
is wait_forever read pipe '[.calls, .errors, .bytes]' '[21,0,20]'
is wait_for_line read pipe '[.calls, .errors, .bytes]' '[1,0,0]'
# What ends with its source is not short.
is copied copy "$files/copy" '[.calls, .errors, .bytes, .short_count]' '[3,0,500,0]'
is spliced splice pipe '[.calls, .errors, .short_count]' '[1,0,1]'
[ "$(jq -s '[.[0].io.data[] | select(.target | endswith("/shared")) | .bytes] | add' "$work/report")" = 140000 ] ||
	fail "of a stream that threads share: $(rows 'select(.target | endswith("/shared"))')"
for function in early late; do
	[ "$(rows "select(.name == \"$function\") | .calls")" = 1 ] || fail "$function: $(rows .name)"
done
[ "$(rows 'select(.name == "<exit>") | .bytes')" = 5 ] || fail "at exit: $(rows .name)"

# The child has rows of its own, and its own target for the number that it opened.
jq -c -s '.[1].io.data[] | [.name, .operation, .target, .bytes]' "$work/report" > "$work/child"
says "[\"forked\",\"write\",\"$files/kept\",32]" "$work/child"
says "[\"forked\",\"write\",\"$files/of child\",33]" "$work/child"

# A limit of targets: the others are one.
rm -rf "$files" && mkdir -p "$files/many"
HOTPATH_ENTRIES_LIMIT=5 status_wanted=3 recorded "$programs/io_traps" "$files"
[ "$(rows .target | sort -u | grep -c -v '^<')" = 5 ] || fail "limit: $(rows .target | sort -u)"
rows .target | grep -q '^<other>$' || fail "no other: $(rows .target)"

# Streams of C++.
expect 0 "$programs/io_cpp" "$work/plain"
recorded "$programs/io_cpp" "$work/lines"
same '20000 lines' "$work/stdout"
cmp -s "$work/plain" "$work/lines" || fail 'the file differs'
for operation in write read; do
	bytes=$(jq "[.io.data[] | select(.operation == \"$operation\" and (.target | endswith(\"/lines\"))) | .bytes] | add" "$work/report")
	[ "$bytes" = "$(stat -c %s "$work/lines")" ] || fail "C++, $operation: $bytes"
done

exit "$failed"
