/* SPDX-License-Identifier: MIT */
/*
 * The resident memory of the process, and the profiler's part of it.
 *
 * The kernel tells for each page whether it is resident (/proc/self/pagemap). The profiler's are those of the
 * segment, of the regions that the recorder has mapped, and of our libraries.
 */
#include "process/room.h"

#include "mapped.h"
#include "own_file.h"
#include "process/kernel_files.h"
#include "process/maps.h"
#include "process/recorder_state.h"
#include "process/seccomp.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/** Memory that the recorder has mapped. */
struct hotpath__region {
	struct hotpath__region *next;
	uintptr_t start;
	size_t size;
};

void hotpath__own_region(const void *start, size_t size)
{
	struct recorder *recorder = hotpath__recorder;
	struct hotpath__region *region = hotpath__private(sizeof(*region));

	if (!region)
		return;
	*region = (struct hotpath__region){ recorder->regions, (uintptr_t)start, size };
	recorder->regions = region;
}

void hotpath__unlock_regions(void)
{
	const struct hotpath__region *region = hotpath__recorder->regions;

	for (; region; region = region->next)
		munlock((const void *)region->start, region->size);
}

/* The second number in /proc/self/statm is the number of resident pages. */
static uint64_t all_pages(void)
{
	char text[64];
	uint64_t pages = 0;

	hotpath__read_file("/proc/self/statm", text, sizeof(text));
	const char *at = strchr(text, ' ');
	for (at = at ? at + 1 : ""; *at >= '0' && *at <= '9'; at++)
		pages = pages * 10 + (uint64_t)(*at - '0');
	return pages;
}

uint64_t hotpath__rss(void)
{
	return all_pages() * hotpath__page_size();
}

/* The file has a word for each page; its highest bit says that the page is resident. The lock is held: the words are not on the
   stack, which may be that of a signal handler that calls _exit. */
static uint64_t pages_between(int pagemap, uintptr_t start, uintptr_t end)
{
	static uint64_t words[128];
	uint64_t pages = 0, page = hotpath__page_size();
	uint64_t at = start / page, last = (end + page - 1) / page;

	while (at < last) {
		size_t wanted = last - at < 128 ? last - at : 128;
		ssize_t got = pread(pagemap, words, wanted * sizeof(*words),
				    (off_t)(at * sizeof(*words)));
		if (got < (ssize_t)sizeof(*words))
			break;
		for (size_t i = 0; i < (size_t)got / sizeof(*words); i++)
			pages += words[i] >> 63;
		at += (uint64_t)got / sizeof(*words);
	}
	return pages;
}

uint64_t hotpath__resident_between(int pagemap, uintptr_t start, uintptr_t end)
{
	return pages_between(pagemap, start, end) * hotpath__page_size();
}

uint64_t hotpath__resident_own(int pagemap, uintptr_t start, uintptr_t end)
{
	const struct hotpath__region *region = hotpath__recorder->regions;
	uint64_t bytes = 0;

	for (; region; region = region->next) {
		uintptr_t low = region->start > start ? region->start : start;
		uintptr_t high = region->start + region->size;
		high = high < end ? high : end;
		bytes += low < high ? hotpath__resident_between(pagemap, low, high) : 0;
	}
	return bytes;
}

/* Variables without a value in the file (.bss) are in anonymous memory directly behind it. */
static uint64_t library_pages(int pagemap)
{
	static struct mapping mapping;
	uintptr_t end = 0;
	uint64_t pages = 0;
	struct maps maps;

	hotpath__maps_open(&maps);
	while (hotpath__maps_next(&maps, &mapping)) {
		bool is_behind = mapping.start == end && !mapping.path[0];
		if (!is_behind && !hp_is_own_file(mapping.path))
			continue;
		pages += pages_between(pagemap, mapping.start, mapping.end);
		end = is_behind ? 0 : mapping.end;
	}
	hotpath__maps_close(&maps);
	return pages;
}

static uint64_t own_pages(const struct recorder *recorder)
{
	uintptr_t base = (uintptr_t)recorder->base, self = (uintptr_t)recorder;
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (pagemap < 0)
		return 0;

	uint64_t pages = pages_between(pagemap, base, base + recorder->usable) +
			 pages_between(pagemap, self, self + sizeof(*recorder)) +
			 library_pages(pagemap);
	for (const struct hotpath__region *region = recorder->regions; region;
	     region = region->next)
		pages += pages_between(pagemap, region->start, region->start + region->size);
	close(pagemap);
	return pages;
}

void hotpath__note_memory(struct hp_header *header)
{
	uint64_t page = hotpath__page_size(), now = hotpath__rss(), peak = 0;
	uint64_t own = own_pages(hotpath__recorder) * page;
	struct rusage usage;

	/* The file cannot be read, as under a seccomp filter: the figures that were stored before stay. */
	if (!now)
		return;
	if (getrusage(RUSAGE_SELF, &usage) == 0)
		peak = (uint64_t)usage.ru_maxrss * 1024;
	store(&header->rss_bytes, now, RELAXED);
	store(&header->own_rss_bytes, own < now ? own : 0, RELAXED);
	/* The kernel updates the peak only from time to time, so it may be less than the present value. */
	store(&header->peak_rss_bytes, peak > now ? peak : now, RELAXED);
	hotpath__note_kinds(header);
}
