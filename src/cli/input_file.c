/* SPDX-License-Identifier: MIT */
/* Reads an untrusted file or pipe into a text. */
#include "input_file.h"

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file of holes is large and takes no room: it is not read at all. */
static bool is_larger(int file, size_t most)
{
	struct stat info;

	return fstat(file, &info) == 0 && S_ISREG(info.st_mode) && (uint64_t)info.st_size > most;
}

int input_read(int file, size_t most, struct hp_text *text)
{
	char buffer[65536];
	ssize_t got;

	if (is_larger(file, most))
		return -EFBIG;
	while ((got = read(file, buffer, sizeof(buffer))) != 0) {
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			hp_text_add(text, buffer, (size_t)got);
		if (text->failed)
			return -ENOMEM;
		if (text->length > most)
			return -EFBIG;
	}
	return 0;
}
