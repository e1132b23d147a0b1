/* SPDX-License-Identifier: MIT */
/* The file of a module, if it is still the one that ran, and its symbols. */
#ifndef HP_MODULE_FILE_H
#define HP_MODULE_FILE_H

#include "elf_file.h"
#include "segment.h"

struct hp_module_file {
	struct hp_elf elf;
	/** Its separate debug file. */
	struct hp_elf debug;
	/** Which of the two has the table of all symbols; NULL when it is lost. */
	const struct hp_elf *symbols;
};

/**
 * Open a module's file; "[vdso]" is this process's own.
 *
 * @return
 *         NULL, or why it cannot be used: "no longer exists". Either way it must be closed.
 */
const char *hp_module_file_open(struct hp_module_file *file, const struct hp_module *module,
				const char *path);

void hp_module_file_close(struct hp_module_file *file);

#endif
