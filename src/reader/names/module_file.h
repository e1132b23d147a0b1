/* SPDX-License-Identifier: MIT */
/* The file of a module, if it is still the one that ran, and its symbols. */
#ifndef HP_MODULE_FILE_H
#define HP_MODULE_FILE_H

#include "elf_file.h"
#include "known_names.h"
#include "segment.h"
#include "symbol_table.h"

struct hp_module_file {
	struct hp_elf elf;
	/** The separate debug file of `elf`. */
	struct hp_elf debug;
	/** The one of both files that has the table of all symbols; NULL if neither has. */
	const struct hp_elf *symbols;
	/** The file stays open, and is shared with other users. */
	bool is_kept;
	/** The functions of a file that is kept, and the names that were found in it; NULL otherwise. */
	struct hp_symbol_table *table;
	struct hp_known_names *names;
};

/** Keep some files open from now on, for a tool that reads many segments. */
void hp_module_files_keep(void);

/**
 * Open a module's file; "[vdso]" is this process's own.
 *
 * @return
 *         NULL, or why it cannot be used: "no longer exists". Either way it must be closed.
 */
const char *hp_module_file_open(struct hp_module_file *file, const struct hp_module *module,
				const char *path);

/**
 * Get the debug file of an open file without symbols from elsewhere.
 *
 * @return
 *         Whether it has symbols now, and had none before.
 */
bool hp_module_file_fetch(struct hp_module_file *file, const char *path);

void hp_module_file_close(struct hp_module_file *file);

#endif
