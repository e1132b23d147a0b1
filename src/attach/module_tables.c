/* SPDX-License-Identifier: MIT */
/* The unwind tables of the modules of a process, from their files. */
#include "module_tables.h"

#include "made_index.h"
#include "mapped_file.h"
#include "parts.h"
#include "unwind.h"

#include <stdlib.h>
#include <string.h>

/* All tables together. Those of a browser have 20 MB, those of most programs less than one. */
#define BYTES_MAX (UINT64_C(64) << 20)

struct hp_module_table {
	/* The file was looked for, and may have been found. */
	bool is_known;
	unsigned machine;
	struct hp_elf elf;
	/* Its size is 0 when there is no table. */
	struct hp_unwind_region region;
	uint64_t header;
	/* The region is ours, with an index that we made. */
	bool is_made;
};

static bool reserve(struct hp_module_tables *tables, uint32_t module)
{
	size_t room = tables->room ? tables->room : 16;

	while (room <= module)
		room *= 2;
	if (room == tables->room)
		return true;
	struct hp_module_table *items = realloc(tables->items, room * sizeof(*items));
	if (!items)
		return false;
	memset(items + tables->room, 0, (room - tables->room) * sizeof(*items));
	tables->items = items;
	tables->room = room;
	return true;
}

/* Whether a file is that of a module: another one may have been installed in its place. */
static bool is_file_of(const struct hp_elf *elf, const struct hp_module *module)
{
	const unsigned char *id;
	size_t size = hp_elf_build_id(elf, &id);

	return size == module->build_id_size && memcmp(id, module->build_id, size) == 0;
}

/* The tables with their index, or one that is made for them. */
static bool find_tables(struct hp_module_table *table, uint64_t most)
{
	if (hp_elf_unwinding(&table->elf, most, &table->region, &table->header))
		return true;
	table->is_made = hp_made_index(&table->elf, most, &table->region);
	table->header = table->region.address;
	return table->is_made;
}

/* Read the tables, and close the file. */
static bool take(struct hp_module_table *table, const struct hp_module *module, const char *path,
		 uint64_t most)
{
	if (hp_mapped_reopen(path, &table->elf))
		return false;
	table->machine = hp_elf_machine(&table->elf);
	bool taken = is_file_of(&table->elf, module) && find_tables(table, most);
	hp_elf_let_go(&table->elf);
	return taken;
}

static void drop(struct hp_module_tables *tables, struct hp_module_table *table)
{
	tables->bytes -= table->region.size;
	if (table->is_made)
		free((void *)(uintptr_t)table->region.bytes);
	hp_elf_close(&table->elf);
	*table = (struct hp_module_table){ .is_known = false };
}

static void learn(struct hp_module_tables *tables, struct hp_module_table *table,
		  const struct hp_module *module, const char *path)
{
	if (take(table, module, path, BYTES_MAX - tables->bytes)) {
		tables->bytes += table->region.size;
	} else {
		table->region.size = 0;
		drop(tables, table);
	}
	table->is_known = true;
}

uint64_t hp_module_rule(struct hp_module_tables *tables, const struct hp_module *module,
			const char *path, uint64_t pc, bool returned)
{
	if (!reserve(tables, module->id))
		return HP_RULE_NONE;
	struct hp_module_table *table = &tables->items[module->id];
	if (!table->is_known)
		learn(tables, table, module, path);
	if (!table->region.size)
		return HP_RULE_NONE;
	return hp_unwind_find_place(&table->region, table->machine, table->header, pc, returned);
}

void hp_module_tables_forget(struct hp_module_tables *tables, uint32_t module)
{
	if (module < tables->room)
		drop(tables, &tables->items[module]);
}

void hp_module_tables_free(struct hp_module_tables *tables)
{
	for (size_t i = 0; i < tables->room; i++)
		drop(tables, &tables->items[i]);
	free(tables->items);
	*tables = (struct hp_module_tables){ .items = NULL };
}
