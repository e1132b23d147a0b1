/* SPDX-License-Identifier: MIT */
/* A safety net for files that libraries map for us: they may be truncated while they are read. */
#include "bus_net.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Map a page of zeros where the file no longer reaches. mmap is a plain system call, which a handler may make. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = (char *)info->si_addr - (uintptr_t)info->si_addr % page;

	(void)context;
	if (info->si_code == BUS_ADRERR &&
	    mmap(at, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
		return;
	/* Another cause: the signal is raised again, and ends us. */
	signal(number, SIG_DFL);
}

void bus_net_spread(void)
{
	struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}
