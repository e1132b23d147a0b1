/* SPDX-License-Identifier: MIT */
/* Whole texts that a test expects, in the folder $GOLDEN; with GOLDEN_WRITE=1 they are made anew. */
#ifndef GOLDEN_TEXT_H
#define GOLDEN_TEXT_H

#include "text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static inline void read_golden(const char *path, struct hp_text *content)
{
	char bytes[4096];
	size_t size;
	FILE *file = fopen(path, "r");

	if (!file)
		fail_msg("%s cannot be read", path);
	while ((size = fread(bytes, 1, sizeof(bytes), file)))
		hp_text_add(content, bytes, size);
	fclose(file);
}

static inline void write_golden(const char *path, const struct hp_text *text)
{
	FILE *file = fopen(path, "w");

	if (!file)
		fail_msg("%s cannot be written", path);
	assert_int_equal(fwrite(text->bytes, 1, text->length, file), text->length);
	assert_int_equal(fclose(file), 0);
}

/* A text is that of this name. */
static inline void assert_is_golden(const struct hp_text *text, const char *name)
{
	const char *folder = getenv("GOLDEN");
	struct hp_text golden = HP_TEXT_INIT;
	char path[512];

	if (!folder)
		fail_msg("GOLDEN has to be the folder of golden texts");
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (getenv("GOLDEN_WRITE"))
		write_golden(path, text);
	read_golden(path, &golden);
	assert_string_equal(text->bytes, golden.bytes);
	hp_text_free(&golden);
}

#endif
