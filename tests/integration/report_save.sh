#!/bin/sh
# SPDX-License-Identifier: MIT
# A saved report shows what the segment showed, and is written whole or not at all.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

HOTPATH_OUTPUT_FORMAT=none "$BUILD/examples/basic" > /dev/null
segment=$(ls "$work"/segments/*.seg)
saved=$work/saved.json

expect 0 "$HOTPATH" report --save "$saved"
quiet "$work/stdout"
quiet "$work/stderr"
for options in '' '--percentiles 0,1,50,99.9,100' '--format json' '--sort calls --limit 2'; do
	# shellcheck disable=SC2086
	"$HOTPATH" report $options "$segment" > "$work/before"
	# shellcheck disable=SC2086
	"$HOTPATH" report $options "$saved" > "$work/after"
	diff "$work/before" "$work/after" || fail "report $options"
done

# Saved again it is the same file, and nothing else is left beside it.
"$HOTPATH" report "$saved" --save "$saved"
"$HOTPATH" report "$segment" --save "$work/again.json"
cmp -s "$saved" "$work/again.json" || fail 'saving a saved report changes it'
expect 0 sh -c "ls '$work' | grep -c json"
same 2 "$work/stdout"

# A link stays a link, a private file stays private, and the umask is obeyed.
ln -s saved.json "$work/link"
chmod 600 "$saved"
"$HOTPATH" report "$segment" --save "$work/link"
[ -L "$work/link" ] || fail 'the link was replaced'
[ "$(stat -c %a "$saved")" = 600 ] || fail "the mode has become $(stat -c %a "$saved")"
expect 0 sh -c "'$HOTPATH' report '$segment' -o /dev/stdout | cat"
says custom_block "$work/stdout"
# One that is gone by now is written to, if that is where the output goes.
: > "$work/gone"
(
	exec > "$work/gone"
	exec 3< "$work/gone"
	rm "$work/gone"
	"$HOTPATH" report "$segment" -o /dev/stdout
	grep -q custom_block <&3
) || fail 'a file without a name'
[ -z "$(ls -d "$work"/gone* 2> /dev/null)" ] || fail "left: $(ls -d "$work"/gone*)"

# What somebody else has put into a folder like /tmp leads nowhere.
mkdir -m 1777 "$work/shared"
echo mine > "$work/mine"
ln -s "$work/mine" "$work/shared/own"
"$HOTPATH" report "$segment" -o "$work/shared/own"
says custom_block "$work/mine"
[ -L "$work/shared/own" ] || fail 'the link in the shared folder was replaced'
if [ "$(id -u)" = 0 ]; then
	echo mine > "$work/mine"
	ln -s "$work/mine" "$work/shared/planted"
	ln -s "$work/new" "$work/shared/dangling"
	chown -h 65534 "$work/shared/planted" "$work/shared/dangling"
	for link in planted dangling; do
		refuse 2 "cannot write to $work/shared/$link: Permission denied" \
			"$HOTPATH" report "$segment" -o "$work/shared/$link"
		expect 0 "$HOTPATH" run -o "$work/shared/$link" true
	done
	same mine "$work/mine"
	[ ! -e "$work/new" ] || fail 'a dangling link was followed'
fi
(umask 027 && "$HOTPATH" report "$segment" --save "$work/new.json")
[ "$(stat -c %a "$work/new.json")" = 640 ] || fail "the mode is $(stat -c %a "$work/new.json")"

# A plain JSON report can be shown too, with the percentiles it has.
"$HOTPATH" report "$segment" --format json --percentiles 50,99.9 > "$work/plain.json"
"$HOTPATH" report "$segment" --percentiles 50,99.9 > "$work/before"
"$HOTPATH" report "$work/plain.json" > "$work/after"
diff "$work/before" "$work/after" || fail 'a plain report is shown otherwise'
refuse 2 'has no percentile 95' "$HOTPATH" report "$work/plain.json" --percentiles 95
refuse 2 'was not written by --save' "$HOTPATH" report "$work/plain.json" --save "$work/other.json"
refuse 2 'does not contain single calls' "$HOTPATH" report "$saved" --calls main

# HOTPATH_OUTPUT_PATH is for programs; who asks for a report gets it.
HOTPATH_OUTPUT_PATH=$work/elsewhere expect 0 "$HOTPATH" report
says custom_block "$work/stdout"
[ ! -e "$work/elsewhere" ] || fail 'hotpath report obeys HOTPATH_OUTPUT_PATH'
expect 0 "$HOTPATH" report -o "$work/elsewhere"
quiet "$work/stdout"
says custom_block "$work/elsewhere"

exit "$failed"
