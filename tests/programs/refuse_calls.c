/* SPDX-License-Identifier: MIT */
/*
 * Runs a program to which the kernel refuses calls, as containers do.
 *
 * usage: refuse_calls events|both PROGRAM [ARGUMENT...]
 */
#include <err.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_create, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	if (argc < 3)
		errx(2, "usage: refuse_calls events|both PROGRAM [ARGUMENT...]");
	/* Timers may be had: go on to where all else is allowed. */
	if (strcmp(argv[1], "events") == 0)
		filter[2].jt = 0;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		err(77, "no filter");
	execvp(argv[2], argv + 2);
	err(127, "%s", argv[2]);
}
