/* SPDX-License-Identifier: MIT */
/* The functions of a file, sorted by address, for files in which many addresses are looked up. */
#ifndef HP_SYMBOL_TABLE_H
#define HP_SYMBOL_TABLE_H

#include "elf_file.h"

/** A function, and its place in the file. */
struct hp_numbered_symbol {
	struct hp_symbol symbol;
	size_t nth;
};

struct hp_symbol_table {
	/** Functions by address; of several at one address, the last is the one to be shown. Names belong to the files. */
	struct hp_numbered_symbol *items;
	size_t count;
	size_t room;
	bool is_filled;
};

/**
 * Fill a table with the functions of a file, unless it is filled already.
 *
 * @param symbols
 *         A file with all symbols, such as its debug file; NULL if there is none.
 * @return
 *         False when memory ran out.
 */
bool hp_symbol_table_fill(struct hp_symbol_table *table, const struct hp_elf *symbols,
			  const struct hp_elf *elf);

/** The last function that begins at or before an address; NULL if there is none. */
const struct hp_symbol *hp_symbol_table_find(const struct hp_symbol_table *table, uint64_t address);

/** Whether a symbol is to be shown rather than another, which may have no name: the closer one to an address after both. */
bool hp_symbol_is_better(const struct hp_symbol *symbol, const struct hp_symbol *than);

void hp_symbol_table_free(struct hp_symbol_table *table);

#endif
