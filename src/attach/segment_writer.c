/* SPDX-License-Identifier: MIT */
/*
 * A segment that the tool writes for another process.
 *
 * The file grows by fallocate, which fails where the file system is full; a hole in the file would raise SIGBUS then. The
 * mapping has its full size from the start, so nothing in it ever moves.
 */
#include "segment_writer.h"

#include "arithmetic.h"
#include "atomic.h"
#include "life.h"
#include "now.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The most that a segment may grow to, and the steps in which it does. */
#define CAPACITY (UINT64_C(256) << 20)
#define STEP (UINT64_C(1) << 20)
#define LEAST (UINT64_C(64) << 10)

/* A file that grows beyond RLIMIT_FSIZE would raise SIGXFSZ. */
static uint64_t capacity_of(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur >= CAPACITY)
		return CAPACITY;
	return limit.rlim_cur / 4096 * 4096;
}

static bool grow(struct hp_segment_writer *writer, uint64_t needed)
{
	uint64_t room = hp_min(hp_max(needed, writer->room + STEP), writer->capacity);

	if (needed > room || posix_fallocate(writer->file, 0, (off_t)room))
		return false;
	writer->room = room;
	return true;
}

uint64_t hp_segment_writer_take(struct hp_segment_writer *writer, uint64_t size)
{
	uint64_t at = writer->used, end = at + ((size + 63) & ~UINT64_C(63));

	if (end > writer->room && !grow(writer, end))
		return 0;
	writer->used = end;
	/* Pairs with the reader's ACQUIRE: all below it can be read. */
	store(&hp_segment_writer_header(writer)->used, end, RELEASE);
	return at;
}

uint64_t hp_segment_writer_string(struct hp_segment_writer *writer, const char *string)
{
	size_t length = strlen(string);
	uint64_t at = hp_segment_writer_take(writer, sizeof(struct hp_string) + length + 1);

	if (!at)
		return 0;
	struct hp_string *stored = hp_segment_writer_at(writer, at);
	stored->length = (uint32_t)length;
	memcpy(stored->bytes, string, length + 1);
	return at;
}

static bool map_file(struct hp_segment_writer *writer)
{
	void *base = MAP_FAILED;

	writer->capacity = capacity_of();
	int why = writer->capacity < LEAST ? EFBIG : posix_fallocate(writer->file, 0, (off_t)LEAST);
	if (!why) {
		writer->room = LEAST;
		writer->used = HP_HEADER_SIZE;
		base = mmap(NULL, writer->capacity, PROT_READ | PROT_WRITE, MAP_SHARED,
			    writer->file, 0);
		why = errno;
	}
	writer->base = base == MAP_FAILED ? NULL : base;
	errno = why;
	return writer->base;
}

/* The lock belongs to an open file description of its own: it must not end when the file is closed. */
static bool make_file(struct hp_segment_writer *writer, int folder, const char *name,
		      bool *lock_holds)
{
	int lock = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (lock < 0)
		return false;
	bool locked = hp_life_begin(lock);
	close(lock);
	writer->file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (writer->file >= 0 && map_file(writer)) {
		*lock_holds = locked && hp_life_is_held(writer->file);
		return true;
	}
	int why = errno;
	if (writer->file >= 0)
		close(writer->file);
	unlinkat(folder, name, 0);
	errno = why;
	return false;
}

static void begin_header(struct hp_segment_writer *writer, uint32_t pid, uint64_t start_unix_ns,
			 bool lock_holds)
{
	struct hp_header *header = hp_segment_writer_header(writer);
	uint64_t now = hp_now_ns();

	memcpy(header->magic, HP_MAGIC, sizeof(HP_MAGIC));
	header->version_major = HP_VERSION_MAJOR;
	header->version_minor = HP_VERSION_MINOR;
	header->byte_order = HP_BYTE_ORDER;
	header->header_size = HP_HEADER_SIZE;
	header->lane_size = sizeof(struct hp_lane);
	header->stat_size = sizeof(struct hp_stat);
	header->node_size = sizeof(struct hp_node);
	header->used = writer->used;
	header->capacity = writer->capacity;
	header->pid = pid;
	header->session = 1;
	header->clock = HP_CLOCK_MONOTONIC;
	header->ticks_per_second = UINT64_C(1000000000);
	header->start = header->latest = (struct hp_moment){ now, now };
	header->start_unix_ns = start_unix_ns;
	header->lock_holds = lock_holds;
	header->pid_namespace = hp_life_pid_namespace();
	header->time_namespace = hp_life_time_namespace();
	hp_life_boot(header->boot_id);
}

static bool create_in(struct hp_segment_writer *writer, uint32_t pid)
{
	uint64_t start;
	struct timespec now;
	bool lock_holds;
	char name[64];

	if (mkdir(writer->path, 0700) && errno != EEXIST)
		return false;
	int folder = hp_place_open(writer->path, geteuid());
	if (folder < 0)
		return false;
	clock_gettime(CLOCK_REALTIME, &now);
	start = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
	hp_place_name(name, sizeof(name), pid, start);
	bool made = make_file(writer, folder, name, &lock_holds);
	int why = errno;
	close(folder);
	errno = why;
	if (!made)
		return false;
	size_t length = strlen(writer->path);
	snprintf(writer->path + length, sizeof(writer->path) - length, "/%s", name);
	begin_header(writer, pid, start, lock_holds);
	return true;
}

int hp_segment_writer_create(struct hp_segment_writer *writer, uint32_t pid)
{
	int why = ENAMETOOLONG;

	for (unsigned nth = 0; hp_place_folder(nth, writer->path); nth++) {
		if (create_in(writer, pid))
			return 0;
		why = errno;
	}
	/* The first choice is the one that a message names. */
	hp_place_folder(0, writer->path);
	return -why;
}

void hp_segment_writer_close(struct hp_segment_writer *writer)
{
	uint64_t used = writer->used;

	if (!writer->base)
		return;
	munmap(writer->base, writer->capacity);
	/* If the rest cannot be cut off, that does no harm. */
	(void)!ftruncate(writer->file, (off_t)used);
	close(writer->file);
	*writer = (struct hp_segment_writer){ .file = -1 };
}
