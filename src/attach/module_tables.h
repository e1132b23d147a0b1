/* SPDX-License-Identifier: MIT */
/*
 * The unwind tables of the modules of a process, from their files. A table is read when it is first needed, and the file closed.
 */
#ifndef HP_MODULE_TABLES_H
#define HP_MODULE_TABLES_H

#include "segment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hp_module_table;

struct hp_module_tables {
	/** By the id of the module. */
	struct hp_module_table *items;
	size_t room;
	/** Bytes of tables that are kept. */
	uint64_t bytes;
};

/**
 * Find the rule for a place in a module.
 *
 * @param path
 *         Where we see the file of the module.
 * @param pc
 *         An address as in the file; of an instruction or, if `returned`, to which a call returns.
 * @return
 *         A packed rule; HP_RULE_NONE also when the file has no tables, is no longer that of the module, or when there is no
 *         memory for its tables: all together may have 64 MB.
 */
uint64_t hp_module_rule(struct hp_module_tables *tables, const struct hp_module *module,
			const char *path, uint64_t pc, bool returned);

/** The file of a module may be another one from now on. */
void hp_module_tables_forget(struct hp_module_tables *tables, uint32_t module);

void hp_module_tables_free(struct hp_module_tables *tables);

#endif
