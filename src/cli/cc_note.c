/* SPDX-License-Identifier: MIT */
/*
 * Stores the rules for functions as an ELF note in the program; the recorder reads it at run time.
 *
 *	4 bytes    length of the owner's name    8
 *	4 bytes    length of the text, with its NUL
 *	4 bytes    type                          1
 *	8 bytes    owner                         "hotpath"
 *	           text                          "only parse_*\nmin-size 64\n"
 *	           zeros up to a multiple of 4
 *
 * An assembler source is compiled by the compiler that links, so the object is for the right machine; and unlike C,
 * its meaning does not depend on the user's options.
 */
#include "cc_note.h"

#include "note.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char owner[] = HP_NOTE_OWNER;

/* As numbers, because assemblers differ in how they quote strings. */
static void add_bytes(struct hp_text *source, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hp_text_printf(source, "\t.byte %u\n", (unsigned char)bytes[i]);
}

/* The second section says that the program's stack need not be executable. */
static void write_source(struct hp_text *source, const char *text)
{
	size_t length = strlen(text) + 1;

	hp_text_puts(source, "\t.section .note.hotpath,\"a\",%note\n\t.balign 4\n");
	hp_text_printf(source, "\t.4byte %zu\n\t.4byte %zu\n\t.4byte %d\n", sizeof(owner), length,
		       HP_NOTE_SELECTION);
	add_bytes(source, owner, sizeof(owner));
	add_bytes(source, text, length);
	hp_text_puts(source, "\t.balign 4\n\t.section .note.GNU-stack,\"\",%progbits\n");
}

static int write_file(int descriptor, const struct hp_text *source)
{
	if (source->failed)
		return -ENOMEM;
	for (size_t done = 0; done < source->length;) {
		ssize_t wrote = write(descriptor, source->bytes + done, source->length - done);
		if (wrote < 0)
			return -errno;
		done += (size_t)wrote;
	}
	return 0;
}

int cc_note_write(const char *text, char path[PATH_MAX])
{
	const char *folder = getenv("TMPDIR");
	struct hp_text source = HP_TEXT_INIT;

	if (snprintf(path, PATH_MAX, "%s/hotpath-XXXXXX.s", folder && *folder ? folder : "/tmp") >=
	    PATH_MAX)
		return -ENAMETOOLONG;
	int descriptor = mkostemps(path, 2, O_CLOEXEC);
	if (descriptor < 0)
		return -errno;

	write_source(&source, text);
	int error = write_file(descriptor, &source);
	if (close(descriptor) < 0 && !error)
		error = -errno;
	if (error)
		unlink(path);
	hp_text_free(&source);
	return error;
}
