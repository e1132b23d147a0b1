/* SPDX-License-Identifier: MIT */
/* How much memory a running process has in use. */
#include "process_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line such as "VmRSS:	    1234 kB". */
static void take_line(const char *line, const char *key, uint64_t *bytes)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) == 0)
		*bytes = strtoull(line + length, NULL, 10) * 1024;
}

void hp_process_memory_read(uint32_t pid, struct hp_memory *memory)
{
	char path[32], line[256];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		take_line(line, "VmRSS:", &memory->rss_bytes);
		take_line(line, "VmHWM:", &memory->peak_rss_bytes);
	}
	if (file)
		fclose(file);
}
