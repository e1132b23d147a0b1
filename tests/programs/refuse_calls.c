/* SPDX-License-Identifier: MIT */
/*
 * Runs a program to which the kernel refuses calls, as containers do.
 *
 * usage: refuse_calls events|both|mkdir|ftruncate|madvise PROGRAM [ARGUMENT...]
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

#ifndef SYS_mkdir
#define SYS_mkdir SYS_mkdirat
#endif

/* Each is refused by two numbers, which may be the same. */
static const struct {
	const char *name;
	unsigned calls[2];
} kinds[] = {
	{ "events", { SYS_perf_event_open, SYS_perf_event_open } },
	{ "both", { SYS_perf_event_open, SYS_timer_create } },
	{ "mkdir", { SYS_mkdir, SYS_mkdirat } },
	{ "ftruncate", { SYS_ftruncate, SYS_ftruncate } },
	{ "madvise", { SYS_madvise, SYS_madvise } },
};

static const unsigned *find(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return kinds[i].calls;
	errx(2, "%s: no such kind", name);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		errx(2, "usage: refuse_calls KIND PROGRAM [ARGUMENT...]");
	const unsigned *calls = find(argv[1]);
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[0], 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[1], 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		err(77, "no filter");
	execvp(argv[2], argv + 2);
	err(127, "%s", argv[2]);
}
