#!/bin/sh
# SPDX-License-Identifier: MIT
# Where there is no place for a segment, the program runs on, unchanged but for one line, and reports.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/../integration/expect.sh"
. "$(dirname "$0")/calm.sh"
. "$(dirname "$0")/unharmed.sh"

program() { "$many" "$functions" "$each" 5; }

# refused WHAT FOLDER REASON [COMMAND]: no segment there, one line that says why, and the whole report.
refused()
{
	HOTPATH_DIR=$2 unharmed "$1" "${4-program}"
	warned "cannot keep a segment in $2: $3"
	all_measured
}

# A missing folder is made, for nobody else.
HOTPATH_DIR=$work/new unharmed missing program
silent
all_measured
[ "$(stat -c %a "$work/new")" = 700 ] || fail "missing: made with mode $(stat -c %a "$work/new")"
[ "$(find "$work/new" -name 'hotpath-*.seg' -perm 600 | wc -l)" = 1 ] || fail 'missing: no segment'

# A relative one is in the current folder.
cd "$work"
HOTPATH_DIR=relative unharmed relative program
cd - > /dev/null
silent
all_measured
[ -d "$work/relative" ] || fail 'relative: not made'

refused 'not to be made' "$work/no/such/folder" 'it does not exist'
: > "$work/file"
refused 'a file' "$work/file" 'it is not a folder'
refused 'below a file' "$work/file/folder" 'it is not a folder'
refused 'a device' /dev/null 'it is not a folder'
refused 'of the kernel' /proc "$([ "$(id -u)" = 0 ] && echo 'no file can be made in it' || echo 'it must belong to you')"
mkdir -m 700 "$work/target"
ln -s target "$work/link"
refused 'a link' "$work/link" 'it is a symbolic link'
ln -s nowhere "$work/dangling"
refused 'a dangling link' "$work/dangling" 'it is a symbolic link'
[ ! -e "$work/nowhere" ] || fail 'a dangling link: was followed'
[ -z "$(ls -A "$work/target")" ] || fail 'a link: was followed'

# Where others may write, they may put a file in our way.
for mode in 770 707 777 1777; do
	mkdir "$work/mode$mode"
	chmod "$mode" "$work/mode$mode"
	refused "mode $mode" "$work/mode$mode" 'it must belong to you, and nobody else may write to it'
done
if [ "$(id -u)" = 0 ]; then
	mkdir -m 700 "$work/foreign"
	chown 65534 "$work/foreign"
	refused 'of another user' "$work/foreign" 'it must belong to you'
else
	refused 'of root' /usr 'it must belong to you'
fi

# What the kernel refuses is told as such; what can be done without is.
refuse_calls=$BUILD/tests/programs/refuse_calls
kind="mkdir"
without() { "$refuse_calls" "$kind" "$many" "$functions" "$each" 5; }
if "$refuse_calls" mkdir true; then
	refused 'mkdir refused' "$work/unmade" 'the kernel refuses mkdir' without
	HOTPATH_DIR=$work/new unharmed 'mkdir refused, and the folder is there' without
	silent
	kind=ftruncate
	refused 'ftruncate refused' "$work/new" 'the kernel refuses ftruncate' without
	kind=madvise
	HOTPATH_DIR=$work/new unharmed 'madvise refused' without
	silent
	all_measured
fi

# Too long to be a path: PATH_MAX bytes, and one component of more than NAME_MAX.
long=$(printf '/%0200d' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25)
HOTPATH_DIR=$work$long unharmed 'a long path' program
warned 'hotpath: cannot keep a segment'
grep -q 'segment in : ' "$work/stderr" && fail "a long path: it is not named: $(cat "$work/stderr")"
grep -q 'it is full' "$work/stderr" && fail "a long path: a wrong reason: $(cat "$work/stderr")"
all_measured
HOTPATH_DIR=$work/$(printf '%0300d' 1) unharmed 'a long name' program
warned 'cannot keep a segment in '
all_measured

# Read-only to an ordinary user.
mkdir -m 500 "$work/readonly"
ordinary=program
if [ "$(id -u)" = 0 ]; then
	chmod 711 "$work"
	chown 65534 "$work/readonly"
	: > "$report"
	chmod 666 "$report"
	ordinary=as_nobody
fi
as_nobody()
{
	# The report's file was removed, and nobody may make a new one here.
	HOTPATH_OUTPUT_PATH=- setpriv --reuid=65534 --regid=65534 --clear-groups \
		"$many" "$functions" "$each" 5 > "$work/both"
	status=$?
	grep -v '^sum ' "$work/both" > "$report"
	grep '^sum ' "$work/both"
	return "$status"
}
if [ "$ordinary" = program ] || setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$many"; then
	refused 'read-only' "$work/readonly" 'permission denied' "$ordinary"
	refused 'in a read-only folder' "$work/readonly/new" 'permission denied' "$ordinary"
else
	echo 'skipped: read-only folders, which need a program that everybody may run'
fi

# Under the tool the same: the program's output and status, and one line, from the program; the tool has
# nothing to report.
HOTPATH_DIR=$work/file expect 5 "$HOTPATH" run --format none -o '' "$many" "$functions" "$each" 5
[ "$(cat "$work/stdout")" = "$sum" ] || fail "run: output $(cat "$work/stdout")"
[ "$(grep -c '^hotpath: cannot keep a segment' "$work/stderr")" = 1 ] || fail "run: $(cat "$work/stderr")"

# And its report gives that as the reason, not that the program was short.
printf 'int main(void) { for (volatile long i = 0; i < 300000000; i++) ; return 0; }\n' > "$work/busy.c"
# shellcheck disable=SC2086
${CC:-cc} -O1 -o "$work/busy" "$work/busy.c"
HOTPATH_DIR=/proc expect 0 "$HOTPATH" run --format table -o '' "$work/busy"
says 'No CPU time was sampled: no segment can be kept in /proc.' "$work/stderr"
[ "$(grep -c . "$work/stderr")" = 3 ] || fail "run, without a place: $(cat "$work/stderr")"

exit "$failed"
