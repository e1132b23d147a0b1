/* SPDX-License-Identifier: MIT */
#include "named_functions.h"

#include "array.h"
#include "mapped_file.h"
#include "names/demangle.h"
#include "names/module_file.h"
#include "process_facts.h"
#include "selection.h"

#include <stdlib.h>
#include <string.h>

struct search {
	uint32_t pid;
	const char *pattern;
	struct named_functions *found;
	uint64_t bias;
	bool failed;
};

static bool matches(const char *pattern, const char *name)
{
	return hp_selection_matches(pattern, strlen(pattern), name);
}

/* C++ names match with and without their parameters. */
static bool matches_demangled(const char *pattern, const char *symbol)
{
	char *full = strncmp(symbol, "_Z", 2) == 0 ? hp_demangle(symbol) : NULL;
	char *name = full ? hp_demangled_name(full) : NULL;
	bool found = (full && matches(pattern, full)) || (name && matches(pattern, name));

	free(name);
	free(full);
	return found;
}

static void take(void *context, const struct hp_symbol *symbol)
{
	struct search *search = context;
	struct named_functions *found = search->found;

	if (search->failed || (!matches(search->pattern, symbol->name) &&
			       !matches_demangled(search->pattern, symbol->name)))
		return;
	search->failed = !hp_array_reserve(&found->addresses, found->count, &found->room,
					   sizeof(*found->addresses));
	if (!search->failed)
		found->addresses[found->count++] = symbol->address + search->bias;
}

/* The file is opened once more with its debug file, which has the symbols of what was stripped. */
static void search_file(struct search *search, const char *path)
{
	const struct hp_module any_build = { .next = 0 };
	struct hp_module_file file;

	if (!hp_module_file_open(&file, &any_build, path))
		hp_elf_each_function(file.symbols ? file.symbols : &file.elf, take, search);
	hp_module_file_close(&file);
}

static bool visit(void *context, const struct hp_mapped *mapped)
{
	struct search *search = context;
	char path[HP_PATH_MAX];
	struct hp_elf elf;

	if (!mapped->is_code || !hp_mapped_is_file(mapped->name) ||
	    hp_mapped_open(search->pid, mapped, &elf, path))
		return true;
	search->bias = hp_mapped_bias(mapped, &elf);
	hp_elf_close(&elf);
	search_file(search, path);
	return !search->failed;
}

static int by_address(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return (first > second) - (first < second);
}

/* A function may have several names, and be in two tables of symbols. */
static void remove_twins(struct named_functions *found)
{
	size_t kept = 0;

	if (found->count)
		qsort(found->addresses, found->count, sizeof(*found->addresses), by_address);
	for (size_t i = 0; i < found->count; i++)
		if (!kept || found->addresses[kept - 1] != found->addresses[i])
			found->addresses[kept++] = found->addresses[i];
	found->count = kept;
}

bool named_functions_find(uint32_t pid, const char *pattern, struct named_functions *found)
{
	struct search search = { .pid = hp_process_speaker(pid),
				 .pattern = pattern,
				 .found = found };

	*found = (struct named_functions){ .addresses = NULL };
	bool done = hp_mapped_each(search.pid, visit, &search);
	remove_twins(found);
	return done;
}
