#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that sets a seccomp filter which kills lives as it does without us, and is measured as far as the filter lets us.
# shellcheck disable=SC1091,SC2046,SC2086,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
source=$(dirname "$0")/../programs/filtered.c

gcc -O1 -finstrument-functions -pthread "$source" -o "$work/filtered"
gcc -O1 -pthread "$source" -o "$work/plain"

# numbers NAME...: of system calls; those that this machine does not have are left out.
numbers()
{
	{
		echo '#include <sys/syscall.h>'
		for name in "$@"; do
			printf '%s\n' "#ifdef SYS_$name" "number SYS_$name" '#endif'
		done
	} | gcc -E -P - | sed -n 's/^number //p' | paste -sd' '
}

# What the program itself needs: alone, with allocations, and with threads.
alone=$(numbers write exit_group)
blocks="$alone $(numbers brk mmap munmap mprotect mremap madvise getrandom)"
threads="$blocks $(numbers exit futex clone clone3 rseq set_robust_list rt_sigprocmask rt_sigaction)"
"$work/filtered" prctl f allow $alone > /dev/null 2>&1 || exit 77

# lives OPTIONS FILTER...: as it does by itself. The report is in $work/report.
lives()
{
	options=$1
	shift
	expect 0 "$HOTPATH" run $options --format json --output-path "$work/report" -- "$@"
	same lives "$work/stdout"
	quiet "$work/stderr"
}

# calls NUMBER: each of the functions that were called after the filter.
calls()
{
	found=$(jq -c '[.functions_timing.data[] | select(.name | startswith("new_")).calls] | unique' "$work/report")
	[ "$found" = "[$1]" ] || fail "calls of new functions: $found, not $1"
	[ "$(jq '.functions_timing.data[] | select(.name == "begins").calls' "$work/report")" = 1 ] ||
		fail 'what was called before is lost'
}

for options in --no-cpu '--no-cpu --alloc' --cpu '--no-cpu --waits' --all; do
	lives "$options" "$work/filtered" prctl fd allow $alone
	calls 100
	lives "$options" "$work/filtered" prctl fad allow $blocks
	calls 100
	lives "$options" "$work/filtered" seccomp ftad allow $threads
	calls 400
	[ "$(jq '.dropped.filtered' "$work/report")" -gt 0 ] || fail "$options: nothing was left out"
done
# A forked process could not keep a segment.
for options in --no-cpu --all; do
	lives "$options" "$work/filtered" prctl ftadp allow $threads $(numbers fork vfork wait4 waitid)
	calls 400
done
# Of what was sampled, the rest is not known; that it waits would be wrong.
lives --cpu "$work/filtered" prctl fc allow $alone
[ "$(jq -r '.functions_cpu.end' "$work/report")" = filtered ] || fail 'sampling went on'
[ "$(jq '.bottlenecks' "$work/report")" = null ] || fail 'bottlenecks are known without samples'

# Any one call that we make, and the program does not.
for call in $(numbers brk clock_gettime clock_nanosleep close fchmod fcntl fstat fstatfs ftruncate getdents64 geteuid getpid \
	getppid getrusage gettid ioctl kill lseek madvise mkdir mkdirat mremap munlock newfstatat openat perf_event_open poll \
	ppoll prctl pread64 prlimit64 process_vm_readv read readlink readlinkat rt_sigpending rt_sigreturn \
	rt_sigtimedwait sched_yield sigaltstack stat tgkill timer_create timer_delete timer_settime tkill truncate unlink \
	unlinkat writev); do
	"$work/filtered" seccomp ftad deny "$call" > /dev/null 2>&1 || continue
	lives '--alloc --cpu' "$work/filtered" seccomp ftad deny "$call"
	calls 400
done

# By itself: no report can be printed, and that is all.
HOTPATH_RUN='' LD_PRELOAD="$BUILD/src/library/libhotpath.so" "$work/filtered" prctl ftad allow $threads \
	> "$work/stdout" 2> "$work/stderr" || fail "by itself: status $?"

# The filter is also that of the program it becomes, which gets nothing of ours that would end it.
printf '#include <unistd.h>\nint main(void) { return write(1, "became\\n", 7) != 7; }\n' > "$work/become.c"
gcc -O1 "$work/become.c" -o "$work/become"
export BECOME="$work/become"
loader=$(numbers execve openat open close read pread64 fstat newfstatat access faccessat arch_prctl set_tid_address \
	set_robust_list rseq prlimit64)
if "$work/filtered" prctl fx allow $blocks $loader > /dev/null 2>&1; then
	expect 0 "$HOTPATH" run --cpu --format none -- "$work/filtered" prctl fx allow $blocks $loader
	same "$(printf 'lives\nbecame')" "$work/stdout"
fi

# In strict mode the processor's counter may not be read: what was called before is all that is measured.
lives '--alloc --cpu' "$work/plain" strict fd
for options in --no-cpu --all; do
	lives "$options" "$work/filtered" strict fd
	[ "$(jq '.functions_timing.data | map({(.name): .calls}) | add | .begins == 1 and .new_1 == null' \
		"$work/report")" = true ] || fail 'strict mode: other calls'
done

exit "$failed"
