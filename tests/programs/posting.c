/* SPDX-License-Identifier: MIT */
/* Sends as many messages through a channel as each line of its input says, and keeps a block for each line. */
#include <hotpath.h>

#include <stdio.h>
#include <stdlib.h>

static struct hotpath_channel letters;
static void *kept;

static void post(void)
{
	HOTPATH_MEASURE();
	HOTPATH_CHANNEL_SEND(&letters, 8);
	HOTPATH_CHANNEL_RECV(&letters);
}

static void *keep(void *last)
{
	HOTPATH_MEASURE();
	void **block = malloc(100);
	if (block)
		*block = last;
	HOTPATH_RETURN(block);
}

int main(void)
{
	HOTPATH_MAIN();
	char line[32];

	HOTPATH_CHANNEL_NEW(&letters, "letters", 8);
	while (fgets(line, sizeof(line), stdin)) {
		for (unsigned long left = strtoul(line, NULL, 10); left; left--)
			post();
		kept = keep(kept);
		puts("posted");
		fflush(stdout);
	}
	return !kept;
}
