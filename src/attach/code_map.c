/* SPDX-License-Identifier: MIT */
/* The code that a process has mapped: finds the module of an address, and stores modules in the segment. */
#include "code_map.h"

#include "array.h"
#include "atomic.h"
#include "lower_bound.h"
#include "now.h"
#include "parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Mappings are read again because of an unknown address at most once in so much time. */
#define AGAIN_NS UINT64_C(100000000)

static const char vdso[] = "[vdso]";

/* ---- the file of a mapping ---- */

/* Whether the first path leads to a file, and the second does not lead to the same one. */
static bool is_other_file(const char *first, const char *second)
{
	struct stat one, other;

	return stat(first, &one) == 0 &&
	       (stat(second, &other) || one.st_dev != other.st_dev || one.st_ino != other.st_ino);
}

/* Cut off what the kernel adds to the path of a file that is gone. Returns whether it was there. */
static bool cut_deleted(char *path)
{
	static const char gone[] = " (deleted)";
	size_t length = strlen(path), less = sizeof(gone) - 1;

	if (length <= less || strcmp(path + length - less, gone) != 0)
		return false;
	path[length - less] = '\0';
	return true;
}

/* A file that was deleted, because a newer one was installed: root can open what is mapped, others the executable. */
static void find_deleted(const struct hp_code_map *map, const struct hp_code_range *range,
			 char path[HP_PATH_MAX])
{
	char mapped[96], executable[HP_PATH_MAX], link[32];

	snprintf(mapped, sizeof(mapped), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64,
		 map->pid, range->start, range->end);
	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", map->pid);
	ssize_t length = readlink(link, executable, sizeof(executable) - 1);
	executable[length > 0 ? length : 0] = '\0';
	if (cut_deleted(executable) && strcmp(executable, path) == 0)
		snprintf(path, HP_PATH_MAX, "%s", link);
	else if (access(mapped, R_OK) == 0)
		snprintf(path, HP_PATH_MAX, "%s", mapped);
}

/* Open a file as the process sees it, which may have another root; `path` becomes the one by which we see it. */
static int open_file(const struct hp_code_map *map, const struct hp_code_range *range,
		     struct hp_elf *elf, char path[HP_PATH_MAX])
{
	char inside[HP_PATH_MAX + 32];

	if (strcmp(path, vdso) == 0)
		return hp_elf_open_vdso(elf);
	if (cut_deleted(path)) {
		find_deleted(map, range, path);
		return hp_elf_open(elf, path);
	}
	snprintf(inside, sizeof(inside), "/proc/%" PRIu32 "/root%s", map->pid, path);
	if (is_other_file(inside, path))
		snprintf(path, HP_PATH_MAX, "%.*s", HP_PATH_MAX - 1, inside);
	return hp_elf_open(elf, path);
}

/* The difference between addresses in memory and in the file, from the program header of the mapped part. Without one it is
   assumed that addresses in the file are offsets. */
static uint64_t bias_of(const struct hp_elf *elf, uint64_t start, uint64_t end, uint64_t offset)
{
	Elf64_Phdr part;

	for (unsigned i = 0; elf && hp_elf_program_header(elf, i, &part); i++)
		if (part.p_type == PT_LOAD && (part.p_flags & PF_X) &&
		    offset < part.p_offset + part.p_filesz &&
		    offset + (end - start) > part.p_offset)
			return start - offset - (part.p_vaddr - part.p_offset);
	return start - offset;
}

/* ---- modules ---- */

static struct hp_module *module_at(const struct hp_code_map *map, uint64_t at)
{
	return hp_segment_writer_at(map->writer, at);
}

static bool is_same(const struct hp_code_map *map, const struct hp_module *known,
		    const struct hp_module *wanted, const char *path)
{
	const struct hp_string *string = hp_segment_writer_at(map->writer, known->path);

	return known->build_id_size == wanted->build_id_size &&
	       memcmp(known->build_id, wanted->build_id, HP_BUILD_ID_MAX) == 0 &&
	       strcmp(string->bytes, path) == 0;
}

/* Find a module in the segment, or add it. Returns its id, 0 when there is no room. */
static uint32_t publish(const struct hp_code_map *map, const struct hp_module *wanted,
			const char *path)
{
	struct hp_header *header = hp_segment_writer_header(map->writer);
	uint64_t newest = header->modules;

	for (uint64_t at = newest; at; at = module_at(map, at)->next)
		if (is_same(map, module_at(map, at), wanted, path))
			return module_at(map, at)->id;
	uint32_t id = newest ? module_at(map, newest)->id + 1 : 1;
	uint64_t string = id <= HP_FRAME_MODULES_MAX ? hp_segment_writer_string(map->writer, path)
						     : 0;
	uint64_t at = string ? hp_segment_writer_take(map->writer, sizeof(*wanted)) : 0;
	if (!at)
		return 0;
	struct hp_module *module = module_at(map, at);
	*module = *wanted;
	module->path = string;
	module->id = id;
	module->next = newest;
	/* Pairs with the reader's ACQUIRE. */
	store(&header->modules, at, RELEASE);
	return id;
}

