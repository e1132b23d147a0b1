/* SPDX-License-Identifier: MIT */
/* Programs that a test has made by the compiler, in a folder of its own. */
#ifndef COMPILED_H
#define COMPILED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char compiled_folder[64];

/* The whole of the text that a command prints; the command must do well. Valid until the next. */
static inline const char *shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static inline const char *shell(const char *format, ...)
{
	static char output[1 << 20];
	char command[1024];
	va_list arguments;

	va_start(arguments, format);
	int length = snprintf(command, sizeof(command), "cd '%s' || exit; ", compiled_folder);
	vsnprintf(command + length, sizeof(command) - (size_t)length, format, arguments);
	va_end(arguments);
	FILE *pipe = popen(command, "re");
	assert_non_null(pipe);
	size_t size = fread(output, 1, sizeof(output) - 1, pipe);
	output[size] = '\0';
	if (pclose(pipe) != 0)
		fail_msg("does not work: %s: %s", command, output);
	return output;
}

/* The path of a file in the folder. Valid until the fourth from now. */
static inline const char *compiled(const char *name)
{
	static char paths[4][256];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", compiled_folder, name);
	return path;
}

static inline void compiled_write(const char *name, const char *text)
{
	FILE *file = fopen(compiled(name), "we");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static inline int compiled_make_folder(void **state)
{
	(void)state;
	strcpy(compiled_folder, "/tmp/hotpath-test-XXXXXX");
	return mkdtemp(compiled_folder) ? 0 : -1;
}

static inline int compiled_remove_folder(void **state)
{
	(void)state;
	shell("rm -rf '%s'", compiled_folder);
	return 0;
}

static inline bool compiled_has(const char *command)
{
	char line[256];

	snprintf(line, sizeof(line), "command -v %s > /dev/null", command);
	return system(line) == 0;
}

#endif
