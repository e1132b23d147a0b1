/* SPDX-License-Identifier: MIT */
/*
 * Targets of input and output: files, peers, pipes. And how many bytes the kernel has counted, which tells how much of it
 * was recorded.
 */
#include "flow.h"

#include "calls/sites.h"
#include "elf_file.h"
#include "probe.h"
#include "process/clock.h"
#include "process/kernel_files.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/seccomp.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Some target is known, in this process or in one that it was forked from. And bytes that the C library will write when the
   process ends. */
static bool is_used;
static uint64_t pending_bytes;

/* The number after a key in /proc/self/io; 0 when there is none. */
static uint64_t number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	uint64_t number = 0;

	for (at = at ? at + strlen(key) : ""; *at >= '0' && *at <= '9'; at++)
		number = number * 10 + (uint64_t)(*at - '0');
	return number;
}

static uint64_t own_bytes(void)
{
	return load(&hotpath__read_bytes, RELAXED) + load(&hp_elf_read_bytes, RELAXED);
}

void hotpath__note_own_io(void)
{
	store(&hotpath__header()->io_own_bytes, own_bytes(), RELAXED);
}

/* What the kernel has counted so far, without what the recorder has read; 0 when that is not known. */
static uint64_t counted(void)
{
	uint64_t own = own_bytes();
	char text[256];

	hotpath__read_file("/proc/self/io", text, sizeof(text));
	uint64_t all = number_after(text, "rchar: ") + number_after(text, "wchar: ");
	return hotpath__less(all, own);
}

void hotpath__io_begins(void)
{
	if (is_used)
		store(&hotpath__header()->io_before, counted(), RELAXED);
}

void hotpath__note_io(struct hp_header *header)
{
	uint64_t bytes = is_used ? counted() : 0;
	struct rusage children;

	if (bytes <= header->io_before)
		return;
	store(&header->io_bytes, bytes - header->io_before + pending_bytes, RELAXED);
	if (syscall(SYS_getrusage, RUSAGE_CHILDREN, &children) == 0)
		store(&header->io_has_children, children.ru_minflt > 0, RELAXED);
}

void hotpath__io_pending(uint64_t bytes)
{
	pending_bytes = bytes;
}

uint32_t hotpath__target_site(const char *name, uint32_t medium)
{
	struct hotpath_site site = { name, NULL, medium, HP_SITE_TARGET, 0, 0 };

	if (hotpath__is_idle() || hotpath__ready() != STATE_RUNNING)
		return 0;
	if (!is_used) {
		is_used = true;
		hotpath__io_begins();
	}
	return hotpath__limited_site(&site);
}

uint32_t hotpath__target_find(const char *name, uint32_t medium)
{
	struct hotpath_site site = { name, NULL, medium, HP_SITE_TARGET, 0, 0 };

	if (hotpath__is_idle() || hotpath__ready() != STATE_RUNNING)
		return 0;
	return hotpath__site_find(&site);
}

bool hotpath__shares_memory(void)
{
	const struct recorder *recorder = load(&hotpath__recorder, RELAXED);
	int saved_errno = errno;
	pid_t pid = recorder && recorder->base ? getpid() : -1;

	errno = saved_errno;
	return pid > 0 && hotpath__header()->pid != (uint32_t)pid;
}

bool hotpath__probe_may(long number)
{
	return hotpath__may(number);
}
