/* SPDX-License-Identifier: MIT */
/*
 * A copy of a segment's file. A copy, because a file that somebody else can shorten must not be mapped:
 * reading past its end would raise SIGBUS.
 */
#include "reader.h"

#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	/* A program may be beginning a new session while its segment is copied. */
	TRIES = 50,
};

static int fail(struct hp_error *error, int why, const char *reason)
{
	snprintf(error->text, sizeof(error->text), "%s", reason);
	return why;
}

/* Read up to size bytes, fewer only at the end of the file. */
static ssize_t read_at(int fd, char *into, size_t size, off_t at)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, into + done, size - done, at + (off_t)done);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			break;
		done += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)done;
}

static int check(const struct hp_header *header, ssize_t size, struct hp_error *error)
{
	if (size < 0)
		return fail(error, (int)size, strerror((int)-size));
	const char *problem = hp_check_header(header, (size_t)size);
	if (problem)
		return fail(error, strstr(problem, "version") ? -ENOTSUP : -EINVAL, problem);
	return 0;
}

/* Find the next part of the file before an end that is not a hole. */
static bool next_data(int fd, off_t from, off_t end, off_t *begin, off_t *behind)
{
	*begin = lseek(fd, from, SEEK_DATA);
	if (*begin < 0 || *begin >= end)
		return false;
	*behind = lseek(fd, *begin, SEEK_HOLE);
	if (*behind < 0 || *behind > end)
		*behind = end;
	return true;
}

/*
 * Copy the data of the file into zeroed memory, without its holes: a segment may use a few pages and have a size of
 * gigabytes.
 */
static int copy_data(int fd, char *into, off_t size)
{
	off_t begin, end;

	for (off_t at = 0; next_data(fd, at, size, &begin, &end);) {
		ssize_t got = read_at(fd, into + begin, (size_t)(end - begin), begin);
		if (got < 0)
			return (int)got;
		/* Holes may be punched while we read: always move on. */
		at = end > at ? end : at + 1;
	}
	return 0;
}

/* The used part of the file. */
static int copy(int fd, struct hp_image *image, struct hp_error *error)
{
	union {
		struct hp_header header;
		char bytes[HP_HEADER_SIZE];
	} first;
	struct stat info;
	int problem = check(&first.header, read_at(fd, first.bytes, sizeof(first), 0), error);

	if (problem)
		return problem;
	if (fstat(fd, &info))
		return fail(error, -errno, strerror(errno));
	const char *damage = hp_check_used(first.header.used, (uint64_t)info.st_size);
	if (damage)
		return fail(error, -EINVAL, damage);
	size_t size = first.header.used;
	void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED)
		return fail(error, -errno, strerror(errno));
	*image = (struct hp_image){ bytes, size };
	problem = copy_data(fd, bytes, (off_t)size);
	return check(bytes, problem ? problem : (ssize_t)size, error);
}

/*
 * Whether the copy belongs to one session, and contains everything that its header refers to: a new session may have
 * begun, or the file may have grown, while it was copied.
 */
static bool consistent(int fd, const struct hp_image *image)
{
	const struct hp_header *copied = image->bytes;
	uint32_t session;

	if (copied->used > image->size)
		return false;
	if (pread(fd, &session, sizeof(session), offsetof(struct hp_header, session)) !=
	    sizeof(session))
		return true;
	return copied->session == session;
}

/* The reason does not name the file. */
static int copy_open(int file, struct hp_image *image, struct hp_error *reason)
{
	static const struct timespec moment = { 0, 1000000 };

	for (int i = 0;; i++) {
		int problem = copy(file, image, reason);
		/*
		 * If the program died while it began a new session, the file stays inconsistent: show what there is.
		 */
		if (!problem && (consistent(file, image) || i == TRIES))
			return 0;
		hp_image_free(image);
		if (problem)
			return problem;
		nanosleep(&moment, NULL);
	}
}

int hp_image_read(const char *path, uint32_t user, struct hp_image *image, struct hp_error *error)
{
	int file = hp_segment_open(path, user), problem = file;
	struct hp_error reason = { "" };

	*image = (struct hp_image){ NULL, 0 };
	if (file < 0)
		fail(&reason, file, file == -EINVAL ? "it is not a regular file" : strerror(-file));
	else
		problem = copy_open(file, image, &reason);
	if (problem)
		snprintf(error->text, sizeof(error->text), "%.128s: %.120s", path, reason.text);
	if (file >= 0)
		close(file);
	return problem < 0 ? problem : 0;
}

void hp_image_free(struct hp_image *image)
{
	if (image->bytes)
		munmap(image->bytes, image->size);
	*image = (struct hp_image){ NULL, 0 };
}
