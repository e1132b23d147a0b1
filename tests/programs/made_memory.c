/* SPDX-License-Identifier: MIT */
/*
 * Leaves a segment with allocations that was made by hand, as if it had measured itself.
 *
 *	made_memory [alone] [wait]
 *
 * alone: no function was measured. wait: it runs, until its input ends; it says when it has begun.
 */
#include "../fuzz/made_segment.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct made_segment made;

static void make(bool alone, bool wait)
{
	const char *run = getenv("HOTPATH_RUN");
	struct hp_header *header = made_header(&made);

	made_segment(&made);
	made_allocations(&made);
	header->pid = (uint32_t)getpid();
	header->program = made_string(&made, "made_memory");
	header->used = made.size;
	header->state = wait ? HP_STATE_RUNNING : HP_STATE_EXITED;
	memset(header->run, 0, sizeof(header->run));
	snprintf(header->run, sizeof(header->run), "%s", run ? run : "");
	for (unsigned i = 0; i < MADE_LANES && alone; i++)
		made.lanes[i]->stats = 0;
}

static int write_segment(void)
{
	struct timespec now;
	char path[4096];

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(path, sizeof(path), "%s/hotpath-%d-%lld%09ld.seg", getenv("HOTPATH_DIR"),
		 (int)getpid(), (long long)now.tv_sec, now.tv_nsec);
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	return file >= 0 && write(file, made.bytes, made.size) == (ssize_t)made.size ? file : -1;
}

int main(int argc, char **argv)
{
	bool alone = argc > 1 && strcmp(argv[1], "alone") == 0;
	bool wait = argc > 1 && strcmp(argv[argc - 1], "wait") == 0;

	make(alone, wait);
	int file = write_segment();
	if (file < 0 || mmap(NULL, made.size, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED)
		return 1;
	if (wait) {
		puts("begun");
		fflush(stdout);
		while (getchar() != EOF)
			continue;
	}
	return 0;
}
