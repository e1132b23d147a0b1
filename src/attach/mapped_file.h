/* SPDX-License-Identifier: MIT */
/* The mappings of a process, as the kernel lists them, and their files. */
#ifndef HP_MAPPED_FILE_H
#define HP_MAPPED_FILE_H

#include "elf_file.h"
#include "place.h"

#include <stdbool.h>
#include <stdint.h>

struct hp_mapped {
	uint64_t start;
	uint64_t end;
	/** Where it begins in the file. */
	uint64_t offset;
	bool is_code;
	/** As the kernel calls it; "" for none. */
	const char *name;
};

/**
 * Visit all mappings of a process, or until `visit` returns false.
 *
 * @param pid
 *         The process, or any of its threads.
 * @return
 *         False when they cannot be read, or `visit` returned that.
 */
bool hp_mapped_each(uint32_t pid, bool (*visit)(void *context, const struct hp_mapped *mapped),
		    void *context);

/** Whether the name is that of a file; others are "[heap]", "//anon" and the like. */
bool hp_mapped_is_file(const char *name);

/**
 * Open the file of a mapping as the process sees it, which may have another root.
 *
 * @param path
 *         Becomes the path by which we see it.
 * @return
 *         As hp_elf_open.
 */
int hp_mapped_open(uint32_t pid, const struct hp_mapped *mapped, struct hp_elf *elf,
		   char path[HP_PATH_MAX]);

/** Open a file again, by the path that hp_mapped_open has told. Returns as hp_elf_open. */
int hp_mapped_reopen(const char *path, struct hp_elf *elf);

/** The difference between addresses in memory and in the file, which may be NULL if it cannot be opened. */
uint64_t hp_mapped_bias(const struct hp_mapped *mapped, const struct hp_elf *elf);

#endif
