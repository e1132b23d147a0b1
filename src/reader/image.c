/* SPDX-License-Identifier: MIT */
/*
 * A copy of a segment's file. A copy, because a file that somebody else can shorten must not be mapped:
 * reading past its end would raise SIGBUS.
 */
#include "reader.h"

#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* As many bytes as there are, up to a number. */
static ssize_t read_at(int fd, char *into, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, into + done, size - done, (off_t)done);
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

/* The used part of the file. */
static int copy(int fd, struct hp_image *image, struct hp_error *error)
{
	union {
		struct hp_header header;
		char bytes[HP_HEADER_SIZE];
	} first;
	struct stat info;
	int problem = check(&first.header, read_at(fd, first.bytes, sizeof(first)), error);

	if (problem)
		return problem;
	if (fstat(fd, &info))
		return fail(error, -errno, strerror(errno));
	if (first.header.used < HP_HEADER_SIZE || first.header.used > (uint64_t)info.st_size)
		return fail(error, -EINVAL, "it is cut short");
	image->bytes = malloc(first.header.used);
	if (!image->bytes)
		return fail(error, -ENOMEM, strerror(ENOMEM));
	ssize_t size = read_at(fd, image->bytes, first.header.used);
	image->size = size > 0 ? (size_t)size : 0;
	return check(image->bytes, size, error);
}

/*
 * Whether the copy is of one session, not begun anew meanwhile, and holds whatever its header may lead to:
 * the file may have grown between the look at its size and the copy.
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

int hp_image_copy(int file, struct hp_image *image, struct hp_error *reason)
{
	static const struct timespec moment = { 0, 1000000 };

	for (int i = 0;; i++) {
		int problem = copy(file, image, reason);
		/* A program that died while it began anew stays inconsistent: show what there is. */
		if (!problem && (consistent(file, image) || i == TRIES))
			return 0;
		hp_image_free(image);
		if (problem)
			return problem;
		nanosleep(&moment, NULL);
	}
}

int hp_image_read(const char *path, uint32_t owner, struct hp_image *image, struct hp_error *error)
{
	int file = hp_segment_open(path, owner), problem = file;
	struct hp_error reason = { "" };

	*image = (struct hp_image){ NULL, 0 };
	if (file < 0)
		fail(&reason, file, file == -EINVAL ? "it is not a file" : strerror(-file));
	else
		problem = hp_image_copy(file, image, &reason);
	if (problem)
		snprintf(error->text, sizeof(error->text), "%.128s: %.120s", path, reason.text);
	if (file >= 0)
		close(file);
	return problem < 0 ? problem : 0;
}

void hp_image_free(struct hp_image *image)
{
	free(image->bytes);
	*image = (struct hp_image){ NULL, 0 };
}
