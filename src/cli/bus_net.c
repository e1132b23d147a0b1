/* SPDX-License-Identifier: MIT */
/* A net under files that libraries map for us, and that others may cut short meanwhile. */
#include "bus_net.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* A page of zeros where there is none of the file any more. mmap is a mere system call, which a handler may do. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = (char *)info->si_addr - (uintptr_t)info->si_addr % page;

	(void)context;
	if (info->si_code == BUS_ADRERR &&
	    mmap(at, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
		return;
	/* Something else: it comes again, and ends us. */
	signal(number, SIG_DFL);
}

void bus_net_spread(void)
{
	struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}
