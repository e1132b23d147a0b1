/* SPDX-License-Identifier: MIT */
/* The mappings of a process, as the kernel lists them, and their files. */
#include "mapped_file.h"

#include "parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char vdso[] = "[vdso]";

bool hp_mapped_is_file(const char *name)
{
	return (name[0] == '/' && name[1] != '/') || strcmp(name, vdso) == 0;
}

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
static void find_deleted(uint32_t pid, const struct hp_mapped *mapped, char path[HP_PATH_MAX])
{
	char by_place[96], executable[HP_PATH_MAX], link[32];

	snprintf(by_place, sizeof(by_place), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64,
		 pid, mapped->start, mapped->end);
	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", pid);
	ssize_t length = readlink(link, executable, sizeof(executable) - 1);
	executable[length > 0 ? length : 0] = '\0';
	if (cut_deleted(executable) && strcmp(executable, path) == 0)
		snprintf(path, HP_PATH_MAX, "%s", link);
	else if (access(by_place, R_OK) == 0)
		snprintf(path, HP_PATH_MAX, "%s", by_place);
}

int hp_mapped_reopen(const char *path, struct hp_elf *elf)
{
	return strcmp(path, vdso) == 0 ? hp_elf_open_vdso(elf) : hp_elf_open(elf, path);
}

int hp_mapped_open(uint32_t pid, const struct hp_mapped *mapped, struct hp_elf *elf,
		   char path[HP_PATH_MAX])
{
	char inside[HP_PATH_MAX + 32];

	snprintf(path, HP_PATH_MAX, "%s", mapped->name);
	snprintf(inside, sizeof(inside), "/proc/%" PRIu32 "/root%s", pid, path);
	if (cut_deleted(path))
		find_deleted(pid, mapped, path);
	else if (path[0] == '/' && is_other_file(inside, path))
		snprintf(path, HP_PATH_MAX, "%.*s", HP_PATH_MAX - 1, inside);
	return hp_mapped_reopen(path, elf);
}

/* The program header of the mapped part tells. Without one it is assumed that addresses in the file are offsets. */
uint64_t hp_mapped_bias(const struct hp_mapped *mapped, const struct hp_elf *elf)
{
	uint64_t start = mapped->start, offset = mapped->offset;
	Elf64_Phdr part;

	for (unsigned i = 0; elf && hp_elf_program_header(elf, i, &part); i++)
		if (part.p_type == PT_LOAD && (part.p_flags & PF_X) &&
		    offset < part.p_offset + part.p_filesz &&
		    offset + (mapped->end - start) > part.p_offset)
			return start - offset - (part.p_vaddr - part.p_offset);
	return start - offset;
}

/* Skip a word and the blanks after it. */
static char *skip_word(char *at)
{
	at += strcspn(at, " ");
	return at + strspn(at, " ");
}

/* start-end rwxp offset major:minor inode path */
static bool read_line(char *line, struct hp_mapped *mapped)
{
	char *at;

	line[strcspn(line, "\n")] = '\0';
	mapped->start = strtoull(line, &at, 16);
	mapped->end = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
	const char *rights = at = skip_word(at);
	if (strlen(rights) < 4)
		return false;
	mapped->is_code = rights[2] == 'x';
	mapped->offset = strtoull(skip_word(at), &at, 16);
	mapped->name = skip_word(skip_word(at + strspn(at, " ")));
	return true;
}

bool hp_mapped_each(uint32_t pid, bool (*visit)(void *context, const struct hp_mapped *mapped),
		    void *context)
{
	char path[32], *line = NULL;
	struct hp_mapped mapped;
	size_t room = 0;
	bool done = true;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	while (done && getline(&line, &room, file) > 0)
		done = !read_line(line, &mapped) || visit(context, &mapped);
	free(line);
	fclose(file);
	return done;
}
