/* SPDX-License-Identifier: MIT */
/* Calls a function as often as each line of its input says, and then prints how often that was in all. */
#include <hotpath.h>

#include <stdio.h>
#include <stdlib.h>

static unsigned long step(unsigned long number)
{
	HOTPATH_MEASURE();
	HOTPATH_RETURN(number);
}

int main(void)
{
	HOTPATH_MAIN();
	unsigned long done = 0;
	char line[32];

	while (fgets(line, sizeof(line), stdin)) {
		for (unsigned long wanted = done + strtoul(line, NULL, 10); done < wanted;)
			done = step(done) + 1;
		printf("%lu\n", done);
		fflush(stdout);
	}
	return 0;
}
