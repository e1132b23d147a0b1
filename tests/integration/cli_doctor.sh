#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath doctor tells what does not work, and what to do about it.
# shellcheck disable=SC1091,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

# verdict NAME: of a check.
verdict() { "$HOTPATH" doctor --json | jq -r ".[] | select(.name == \"$1\").verdict"; }

expect 0 "$HOTPATH" doctor
quiet "$work/stderr"
grep -qvE '^(ok|warn) ' "$work/stdout" && fail "$(cat "$work/stdout")"
says "$HOTPATH_DIR, yours, mode 0700" "$work/stdout"
expect 0 "$HOTPATH" doctor --json
jq -e 'length >= 8 and all(.[]; .name and .text and (.verdict | IN("ok", "warn", "fail")))' \
	"$work/stdout" > /dev/null || fail "JSON: $(cat "$work/stdout")"

# The tool alone, without its library.
says '/libhotpath.so' "$work/stdout"
mkdir "$work/alone"
cp "$HOTPATH" "$work/alone/hotpath"
expect 0 "$work/alone/hotpath" doctor
says 'libhotpath.so was not found where it is installed' "$work/stdout"
says 'libhotpath-alloc.so was not found where it is installed' "$work/stdout"
says 'libhotpath-waits.so was not found where it is installed' "$work/stdout"
mkdir -p "$work/probes/alloc" "$work/probes/waits"
: > "$work/probes/alloc/libhotpath-alloc.so"
: > "$work/probes/waits/libhotpath-waits.so"
expect 0 "$work/alone/hotpath" doctor
grep -q "^ok  *allocations  *$work/probes/alloc/libhotpath-alloc.so" "$work/stdout" || fail "$(cat "$work/stdout")"
grep -q "^ok  *waits  *$work/probes/waits/libhotpath-waits.so" "$work/stdout" || fail "$(cat "$work/stdout")"

grep -q '^\(ok\|warn\)  *libevent ' "$work/stdout" || fail "$(cat "$work/stdout")"

# A folder that others may write to, one that is a file, one that cannot be made.
chmod 777 "$HOTPATH_DIR"
expect 1 "$HOTPATH" doctor
says 'other users can write to it' "$work/stdout"
says 'set HOTPATH_DIR' "$work/stdout"
[ "$(verdict 'segment folder')" = fail ] || fail 'an open folder does not fail'
chmod 700 "$HOTPATH_DIR"
: > "$work/file"
HOTPATH_DIR=$work/file expect 1 "$HOTPATH" doctor
says 'it is not a folder' "$work/stdout"
HOTPATH_DIR=$work/missing/folder expect 1 "$HOTPATH" doctor
says 'cannot be created' "$work/stdout"
HOTPATH_DIR=$work/new expect 0 "$HOTPATH" doctor
says 'created when first needed' "$work/stdout"
[ ! -e "$work/new" ] || fail 'looking made the folder'

# A choice that is cannot be used.
mkdir -m 777 "$work/runtime" "$work/runtime/hotpath"
chmod 777 "$work/runtime/hotpath"
(unset HOTPATH_DIR && XDG_RUNTIME_DIR=$work/runtime "$HOTPATH" doctor) > "$work/stdout"
grep -q '^warn  *segment folder .*cannot be used' "$work/stdout" || fail "$(cat "$work/stdout")"

# Limits of the shell.
expect 0 sh -c "ulimit -f 1000 && exec '$HOTPATH' doctor"
grep -q '^warn  *file size limit ' "$work/stdout" || fail "$(cat "$work/stdout")"

# Old segments are told of.
HOTPATH_OUTPUT_FORMAT=none "$BUILD/examples/basic"
expect 0 "$HOTPATH" doctor
says '1 of ended programs' "$work/stdout"
says 'hotpath list --clean' "$work/stdout"

exit "$failed"
