/* SPDX-License-Identifier: MIT */
/* The text of source files, which is untrusted input: only regular files, of a limited size. */
#include "source_text.h"

#include "array.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	/* Generated sources may have some megabytes. */
	SIZE_MAX_BYTES = 16 << 20,
	TAB = 8,
};

/* ---- files ---- */

/* Returns a descriptor, or -1. A pipe or a device is neither waited for nor read. */
static int open_regular(const char *path, struct stat *info)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (file >= 0 &&
	    (fstat(file, info) || !S_ISREG(info->st_mode) || info->st_size > SIZE_MAX_BYTES)) {
		close(file);
		file = -1;
	}
	return file;
}

/* The path itself, then its ends in the current folder, the longest first: "/build/a/b.c", "build/a/b.c", "a/b.c", "b.c". */
static int open_near(const char *path, struct stat *info)
{
	int file = open_regular(path, info);

	while (file < 0 && (path = strchr(path, '/'))) {
		path += strspn(path, "/");
		if (*path)
			file = open_regular(path, info);
	}
	return file;
}

/* The file may be cut short meanwhile. */
static size_t read_all(int file, char *bytes, size_t size)
{
	size_t done = 0;
	ssize_t more;

	while (done < size && (more = read(file, bytes + done, size - done)) > 0)
		done += (size_t)more;
	return done;
}

static bool split(struct hp_source_text *source, size_t size)
{
	size_t room = 0;
	char *at = source->bytes, *end = at + size;

	while (at < end) {
		char *line_end = memchr(at, '\n', (size_t)(end - at));
		if (!hp_array_reserve(&source->starts, source->count, &room,
				      sizeof(*source->starts)))
			return false;
		source->starts[source->count++] = (uint32_t)(at - source->bytes);
		if (!line_end)
			break;
		*line_end = '\0';
		if (line_end > at && line_end[-1] == '\r')
			line_end[-1] = '\0';
		at = line_end + 1;
	}
	return true;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

static void read_source(struct hp_source_text *source, const char *program)
{
	struct stat info, built;
	int file = open_near(source->path, &info);
	if (file < 0)
		return;

	source->bytes = malloc((size_t)info.st_size + 1);
	size_t size = source->bytes ? read_all(file, source->bytes, (size_t)info.st_size) : 0;
	close(file);
	if (!source->bytes)
		return;
	source->bytes[size] = '\0';
	if (!split(source, size))
		source->count = 0;
	source->is_newer = program && stat(program, &built) == 0 &&
			   is_later(&info.st_mtim, &built.st_mtim);
}

/* ---- those that were read ---- */

const struct hp_source_text *hp_sources_find(struct hp_sources *sources, const char *path,
					     const char *program)
{
	size_t at = 0;

	while (at < sources->count && strcmp(sources->items[at].path, path) != 0)
		at++;
	if (at == sources->count) {
		char *copy = strdup(path);
		if (!copy || !hp_array_reserve(&sources->items, sources->count, &sources->room,
					       sizeof(*sources->items))) {
			free(copy);
			return NULL;
		}
		sources->items[sources->count++] = (struct hp_source_text){ .path = copy };
		read_source(&sources->items[at], program);
	}
	return sources->items[at].count ? &sources->items[at] : NULL;
}

void hp_sources_free(struct hp_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		free(sources->items[i].path);
		free(sources->items[i].bytes);
		free(sources->items[i].starts);
	}
	free(sources->items);
	*sources = (struct hp_sources){ .items = NULL };
}

/* ---- lines ---- */

static void put_tab(struct hp_text *text, size_t *column, size_t width)
{
	do
		hp_text_putc(text, ' ');
	while (++*column % TAB && *column < width);
}

/* Add the character that a string begins with; returns its bytes. */
static size_t put_character(struct hp_text *text, const char *string)
{
	uint32_t code = 0;
	size_t length = hp_utf8_read(string, &code);

	if (length && !hp_utf8_is_control(code))
		hp_text_add(text, string, length);
	else
		hp_text_putc(text, '?');
	return length ? length : 1;
}

bool hp_source_put_line(const struct hp_source_text *source, uint32_t line, size_t width,
			struct hp_text *text)
{
	if (!source || line == 0 || line > source->count)
		return false;
	const char *at = &source->bytes[source->starts[line - 1]];

	/* The last column is for the rest of the line, or for "…". */
	for (size_t column = 0; *at && column < width;) {
		if (column + 1 == width && hp_utf8_count(at) > 1) {
			hp_text_puts(text, "…");
			break;
		}
		if (*at == '\t') {
			put_tab(text, &column, width);
			at++;
		} else {
			at += put_character(text, at);
			column++;
		}
	}
	return true;
}
