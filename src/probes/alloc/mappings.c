/* SPDX-License-Identifier: MIT */
/*
 * mmap and its family: memory that the program takes from the kernel itself, outside of malloc.
 *
 * The C library's malloc does not come here. The library of another allocator does, but its memory is that of malloc; and so
 * do our own libraries. They are known by where the call comes from. Of an allocator that is part of the program the probe sees
 * no blocks, and so its mappings are like any others.
 */
/* Else mmap in this file would be another name of mmap64. */
#undef _FILE_OFFSET_BITS

#include "allocator.h"
#include "own_file.h"
#include "probe.h"

#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FROM ((uintptr_t)__builtin_return_address(0))

enum { LIBRARIES_MAX = 8 };

/* The code of our own libraries and of the allocator. */
static struct {
	uintptr_t start;
	uintptr_t end;
} libraries[LIBRARIES_MAX];
static unsigned library_count;
static bool are_known;

static uintptr_t code_end(const struct dl_phdr_info *info)
{
	uintptr_t end = 0;

	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		if (part->p_type == PT_LOAD && part->p_vaddr + part->p_memsz > end)
			end = part->p_vaddr + part->p_memsz;
	}
	return info->dlpi_addr + end;
}

/* The program has no name. */
static int add_library(struct dl_phdr_info *info, size_t size, void *unused)
{
	uintptr_t start = info->dlpi_addr, end = code_end(info);
	uintptr_t allocator = (uintptr_t)NEXT(malloc);
	bool is_allocator = allocator >= start && allocator < end && info->dlpi_name[0];

	(void)size, (void)unused;
	if ((!is_allocator && !hp_is_own_file(info->dlpi_name)) || library_count == LIBRARIES_MAX)
		return 0;
	libraries[library_count].start = start;
	libraries[library_count].end = end;
	library_count++;
	return 0;
}

/* Libraries that are loaded later are neither ours nor the allocator. */
__attribute__((constructor(101))) static void learn_libraries(void)
{
	if (are_known)
		return;
	are_known = true;
	dl_iterate_phdr(add_library, NULL);
}

static bool is_program(uintptr_t from)
{
	learn_libraries();
	for (unsigned i = 0; i < library_count; i++)
		if (from >= libraries[i].start && from < libraries[i].end)
			return false;
	return true;
}

void *mappings_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

int mappings_munmap(void *at, size_t size)
{
	return (int)syscall(SYS_munmap, at, size);
}

/* New memory of the program; that of others may have replaced some of it. */
static void tell_mapped(void *at, size_t size, int flags, uintptr_t from)
{
	enum hotpath__mapping kind = flags & MAP_ANONYMOUS ? HOTPATH__MAPPING_MEMORY
							   : HOTPATH__MAPPING_FILE;

	if (at == MAP_FAILED)
		return;
	if (is_program(from))
		hotpath__mapped((uintptr_t)at, size, kind);
	else if (flags & MAP_FIXED)
		hotpath__mapped((uintptr_t)at, size, HOTPATH__MAPPING_OTHER);
}

DEFINE(void *, mmap, void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	void *mapped = NEXT(mmap)(at, size, protection, flags, fd, offset);

	tell_mapped(mapped, size, flags, FROM);
	return mapped;
}

DEFINE(void *, mmap64, void *at, size_t size, int protection, int flags, int fd, off64_t offset)
{
	void *mapped = NEXT(mmap)(at, size, protection, flags, fd, offset);

	tell_mapped(mapped, size, flags, FROM);
	return mapped;
}

/* Before the call: as soon as the memory is unmapped, another thread may get the same addresses. */
DEFINE(int, munmap, void *at, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	if (size && (uintptr_t)at % page == 0 && is_program(FROM))
		hotpath__unmapping((uintptr_t)at, size);
	return NEXT(munmap)(at, size);
}

DEFINE(void *, mremap, void *at, size_t old_size, size_t size, int flags, ...)
{
	bool counts = is_program(FROM);
	va_list rest;

	/* The new address is an argument only with MREMAP_FIXED; else the kernel ignores what is read here. */
	va_start(rest, flags);
	void *target = va_arg(rest, void *);
	va_end(rest);
	/* A size of 0 makes a second mapping of shared memory. */
	enum hotpath__mapping kind = counts ? hotpath__unmapping((uintptr_t)at, old_size)
					    : HOTPATH__MAPPING_OTHER;
	void *moved = NEXT(mremap)(at, old_size, size, flags, target);
	if (counts && moved == MAP_FAILED && old_size)
		hotpath__mapped((uintptr_t)at, old_size, kind);
	else if (counts && moved != MAP_FAILED)
		hotpath__mapped((uintptr_t)moved, size, kind);
	return moved;
}
