/* SPDX-License-Identifier: MIT */
/* The file of a segment, open and mapped for as long as it is watched. */
#include "mapping.h"

#include "atomic.h"
#include "check.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Map this much beyond the used part: what the program allocates during a read would be missing until the next one.
 */
#define AHEAD ((uint64_t)16 << 20)

static struct {
	struct sigaction before;
	char *begin;
	char *end;
	volatile sig_atomic_t was_cut;
} guard;

static int fail(struct hp_error *error, int why, const char *reason)
{
	snprintf(error->text, sizeof(error->text), "%s", reason);
	return why;
}

/* Map zeros from here on. mmap is a plain system call, which a handler may make. */
static void on_bus_error(int signal, siginfo_t *info, void *context)
{
	char *at = info->si_addr;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)context;
	if (at >= guard.begin && at < guard.end) {
		at -= (size_t)(at - guard.begin) % page;
		guard.was_cut = 1;
		if (mmap(at, (size_t)(guard.end - at), PROT_READ,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
			return;
	}
	/* Not our mapping: restore the previous action, and the signal is raised again. */
	sigaction(signal, &guard.before, NULL);
}

static void set_guard(const struct hp_mapping *mapping)
{
	struct sigaction action = { .sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO };

	sigemptyset(&action.sa_mask);
	guard.begin = mapping->bytes;
	guard.end = guard.begin + mapping->room;
	guard.was_cut = 0;
	sigaction(SIGBUS, &action, &guard.before);
}

static void unmap(struct hp_mapping *mapping)
{
	if (mapping->bytes)
		munmap(mapping->bytes, mapping->room);
	mapping->bytes = NULL;
	mapping->room = mapping->size = 0;
}

static int read_header(const struct hp_mapping *mapping, uint64_t *used, struct hp_error *error)
{
	union {
		struct hp_header header;
		char bytes[HP_HEADER_SIZE];
	} first;
	ssize_t size = pread(mapping->file, first.bytes, sizeof(first), 0);

	if (size < 0)
		return fail(error, -errno, strerror(errno));
	const char *problem = hp_check_header(first.bytes, (size_t)size);
	if (problem)
		return fail(error, strstr(problem, "version") ? -ENOTSUP : -EINVAL, problem);
	*used = first.header.used;
	return 0;
}

/* Map what may be read now. A mapping that is large enough is kept. */
static int map(struct hp_mapping *mapping, uint64_t used, uint64_t file_size,
	       struct hp_error *error)
{
	uint64_t wanted = file_size - used > AHEAD ? used + AHEAD : file_size;

	if (mapping->room < wanted) {
		uint64_t room = file_size - wanted > AHEAD * 4 ? wanted + AHEAD * 4 : file_size;
		void *bytes = mmap(NULL, room, PROT_READ, MAP_SHARED, mapping->file, 0);
		if (bytes == MAP_FAILED)
			return fail(error, -errno, strerror(errno));
		unmap(mapping);
		mapping->bytes = bytes;
		mapping->room = room;
	}
	mapping->size = wanted;
	return 0;
}

static int renew(struct hp_mapping *mapping, struct hp_error *error)
{
	struct stat info;
	uint64_t used = 0;
	int failed = read_header(mapping, &used, error);

	if (failed)
		return failed;
	if (fstat(mapping->file, &info))
		return fail(error, -errno, strerror(errno));
	const char *problem = hp_check_used(used, (uint64_t)info.st_size);
	if (problem)
		return fail(error, -EINVAL, problem);
	return map(mapping, used, (uint64_t)info.st_size, error);
}

int hp_mapping_open(struct hp_mapping *mapping, const char *path, uint32_t user,
		    struct hp_error *error)
{
	struct hp_error reason = { "" };

	*mapping = (struct hp_mapping){ .file = hp_segment_open(path, user) };
	int failed = mapping->file < 0 ? mapping->file : 0;
	if (failed)
		fail(&reason, failed,
		     failed == -EINVAL ? "it is not a regular file" : strerror(-failed));
	else
		failed = renew(mapping, &reason);
	snprintf(mapping->path, sizeof(mapping->path), "/proc/self/fd/%d", mapping->file);
	if (failed) {
		snprintf(error->text, sizeof(error->text), "%.128s: %.120s", path, reason.text);
		hp_mapping_close(mapping);
	}
	return failed;
}

int hp_mapping_begin(struct hp_mapping *mapping, struct hp_error *error)
{
	int failed = renew(mapping, error);

	if (!failed)
		set_guard(mapping);
	return failed;
}

ssize_t hp_mapping_read(struct hp_mapping *mapping, void *into, size_t size, uint64_t at)
{
	return pread(mapping->file, into, size, (off_t)at);
}

void hp_mapping_rest(struct hp_mapping *mapping)
{
	madvise(mapping->bytes, mapping->room, MADV_DONTNEED);
}

int hp_mapping_end(struct hp_mapping *mapping, struct hp_error *error)
{
	sigaction(SIGBUS, &guard.before, NULL);
	if (!guard.was_cut)
		return 0;
	unmap(mapping);
	return fail(error, -EINVAL, "it was cut short");
}

void hp_mapping_close(struct hp_mapping *mapping)
{
	unmap(mapping);
	if (mapping->file >= 0)
		close(mapping->file);
	mapping->file = -1;
}
