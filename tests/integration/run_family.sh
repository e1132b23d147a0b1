#!/bin/sh
# SPDX-License-Identifier: MIT
# The register of a run has all its processes, however they are made and end, and what they used. Waiting for children works
# as it does without us.
# shellcheck disable=SC1091,SC2015,SC2016,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
source=$(dirname "$0")/../programs/family.c
library=$BUILD/src/library/libhotpath.so
probe=$BUILD/src/probes/waits/libhotpath-waits.so
gcc -O1 -pthread -D_GNU_SOURCE "$source" -o "$work/family"

# registering PRELOAD COMMAND...: as a run of its own. Its output is in $work/told, through a pipe.
number=0
registering()
{
	preload=$1
	shift
	number=$((number + 1)) run=$$-$((number + 1))
	export REGISTER="${HOTPATH_DIR-}/hotpath-$run.run"
	status=0
	{ HOTPATH_RUN=$run LD_PRELOAD=$preload "$@" || echo "line 0: status $?"; } 2> "$work/stderr" | cat > "$work/told"
	quiet "$work/stderr"
	! grep '^line' "$work/told" || fail "$*, with $preload"
}

rows() { "$BUILD/tests/integration/registered" "$run" > "$work/rows"; }

# misses: the children that were told and are not in the register; nothing if it has all.
misses()
{
	rows
	while read -r pid end status; do
		grep -q "^$pid [0-9]* $end $status " "$work/rows" || echo "$pid $end $status"
	done < "$work/told"
}

# agrees WHAT: asks again for a minute, because a child that nobody waits for may take a moment.
agrees()
{
	for _ in $(seq 1200); do
		missing=$(misses)
		[ -n "$missing" ] || return 0
		sleep 0.05
	done
	fail "$1: not registered: $missing; but: $(cat "$work/rows")"
}

# Natively all is as the program expects it.
for way in ends made waits filtered; do
	"$work/family" "$way" > "$work/told" || fail "$way, natively: $(cat "$work/told")"
done
[ -z "$(ls "$HOTPATH_DIR")" ] || fail 'there is a register without a run'

for way in ends made waits; do
	registering "$library" "$work/family" "$way"
	agrees "$way"
	# The probe stands before the same functions.
	for both in "$probe:$library" "$library:$probe"; do
		registering "$both" "$work/family" "$way"
		agrees "$way with the probe"
	done
done

# A forked child has the name of its parent's program, a child that executed another program has that name.
registering "$library" "$work/family" made
agrees made
grep -q 'exited 7 .* \(dash\|sh\|bash\) -c exit 7$' "$work/rows" || fail "vfork and exec: $(cat "$work/rows")"
grep -q 'exited 13 .* family made$' "$work/rows" || fail "fork: $(cat "$work/rows")"
grep -q 'exited 0 [0-9]* [1-9][0-9]* family made$' "$work/rows" || fail "the program itself: $(cat "$work/rows")"

# A process that still runs.
registering "$library" sh -c 'sleep 60 > /dev/null & echo $! running 0'
sleeping=$(cut -d' ' -f1 "$work/told")
agrees 'a process that runs'
kill "$sleeping"

# The memory of a program is its own, and not what the process had before.
registering "$library" python3 -c 'import os, subprocess
large = bytearray(b"x") * (64 << 20)
pid = os.posix_spawn("/bin/true", ["true"], os.environ)
os.waitpid(pid, 0)'
rows
awk '/ true $/ && $6 > 0 && $6 < 32768 { small++ } / python3/ && $6 > 65536 { large++ } END { exit !(small && large) }' \
	"$work/rows" || fail "peaks of memory: $(cat "$work/rows")"

# A static program with the recorder in it.
static=$BUILD/tests/programs/static_many_threads
if [ -x "$static" ]; then
	registering "$library" sh -c "$static > /dev/null || :"
	rows
	grep -q ' exited 0 .* static_many_threads ' "$work/rows" || fail "a static program: $(cat "$work/rows")"
fi

# No register is written if nobody asked for one.
rm -f "$HOTPATH_DIR"/*
HOTPATH_OFF=1 registering "$library" "$work/family" ends
HOTPATH_RUN='' LD_PRELOAD=$library "$work/family" ends > /dev/null
HOTPATH_RUN='../1' LD_PRELOAD=$library "$work/family" ends > /dev/null
[ -z "$(ls "$HOTPATH_DIR")" ] || fail "a register that nobody asked for: $(ls "$HOTPATH_DIR")"

# A program runs as ever where its register cannot be written.
registering "$library" "$work/family" filtered
agrees filtered
registering "$library" "$work/family" limited
registering "$library" "$work/family" removed
registering "$library" sh -c 'ulimit -n 0; exit 0'
chmod 500 "$HOTPATH_DIR"
registering "$library" "$work/family" ends
chmod 700 "$HOTPATH_DIR"
mkfifo "$HOTPATH_DIR/hotpath-$$-$((number + 2)).run"
registering "$library" "$work/family" ends
[ -p "$REGISTER" ] || fail 'a pipe was replaced'
rm "$REGISTER"
ln -s "$work/elsewhere" "$HOTPATH_DIR/hotpath-$$-$((number + 2)).run"
registering "$library" "$work/family" ends
[ ! -e "$work/elsewhere" ] || fail 'a link was followed'
rm "$REGISTER"

# A register that is damaged is read on.
registering "$library" "$work/family" ends
cp "$REGISTER" "$work/whole"
{ head -c 1000 "$work/whole"; cat "$work/whole"; head -c 77 /dev/urandom; tail -c 1001 "$work/whole"; } > "$REGISTER"
agrees 'damaged'

# A user that was root has a register elsewhere, which root finds. That of a program that it executes, too.
if [ "$(id -u)" = 0 ] && chmod 711 "$work" && cp "$library" "$work/libhotpath.so"; then
	registering "$library" "$work/family" dropped
	agrees dropped
	rm -f "/dev/shm/hotpath-65534/hotpath-$run.run"
	unset HOTPATH_DIR
	registering "$work/libhotpath.so" setpriv --reuid 65534 --regid 65534 --clear-groups \
		sh -c 'sh -c "echo \$\$ exited 5; exit 5" || :'
	agrees 'another user'
	rm -f "/dev/shm/hotpath-65534/hotpath-$run.run" "/dev/shm/hotpath-0/hotpath-$run.run"
	export HOTPATH_DIR="$work/segments"
fi

# The CPU time of all is what the kernel tells of the children.
printf 'all: a b c d\na b c d:\n\t@i=0; while [ $$i -lt 20000 ]; do i=$$((i + 1)); done\n' > "$work/Makefile"
loop='i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
registering "$library" "$work/family" children-cpu "$loop" "bash -c '$loop'" "make -s --no-print-directory -j2 -C $work" \
	"seq 100000 | sort -r | uniq | wc -l > $work/lines" "for i in 1 2 3 4 5 6 7 8; do (:); /bin/true; done" \
	"sh -c '$loop' & sh -c '$loop'; wait"
rows
whole=$(cat "$work/told")
sum=$(awk '!/ family children-cpu/ { sum += $5 } END { print sum }' "$work/rows")
[ $((sum * 100)) -ge $((whole * 98)) ] && [ $((sum * 100)) -le $((whole * 102)) ] ||
	fail "the sum of all is $sum us, not $whole: $(cat "$work/rows")"

exit "$failed"
