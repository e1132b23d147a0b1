/* SPDX-License-Identifier: MIT */
/* Whether the process that writes a segment is alive; used inside measured programs, so without malloc. */
#include "life.h"

#include "check.h"
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Creating a segment takes no longer than this: a younger file without a header may still be about to get it. */
#define MAKING_NS UINT64_C(60000000000)

bool hp_life_begin(int fd)
{
	struct flock lock = { .l_type = F_WRLCK };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (fcntl(fd, F_OFD_SETLK, &lock))
		return false;
	void *held = mmap(NULL, page, PROT_NONE, MAP_SHARED, fd, 0);
	if (held == MAP_FAILED)
		return false;
	if (madvise(held, page, MADV_DONTFORK) == 0)
		return true;
	/* Forked children would hold the lock as well. */
	munmap(held, page);
	return false;
}

/* The query does not take the lock: readers do not disturb each other, or a writer that is about to lock the file. */
bool hp_life_is_held(int fd)
{
	struct flock lock = { .l_type = F_WRLCK };

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static uint64_t namespace_number(const char *path)
{
	struct stat info;
	int saved_errno = errno;
	uint64_t number = stat(path, &info) == 0 ? (uint64_t)info.st_ino : 0;

	errno = saved_errno;
	return number;
}

uint64_t hp_life_pid_namespace(void)
{
	return namespace_number("/proc/self/ns/pid");
}

uint64_t hp_life_time_namespace(void)
{
	return namespace_number("/proc/self/ns/time");
}

void hp_life_boot(uint64_t id[2])
{
	char text[64] = "";
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (read(fd, text, sizeof(text) - 1) < 0)
			text[0] = '\0';
		close(fd);
	}
	hp_boot_parse(text, id);
}

bool hp_life_knows_pid(const struct hp_header *header)
{
	/* 0: the recorder could not find it out. */
	return !header->pid_namespace || header->pid_namespace == hp_life_pid_namespace();
}

/* Write a number in digits; returns the end. */
static char *put_number(char *at, uint32_t number)
{
	uint32_t unit = 1;

	while (number / unit >= 10)
		unit *= 10;
	for (; unit; unit /= 10)
		*at++ = (char)('0' + number / unit % 10);
	return at;
}

/* Search a file for a string, in pieces that overlap by its length. */
static bool file_has(int fd, const char *string)
{
	size_t length = strlen(string), kept = 0;
	char text[512];

	for (ssize_t got; (got = read(fd, text + kept, sizeof(text) - kept)) > 0;) {
		size_t size = kept + (size_t)got;
		if (memmem(text, size, string, length))
			return true;
		kept = size < length ? size : length;
		memmove(text, text + size - kept, kept);
	}
	return false;
}

/* Whether a process has mapped a file of this name. True also if the process exists and we may not read its
   mappings. */
static bool maps_name(uint32_t pid, const char *name)
{
	char path[32] = "/proc/";

	strcpy(put_number(path + strlen(path), pid), "/maps");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == EACCES;
	bool found = file_has(fd, name);
	close(fd);
	return found;
}

static bool is_young(uint64_t start_unix_ns)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	uint64_t ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
	return ns < start_unix_ns + MAKING_NS;
}

/* Whether a segment is of this boot; true also when that is not known. */
static bool is_this_boot(const struct hp_header *header)
{
	uint64_t boot[2];

	hp_life_boot(boot);
	return !memcmp(boot, header->boot_id, sizeof(boot)) || !header->boot_id[0] || !boot[0];
}

/* For a segment whose lock nobody holds: that proves nothing where the file system drops locks early. */
static bool may_write_unlocked(const struct hp_header *header, const char *name)
{
	if (header->lock_holds || !is_this_boot(header))
		return false;
	if (hp_life_knows_pid(header))
		return maps_name(header->pid, name);
	return header->state != HP_STATE_EXITED;
}

bool hp_life_goes_on_unlocked(const struct hp_header *header, const char *name)
{
	uint64_t start;
	uint32_t pid;

	if (header)
		return may_write_unlocked(header, name);
	return hp_place_parse(name, &pid, &start) && (is_young(start) || maps_name(pid, name));
}

bool hp_life_goes_on(int fd, const char *name)
{
	struct hp_header header;

	if (hp_life_is_held(fd))
		return true;
	/* Only the struct, not the whole header page: this may run on a small stack. */
	bool is_valid = pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
			!hp_check_header(&header, HP_HEADER_SIZE);
	return hp_life_goes_on_unlocked(is_valid ? &header : NULL, name);
}
