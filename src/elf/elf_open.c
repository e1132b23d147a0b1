/* SPDX-License-Identifier: MIT */
/*
 * The bytes of an ELF file: a copy, made block by block on demand.
 *
 * The file is not mapped: a build may truncate it at any moment, and then a mapped page beyond its end raises SIGBUS,
 * also in a measured program; and data must not change after it was checked. So address space for the whole file is
 * reserved, which takes no memory until it is used, with a flag for each block that was read into it.
 *
 *	bytes          ├─ block ─┤─ zeros ─┤─ block ─┤─ … ─┤
 *	blocks->read        1         0         1       …
 *
 * What could not be read stays zero, and counts as absent, like everything invalid.
 */
#include "parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	/* Read at once. Larger tables are several blocks, which are read at once too. */
	BLOCK = 16 * 1024,
	/* A gigabyte, more than any program without debug information: a file may be one large hole. */
	BLOCKS_MAX = 64 * 1024,
};

/* Stored after the space for the file. */
struct hp_elf_blocks {
	/* -1 when there is no more to be read. */
	int file;
	unsigned left;
	unsigned char read[];
};

static size_t block_count(size_t size)
{
	return size / BLOCK + 1;
}

static size_t room_of(size_t size)
{
	return block_count(size) * (BLOCK + 1) + sizeof(struct hp_elf_blocks);
}

uint64_t hp_elf_read_bytes;

/* Read blocks up to the end of the file, or until an error. */
static void read_blocks(const struct hp_elf *elf, size_t first, size_t behind)
{
	unsigned char *room = (unsigned char *)(uintptr_t)elf->bytes;
	size_t at = first * BLOCK, end = behind * BLOCK < elf->size ? behind * BLOCK : elf->size;

	while (at < end) {
		ssize_t got = pread(elf->blocks->file, room + at, end - at, (off_t)at);
		if (got == 0 || (got < 0 && errno != EINTR))
			return;
		at += got > 0 ? (size_t)got : 0;
		__atomic_add_fetch(&hp_elf_read_bytes, got > 0 ? (uint64_t)got : 0,
				   __ATOMIC_RELAXED);
	}
}

/* The next block that was not read, or the one after the last. */
static size_t find_unread(const struct hp_elf_blocks *blocks, size_t from, size_t last)
{
	const unsigned char *unread = from <= last ? memchr(blocks->read + from, 0, last - from + 1)
						   : NULL;

	return unread ? (size_t)(unread - blocks->read) : last + 1;
}

/* Mark consecutive blocks that were not read yet; returns the first one that was. */
static size_t take_unread(struct hp_elf_blocks *blocks, size_t from, size_t last)
{
	for (; from <= last && !blocks->read[from] && blocks->left; from++) {
		blocks->read[from] = 1;
		blocks->left--;
	}
	return from;
}

void hp_elf_fetch(const struct hp_elf *elf, uint64_t offset, uint64_t size)
{
	if (!elf->blocks || elf->blocks->file < 0 || !size)
		return;
	size_t last = (offset + size - 1) / BLOCK;
	for (size_t block = find_unread(elf->blocks, offset / BLOCK, last); block <= last;
	     block = find_unread(elf->blocks, block, last)) {
		size_t behind = take_unread(elf->blocks, block, last);
		read_blocks(elf, block, behind);
		/* No more may be read. */
		if (behind == block)
			return;
		block = behind;
	}
}

const unsigned char *hp_elf_whole(const struct hp_elf *elf)
{
	hp_elf_fetch(elf, 0, elf->size);
	return elf->bytes;
}

/* Takes ownership of the descriptor on success. */
static int make_room(struct hp_elf *elf, int file)
{
	struct stat info;

	if (fstat(file, &info))
		return -errno;
	if (!S_ISREG(info.st_mode) || info.st_size < (off_t)sizeof(Elf64_Ehdr))
		return -ENOEXEC;
	size_t size = (size_t)info.st_size;
	unsigned char *room = mmap(NULL, room_of(size), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		return -errno;
	*elf = (struct hp_elf){ room, size, (void *)(room + block_count(size) * BLOCK) };
	elf->blocks->file = file;
	elf->blocks->left = BLOCKS_MAX;
	return 0;
}

int hp_elf_open(struct hp_elf *elf, const char *path)
{
	/* The path is untrusted: a pipe or a terminal must not block us. */
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct hp_elf seen;

	*elf = (struct hp_elf){ .bytes = NULL };
	if (file < 0)
		return -errno;
	int error = make_room(elf, file);
	if (error) {
		close(file);
		return error;
	}
	hp_elf_fetch(elf, 0, sizeof(Elf64_Ehdr));
	error = hp_elf_view(&seen, elf->bytes, elf->size);
	if (error)
		hp_elf_close(elf);
	return error;
}

void hp_elf_let_go(struct hp_elf *elf)
{
	if (!elf->blocks || elf->blocks->file < 0)
		return;
	close(elf->blocks->file);
	elf->blocks->file = -1;
}

void hp_elf_close(struct hp_elf *elf)
{
	hp_elf_let_go(elf);
	if (elf->blocks)
		munmap((void *)(uintptr_t)elf->bytes, room_of(elf->size));
	*elf = (struct hp_elf){ .bytes = NULL };
}
