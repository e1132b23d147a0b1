/* SPDX-License-Identifier: MIT */
/* The mappings of the process, as the kernel lists them: read without allocating, a piece at a time. */
#include "maps.h"

#include "atomic.h"
#include "kernel_files.h"

#include "recorder_state.h"
#include "seccomp.h"

#include <fcntl.h>
#include <unistd.h>

static void open_list(struct maps *maps, const char *path)
{
	maps->fd = open(path, O_RDONLY | O_CLOEXEC);
	maps->text = hotpath__recorder->scratch;
	maps->size = maps->at = 0;
	maps->is_over = maps->fd < 0;
}

void hotpath__maps_open(struct maps *maps)
{
	open_list(maps, "/proc/self/maps");
}

void hotpath__maps_open_resident(struct maps *maps)
{
	open_list(maps, "/proc/self/smaps");
}

void hotpath__maps_close(const struct maps *maps)
{
	if (maps->fd >= 0)
		close(maps->fd);
}

/* The next character, which is read again; '\0' at the end. */
static char peek(struct maps *maps)
{
	if (maps->at == maps->size && !maps->is_over) {
		ssize_t size = read(maps->fd, maps->text, HP_PATH_MAX);
		if (size > 0)
			fetch_add(&hotpath__read_bytes, (uint64_t)size, RELAXED);
		maps->size = size > 0 ? (size_t)size : 0;
		maps->at = 0;
		maps->is_over = size <= 0;
	}
	if (maps->at == maps->size)
		return '\0';
	return maps->text[maps->at];
}

static char next(struct maps *maps)
{
	char c = peek(maps);

	maps->at += c != '\0';
	return c;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Read a number, and the character after it. */
static uint64_t number(struct maps *maps, unsigned base)
{
	uint64_t value = 0;
	int d;

	while ((d = digit(next(maps))) >= 0)
		value = value * base + (unsigned)d;
	return value;
}

/* Skip blanks, and read the path up to the end of the line; a path that is too long is cut. */
static void rest(struct maps *maps, char path[HP_PATH_MAX])
{
	size_t length = 0;
	char c;

	do
		c = next(maps);
	while (c == ' ');
	for (; c && c != '\n'; c = next(maps))
		if (length < HP_PATH_MAX - 1)
			path[length++] = c;
	path[length] = '\0';
}

static void skip_line(struct maps *maps)
{
	for (char c = next(maps); c && c != '\n';)
		c = next(maps);
}

/* Further lines about a mapping begin with a name: "Rss:                 132 kB". */
static uint64_t resident(struct maps *maps)
{
	static const char name[] = "Rss:";
	uint64_t kilobytes = 0;

	while (peek(maps) >= 'A' && peek(maps) <= 'Z') {
		unsigned same = 0;
		while (name[same] && peek(maps) == name[same]) {
			next(maps);
			same++;
		}
		while (!name[same] && peek(maps) == ' ')
			next(maps);
		if (!name[same])
			kilobytes = number(maps, 10);
		skip_line(maps);
	}
	return kilobytes * 1024;
}

/* start-end rwxp offset major:minor inode path */
bool hotpath__maps_next(struct maps *maps, struct mapping *mapping)
{
	mapping->start = (uintptr_t)number(maps, 16);
	mapping->end = (uintptr_t)number(maps, 16);
	mapping->readable = next(maps) == 'r';
	mapping->writable = next(maps) == 'w';
	mapping->executable = next(maps) == 'x';
	for (char c = next(maps); c && c != ' ';)
		c = next(maps);
	mapping->offset = number(maps, 16);
	mapping->device = number(maps, 16) << 32;
	mapping->device |= number(maps, 16);
	mapping->inode = number(maps, 10);
	rest(maps, mapping->path);
	mapping->resident = resident(maps);
	return mapping->end != 0;
}

bool hotpath__maps_find(uintptr_t address, struct mapping *mapping)
{
	struct maps maps;
	bool found = false;

	hotpath__maps_open(&maps);
	while (!found && hotpath__maps_next(&maps, mapping))
		found = mapping->start <= address && address < mapping->end;
	hotpath__maps_close(&maps);
	return found;
}
