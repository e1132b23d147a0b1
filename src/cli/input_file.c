/* SPDX-License-Identifier: MIT */
/* Reads an untrusted file or pipe into a text. */
#include "input_file.h"

#include <errno.h>
#include <unistd.h>

int input_read(int file, size_t most, struct hp_text *text)
{
	char buffer[65536];
	ssize_t got;

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
