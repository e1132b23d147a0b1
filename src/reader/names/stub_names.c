/* SPDX-License-Identifier: MIT */
/*
 * Names of linker stubs (PLT entries) for functions of other files.
 *
 * The GOT slots of all stubs that contain wanted addresses are sorted; then the relocations are scanned once, however
 * many stubs there are.
 */
#include "stub_names.h"

#include "lower_bound.h"
#include "stubs.h"

#include <stdlib.h>

struct wanted {
	uint64_t slot;
	struct hp_name *name;
};

struct search {
	const struct hp_elf *elf;
	struct wanted *wanted;
	size_t count;
};

static int by_slot(const void *left, const void *right)
{
	const struct wanted *a = left, *b = right;

	return (a->slot > b->slot) - (a->slot < b->slot);
}

static void collect(struct search *search, struct hp_name *names, size_t count)
{
	struct hp_stub stub = { 0, 0, 0 };

	for (size_t i = 0; i < count; i++) {
		struct hp_name *name = &names[i];
		bool inside = name->address >= stub.start && name->address < stub.end;
		if (name->symbol.name ||
		    (!inside && !hp_elf_stub_at(search->elf, name->address, &stub)))
			continue;
		name->is_stub = true;
		name->symbol = (struct hp_symbol){ .address = stub.start,
						   .size = stub.end - stub.start };
		if (stub.slot)
			search->wanted[search->count++] = (struct wanted){ stub.slot, name };
	}
}

static bool has_lower_slot(const void *wanted, const void *slot)
{
	return ((const struct wanted *)wanted)->slot < *(const uint64_t *)slot;
}

static void take(void *context, const struct hp_import *import)
{
	const struct search *search = context;
	size_t at = hp_lower_bound(&import->slot, search->wanted, search->count,
				   sizeof(*search->wanted), has_lower_slot);

	if (at == search->count || search->wanted[at].slot != import->slot ||
	    search->wanted[at].name->symbol.name)
		return;
	const char *name = hp_elf_import_name(search->elf, import);
	for (; at < search->count && search->wanted[at].slot == import->slot; at++)
		search->wanted[at].name->symbol.name = name;
}

bool hp_stub_names_find(struct hp_name *names, size_t count, const struct hp_elf *elf)
{
	struct search search = { elf, calloc(count + 1, sizeof(*search.wanted)), 0 };

	if (!search.wanted)
		return false;
	collect(&search, names, count);
	if (search.count) {
		qsort(search.wanted, search.count, sizeof(*search.wanted), by_slot);
		hp_elf_each_import(elf, take, &search);
	}
	free(search.wanted);
	return true;
}