static void take_build_id(const struct hp_elf *elf, struct hp_module *module)
{
	const unsigned char *id;
	size_t size = hp_elf_build_id(elf, &id);

	if (size > HP_BUILD_ID_MAX)
		return;
	memcpy(module->build_id, id, size);
	module->build_id_size = (uint32_t)size;
}

/* Whether the kernel's name of a mapping is that of a file; others are "[heap]", "//anon" and the like. */
static bool is_file(const char *path)
{
	return (path[0] == '/' && path[1] != '/') || strcmp(path, vdso) == 0;
}

static void describe(const struct hp_code_map *map, struct hp_code_range *range, uint64_t offset,
		     const char *name)
{
	struct hp_module module = { .next = 0 };
	char path[HP_PATH_MAX];
	struct hp_elf elf;

	snprintf(path, sizeof(path), "%s", name);
	bool is_open = open_file(map, range, &elf, path) == 0;
	range->bias = bias_of(is_open ? &elf : NULL, range->start, range->end, offset);
	if (is_open) {
		take_build_id(&elf, &module);
		hp_elf_close(&elf);
	}
	range->module = publish(map, &module, path);
}

/* ---- ranges ---- */

static bool ends_before(const void *range, const void *address)
{
	return ((const struct hp_code_range *)range)->end <= *(const uint64_t *)address;
}

/* The index of the first range that ends after an address. */
static size_t first_after(const struct hp_code_map *map, uint64_t address)
{
	return hp_lower_bound(&address, map->ranges, map->count, sizeof(*map->ranges), ends_before);
}

static bool insert(struct hp_code_map *map, size_t at, struct hp_code_range range)
{
	if (!hp_array_reserve(&map->ranges, map->count, &map->room, sizeof(range)))
		return false;
	memmove(&map->ranges[at + 1], &map->ranges[at], (map->count - at) * sizeof(range));
	map->ranges[at] = range;
	map->count++;
	return true;
}

/* Take a part of the memory out of the ranges that have it. */
static bool cut_out(struct hp_code_map *map, uint64_t start, uint64_t end)
{
	size_t at = first_after(map, start), last;

	if (at < map->count && map->ranges[at].start < start) {
		struct hp_code_range before = map->ranges[at];
		before.end = start;
		if (!insert(map, at, before))
			return false;
		map->ranges[++at].start = start;
	}
	for (last = at; last < map->count && map->ranges[last].end <= end;)
		last++;
	memmove(&map->ranges[at], &map->ranges[last], (map->count - last) * sizeof(*map->ranges));
	map->count -= last - at;
	if (at < map->count && map->ranges[at].start < end)
		map->ranges[at].start = end;
	return true;
}

bool hp_code_map_add(struct hp_code_map *map, uint64_t start, uint64_t end, uint64_t offset,
		     const char *path)
{
	struct hp_code_range range = { .start = start, .end = end };

	if (start >= end || !cut_out(map, start, end))
		return false;
	if (is_file(path))
		describe(map, &range, offset, path);
	return insert(map, first_after(map, start), range);
}

/* Skip a word and the blanks after it. */
static char *skip_word(char *at)
{
	at += strcspn(at, " ");
	return at + strspn(at, " ");
}

/* start-end rwxp offset major:minor inode path */
static bool add_line(struct hp_code_map *map, char *line)
{
	char *at;

	line[strcspn(line, "\n")] = '\0';
	uint64_t start = strtoull(line, &at, 16);
	uint64_t end = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
	const char *rights = at = skip_word(at);
	if (strlen(rights) < 4 || rights[2] != 'x')
		return true;
	uint64_t offset = strtoull(skip_word(at), &at, 16);
	return hp_code_map_add(map, start, end, offset, skip_word(skip_word(at + strspn(at, " "))));
}

bool hp_code_map_read(struct hp_code_map *map)
{
	char path[32], *line = NULL;
	size_t room = 0;
	bool done = true;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", map->pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	map->read_ns = hp_now_ns();
	while (done && getline(&line, &room, file) > 0)
		done = add_line(map, line);
	free(line);
	fclose(file);
	return done;
}

static const struct hp_code_range *find(const struct hp_code_map *map, uint64_t address)
{
	size_t at = first_after(map, address);

	return at < map->count && map->ranges[at].start <= address ? &map->ranges[at] : NULL;
}

uint64_t hp_code_map_frame(struct hp_code_map *map, enum hp_frame_kind kind, uint64_t address,
			   bool executed)
{
	uint64_t place = executed ? address : address - 1;
	const struct hp_code_range *range = find(map, place);

	if (!range && executed && hp_now_ns() > map->read_ns + AGAIN_NS && hp_code_map_read(map))
		range = find(map, place);
	if (!range)
		return 0;
	if (!range->module)
		return hp_frame(HP_FRAME_ADDRESS, 0, address);
	return hp_frame(kind, range->module, address - range->bias);
}

void hp_code_map_free(struct hp_code_map *map)
{
	free(map->ranges);
	map->ranges = NULL;
	map->count = 0;
}
