/* SPDX-License-Identifier: MIT */
/* The functions of a file, sorted by address, for files in which many addresses are looked up. */
#include "symbol_table.h"

#include "array.h"
#include "lower_bound.h"

#include <stdlib.h>
#include <string.h>

/* Prefer the symbol for an address that programmers use: pread, not __libc_pread. */
bool hp_symbol_is_better(const struct hp_symbol *symbol, const struct hp_symbol *than)
{
	if (!than->name || symbol->address != than->address)
		return !than->name || symbol->address > than->address;
	size_t internal = strspn(symbol->name, "_"), other = strspn(than->name, "_");
	return internal != other ? internal < other : symbol->rank > than->rank;
}

struct filling {
	struct hp_symbol_table *table;
	bool failed;
};

static void add_symbol(void *context, const struct hp_symbol *symbol)
{
	struct filling *filling = context;
	struct hp_symbol_table *table = filling->table;

	if (filling->failed ||
	    !hp_array_reserve(&table->items, table->count, &table->room, sizeof(*table->items))) {
		filling->failed = true;
		return;
	}
	table->items[table->count] = (struct hp_numbered_symbol){ *symbol, table->count };
	table->count++;
}

/* Worse ones before better ones; of equals, the first in the file is the better one. */
static int by_place(const void *left, const void *right)
{
	const struct hp_numbered_symbol *a = left, *b = right;

	if (hp_symbol_is_better(&a->symbol, &b->symbol))
		return 1;
	if (hp_symbol_is_better(&b->symbol, &a->symbol))
		return -1;
	return (a->nth < b->nth) - (a->nth > b->nth);
}

bool hp_symbol_table_fill(struct hp_symbol_table *table, const struct hp_elf *symbols,
			  const struct hp_elf *elf)
{
	struct filling filling = { .table = table };
	if (table->is_filled)
		return true;

	if (symbols)
		hp_elf_each_function(symbols, add_symbol, &filling);
	if (symbols != elf)
		hp_elf_each_function(elf, add_symbol, &filling);
	if (filling.failed) {
		hp_symbol_table_free(table);
		return false;
	}
	if (table->count)
		qsort(table->items, table->count, sizeof(*table->items), by_place);
	table->is_filled = true;
	return true;
}

static bool is_not_after(const void *symbol, const void *address)
{
	return ((const struct hp_numbered_symbol *)symbol)->symbol.address <=
	       *(const uint64_t *)address;
}

const struct hp_symbol *hp_symbol_table_find(const struct hp_symbol_table *table, uint64_t address)
{
	size_t after = hp_lower_bound(&address, table->items, table->count, sizeof(*table->items),
				      is_not_after);

	return after ? &table->items[after - 1].symbol : NULL;
}

void hp_symbol_table_free(struct hp_symbol_table *table)
{
	free(table->items);
	*table = (struct hp_symbol_table){ .items = NULL };
}
