/* SPDX-License-Identifier: MIT */
/* System call filters of a program, made by hand: one call is forbidden, or all but those that it needs. */
#ifndef FILTER_H
#define FILTER_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum filter_action { FILTER_KILL, FILTER_TRAP, FILTER_EPERM, FILTER_ENOSYS };

#define LOAD_NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, (action))
/* The answer to one call, in front of those to others. */
#define ALLOW(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), ANSWER(SECCOMP_RET_ALLOW)

/* An error is for libraries that ask; without their function, the kernel is asked at once. */
static inline int filter_set(const struct sock_filter *filter, size_t length, bool raw)
{
	struct sock_fprog program = { (unsigned short)length,
				      (struct sock_filter *)(uintptr_t)filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return errno;
	if (raw)
		return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) ? errno : 0;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? errno : 0;
}

static inline int filter_one(unsigned call, enum filter_action action, bool raw)
{
	static const uint32_t answers[] = {
		[FILTER_KILL] = SECCOMP_RET_KILL_PROCESS,
		[FILTER_TRAP] = SECCOMP_RET_TRAP,
		[FILTER_EPERM] = SECCOMP_RET_ERRNO | EPERM,
		[FILTER_ENOSYS] = SECCOMP_RET_ERRNO | ENOSYS,
	};
	const struct sock_filter filter[] = {
		LOAD_NUMBER,
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 1, 0),
		ANSWER(SECCOMP_RET_ALLOW),
		ANSWER(answers[action]),
	};

	return filter_set(filter, sizeof(filter) / sizeof(*filter), raw);
}

/* A sandbox as programs have it: memory, threads, writing and the end; whatever else kills. */
static inline int filter_all_but_needed(void)
{
	static const struct sock_filter filter[] = {
		LOAD_NUMBER,
		ALLOW(SYS_read),
		ALLOW(SYS_write),
		ALLOW(SYS_mmap),
		ALLOW(SYS_munmap),
		ALLOW(SYS_mprotect),
		ALLOW(SYS_madvise),
		ALLOW(SYS_brk),
		ALLOW(SYS_clone),
		ALLOW(SYS_clone3),
		ALLOW(SYS_set_robust_list),
		ALLOW(SYS_rseq),
		ALLOW(SYS_futex),
		ALLOW(SYS_rt_sigaction),
		ALLOW(SYS_rt_sigprocmask),
		ALLOW(SYS_rt_sigreturn),
		ALLOW(SYS_getrandom),
		ALLOW(SYS_exit),
		ALLOW(SYS_exit_group),
		ANSWER(SECCOMP_RET_KILL_PROCESS),
	};

	return filter_set(filter, sizeof(filter) / sizeof(*filter), false);
}

/* Reading, writing and the end of the thread, and nothing else. */
static inline int filter_strict(void)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) ? errno : 0;
}

#endif
