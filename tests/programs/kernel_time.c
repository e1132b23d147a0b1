/* SPDX-License-Identifier: MIT */
/*
 * Computes in system calls and nowhere else, from its beginning on: the kernel's clock for its own code does not
 * come at all.
 *
 * usage: kernel_time MILLISECONDS
 *
 * Prints the CPU time of the process in nanoseconds, as the kernel counts it.
 */
#include "compute.h"

#include <err.h>
#include <fcntl.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	static char zeroes[1 << 22];
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	if (argc != 2 || zero < 0)
		errx(2, "usage: kernel_time MILLISECONDS");
	while (used_ns() < atoll(argv[1]) * 1000000)
		if (read(zero, zeroes, sizeof(zeroes)) != sizeof(zeroes))
			err(2, "/dev/zero");
	printf("%lld\n", used_ns());
	return 0;
}
