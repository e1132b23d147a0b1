#!/bin/sh
# SPDX-License-Identifier: MIT
# hotpath run ends as the program does, and leaves its input, output and signals alone.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"

run() { "$HOTPATH" run --format none -- "$@"; }

# Exit status.
for number in 0 1 3 77 255; do
	expect "$number" run sh -c "exit $number"
	quiet "$work/stderr"
done
refuse 127 "cannot run '$work/missing': No such file or directory" run "$work/missing"
refuse 127 "cannot run 'no-such-program-anywhere': not found in PATH" run no-such-program-anywhere
refuse 127 "cannot run 'true': not found in PATH" env PATH=/nowhere "$HOTPATH" run --format none true
: > "$work/plain"
refuse 126 "cannot run '$work/plain': it is not executable" run "$work/plain"
refuse 126 "cannot run '$work/plain/below': Not a directory" run "$work/plain/below"
refuse 126 "cannot run '$work': it is a directory" run "$work"
printf '#! /no/such/interpreter -x\n' > "$work/orphan"
cp "$(command -v env)" "$work/foreign"
python3 - "$work/foreign" << 'END'
import sys
with open(sys.argv[1], "r+b") as file:
    program = file.read()
    file.seek(program.index(b"/lib64/ld-" if b"/lib64/ld-" in program else b"/lib/ld-"))
    file.write(b"/nil")
END
chmod +x "$work/orphan"
refuse 127 "cannot run '$work/orphan': its interpreter '/no/such/interpreter' does not exist" run "$work/orphan"
refuse 127 "cannot run '$work/foreign': its dynamic linker '/nil" run "$work/foreign"
refuse 127 "cannot run 'orphan': its interpreter '/no/such/interpreter' does not exist" \
	env PATH="$work:$PATH" "$HOTPATH" run --format none orphan
printf 'exit 5\n' > "$work/script"
chmod +x "$work/script"
expect 5 run "$work/script"

# Death by a signal: the tool dies by the same one, and leaves no core of its own.
for name in KILL TERM SEGV ABRT INT QUIT PIPE USR1; do
	by=$(cd "$work" && python3 -c '
import signal, subprocess, sys
print(signal.Signals(-subprocess.run(sys.argv[1:]).returncode).name)' \
		"$HOTPATH" run --format none sh -c "ulimit -c 0; kill -$name \$\$" \
		2> "$work/stderr")
	[ "$by" = "SIG$name" ] || fail "the program was killed by SIG$name, the tool by $by"
	quiet "$work/stderr"
done
[ -z "$(find "$work" -name 'core*')" ] || fail 'the tool left a core file'

# What passes through.
echo input | expect 0 run cat
same input "$work/stdout"
quiet "$work/stderr"
expect 0 run sh -c 'echo out; echo err >&2'
same out "$work/stdout"
same err "$work/stderr"
expect 0 "$HOTPATH" run --format none printf '%s|' --each -o x '' 'a b'
same '--each|-o|x||a b|' "$work/stdout"
expect 0 "$HOTPATH" run --format=none sh -c 'exec 3>&1; [ ! -t 3 ] && ls /proc/self/fd | wc -l'
same "$(sh -c 'exec 3>&1; ls /proc/self/fd | wc -l')" "$work/stdout"
expect 0 sh -c 'exec 0<&-; "$0" run --format none sh -c "[ ! -e /proc/\$\$/fd/0 ]"' "$HOTPATH"
expect 0 run sh -c 'case $HOTPATH_RUN in [0-9]*-[0-9]*) ;; *) exit 1 ;; esac'
FOO=bar expect 0 run sh -c '[ "$FOO" = bar ]'

# Dispositions: what was ignored stays ignored, the rest is as it was.
for name in HUP INT QUIT; do
	expect 0 sh -c "trap '' $name; exec '$HOTPATH' run --format none sh -c 'kill -$name \$\$'"
done
expect 0 sh -c "trap '' CHLD; exec '$HOTPATH' run --format none true"
expect 0 run grep -q '^SigBlk:.0*$' /proc/self/status

# signalled NAME: the program gets what is sent to the tool, and decides what becomes of it.
signalled()
{
	rm -f "$work/ready"
	"$HOTPATH" run --format none sh -c "
		trap 'echo $1; exit 9' $1
		: > '$work/ready'
		while :; do sleep 0.05; done" > "$work/stdout" 2> "$work/stderr" &
	tool=$!
	until [ -e "$work/ready" ]; do sleep 0.02; done
	kill -"$1" "$tool"
	status=0
	wait "$tool" || status=$?
	[ "$status" = 9 ] || fail "SIG$1 sent to the tool: it ends with $status"
	same "$1" "$work/stdout"
}
for name in TERM HUP USR1 USR2 ALRM WINCH; do
	signalled "$name"
done

# A report that cannot be written is one line; the status is the program's.
expect 3 "$HOTPATH" run -o /dev/full sh -c 'exit 3'
[ "$(wc -l < "$work/stderr")" = 1 ] || fail "not one line: $(cat "$work/stderr")"
says 'No space left on device' "$work/stderr"
status=0
{ "$HOTPATH" run sh -c 'sleep 0.1; exit 3' 2>&1 >&3 || echo $? > "$work/status"; } 3>&1 | true
same 3 "$work/status"
expect 3 sh -c "exec '$HOTPATH' run sh -c 'exit 3' 2>&-"

exit "$failed"
