/* SPDX-License-Identifier: MIT */
/*
 * Finds the names of addresses in the file of one module.
 *
 * The file is opened, if it is still the one that ran, and its symbols are read in one pass: each symbol is stored at
 * the first wanted address at or after it, if it is the closest one so far. The symbol of an address is then the one
 * stored there, or at an earlier address.
 */
#include "module_names.h"

#include "demangle.h"
#include "file_name.h"
#include "lower_bound.h"
#include "module_file.h"
#include "stub_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_before(const void *name, const void *address)
{
	return ((const struct hp_name *)name)->address < *(const uint64_t *)address;
}

/* The first wanted name at or after an address. */
static size_t first_at(const struct hp_module_names *wanted, uint64_t address)
{
	return hp_lower_bound(&address, wanted->names, wanted->count, sizeof(*wanted->names),
			      is_before);
}

static void take_symbol(void *context, const struct hp_symbol *symbol)
{
	struct hp_module_names *wanted = context;
	size_t at = first_at(wanted, symbol->address);

	if (at < wanted->count && hp_symbol_is_better(symbol, &wanted->names[at].symbol))
		wanted->names[at].symbol = *symbol;
}

static bool is_inside(const struct hp_symbol *symbol, const struct hp_name *name)
{
	uint64_t far = name->address - symbol->address;

	return far == 0 || (name->is_inside && far < symbol->reach);
}

/* Give each address the symbol of the function that contains it, if there is one. */
static void choose_symbols(struct hp_module_names *wanted)
{
	struct hp_symbol last = { .name = NULL };

	for (size_t i = 0; i < wanted->count; i++) {
		struct hp_name *name = &wanted->names[i];
		if (name->symbol.name && hp_symbol_is_better(&name->symbol, &last))
			last = name->symbol;
		name->symbol = last;
		if (!last.name || !is_inside(&last, name))
			name->symbol.name = NULL;
	}
}

/*
 * Find the start of functions without a symbol, so that a function has one name for all its addresses. A symbol
 * without a size is discarded if the unwind tables say that another function begins between it and the address.
 */
static void find_entries(struct hp_module_names *wanted, const struct hp_elf *elf)
{
	for (size_t i = 0; i < wanted->count; i++) {
		struct hp_name *name = &wanted->names[i];
		uint64_t start;
		if (!name->is_inside || !hp_elf_function_start(elf, name->address, &start))
			continue;
		if (name->symbol.name && name->symbol.size == 0 && start > name->symbol.address)
			name->symbol.name = NULL;
		if (!name->symbol.name) {
			name->entry = start;
			name->has_entry = true;
		}
	}
}

/*
 * Look at functions only, not at calls: many calls are in internal functions of a library, which have no exported symbol.
 */
static bool has_unnamed(const struct hp_module_names *wanted)
{
	for (size_t i = 0; i < wanted->count; i++)
		if (!wanted->names[i].is_inside && !wanted->names[i].has_symbol)
			return true;
	return false;
}

bool hp_module_names_note(const struct hp_module_names *wanted, struct hp_model *model)
{
	const char *name = wanted->path ? hp_file_name(wanted->path) : "?";

	if (!has_unnamed(wanted))
		return true;
	if (wanted->problem)
		return hp_model_note(model, "%s %s: its functions are shown by address", name,
				     wanted->problem);
	return hp_unnamed_add(model, wanted->path);
}

/* The readable name, with a suffix such as "@plt"; NULL when memory ran out. */
static char *readable(const char *symbol, const char *full, const char *behind)
{
	/* A symbol may have a version suffix: "name@VERSION". */
	size_t length = strcspn(symbol, "@");
	char *name = full ? hp_demangled_name(full)
			  : strndup(symbol, length ? length : strlen(symbol));
	char *text = NULL;

	if (!name || !*behind)
		return name;
	if (asprintf(&text, "%s%s", name, behind) < 0)
		text = NULL;
	free(name);
	return text;
}

/* Name a function by its symbol, which points into the file, so that must be open. */
static bool name_by_symbol(struct hp_name *name, const char *path)
{
	const char *symbol = name->symbol.name, *behind = name->is_stub ? "@plt" : "";

	if (strcmp(path, "[vdso]") == 0)
		behind = "@vdso";
	name->has_symbol = true;
	name->has_entry = true;
	name->entry = name->symbol.address;
	/* A stub has no overloads, so its parameters are not needed. */
	name->full = symbol && !*behind ? hp_demangle(symbol) : NULL;
	char *full = symbol && *behind ? hp_demangle(symbol) : NULL;
	name->text = symbol ? readable(symbol, name->full ? name->full : full, behind)
			    : strdup("<plt>");
	name->symbol.name = NULL;
	free(full);
	return name->text != NULL;
}

static bool name_by_address(struct hp_name *name, const char *path)
{
	/* A call is shown by its return address. */
	uint64_t address = name->has_entry ? name->entry : name->address + name->is_call;

	if (asprintf(&name->text, "%s+0x%" PRIx64, path ? hp_file_name(path) : "?", address) >= 0)
		return true;
	name->text = NULL;
	return false;
}

/* The cold part of a function is separate, and its frame was set up in the other part. */
static bool is_part(const char *text)
{
	return strstr(text, ".cold") != NULL;
}

static void find_frame(struct hp_name *name, const struct hp_elf *elf)
{
	enum hp_elf_caller caller = HP_ELF_CALLER_FRAME;

	if (!name->is_call)
		caller = hp_elf_caller(elf, name->entry, name->address);
	else if (!hp_elf_keeps_frame(elf, name->entry, name->address))
		caller = HP_ELF_CALLER_HIDDEN;
	name->may_link = caller == HP_ELF_CALLER_LINK;
	name->hides_caller = caller == HP_ELF_CALLER_HIDDEN && name->has_entry &&
			     !(name->text && is_part(name->text));
}

static void find_frames(struct hp_module_names *wanted, const struct hp_elf *elf)
{
	for (size_t i = 0; i < wanted->count; i++)
		find_frame(&wanted->names[i], elf);
}

/* Whether locks are to be named, for which variables are read, too. */
static bool has_locks(const struct hp_module_names *wanted)
{
	for (size_t i = 0; i < wanted->count; i++)
		if (wanted->names[i].is_lock)
			return true;
	return false;
}

static void take_symbols(struct hp_module_names *wanted, const struct hp_elf *elf, bool functions)
{
	if (functions)
		hp_elf_each_function(elf, take_symbol, wanted);
	if (has_locks(wanted))
		hp_elf_each_variable(elf, take_symbol, wanted);
}

/* Functions of a file that is kept are not visited again for each process that has executed it. */
static bool take_from_table(struct hp_module_names *wanted, const struct hp_module_file *file)
{
	if (!file->table || !hp_symbol_table_fill(file->table, file->symbols, &file->elf))
		return false;
	for (size_t i = 0; i < wanted->count; i++) {
		struct hp_name *name = &wanted->names[i];
		const struct hp_symbol *symbol = hp_symbol_table_find(file->table, name->address);
		if (symbol)
			name->symbol = *symbol;
	}
	return true;
}

static void find_symbols(struct hp_module_names *wanted, const struct hp_module_file *file)
{
	bool functions = !take_from_table(wanted, file);

	if (file->symbols)
		take_symbols(wanted, file->symbols, functions);
	/* The dynamic symbols of the file itself have the same names, and may be the only ones. */
	if (file->symbols != &file->elf)
		take_symbols(wanted, &file->elf, functions);
	choose_symbols(wanted);
}

static bool lacks_symbols(const struct hp_module_names *wanted)
{
	for (size_t i = 0; i < wanted->count; i++)
		if (!wanted->names[i].symbol.name)
			return true;
	return false;
}

/* A debug file is fetched only if names are missing without it: it may be large, and the server slow. */
static void find_or_fetch(struct hp_module_names *wanted, struct hp_module_file *file)
{
	find_symbols(wanted, file);
	if (!lacks_symbols(wanted) || !hp_module_file_fetch(file, wanted->path))
		return;
	for (size_t i = 0; i < wanted->count; i++)
		wanted->names[i].symbol = (struct hp_symbol){ .name = NULL };
	find_symbols(wanted, file);
}

static bool find_in_file(struct hp_module_names *wanted, struct hp_module_file *file)
{
	find_or_fetch(wanted, file);
	bool done = hp_stub_names_find(wanted->names, wanted->count, &file->elf);
	find_entries(wanted, &file->elf);
	for (size_t i = 0; i < wanted->count && done; i++)
		if (wanted->names[i].symbol.name || wanted->names[i].is_stub)
			done = name_by_symbol(&wanted->names[i], wanted->path);
	if (wanted->with_frames)
		find_frames(wanted, &file->elf);
	return done;
}

/* Names by address have the name of the path, and a file may have several. */
static bool recall_name(struct hp_known_names *known, struct hp_name *name)
{
	if (!hp_known_names_recall(known, name))
		return false;
	if (!name->has_symbol) {
		free(name->text);
		name->text = NULL;
	}
	return true;
}

/* Recall what is known, and move the others to the front, in their order; returns how many others there are. */
static size_t recall(struct hp_module_names *wanted, const struct hp_module_file *file)
{
	size_t others = 0;

	if (!file->names || !wanted->with_frames)
		return wanted->count;
	for (size_t i = 0; i < wanted->count; i++) {
		struct hp_name name = wanted->names[i];
		if (recall_name(file->names, &wanted->names[i]))
			continue;
		wanted->names[i] = wanted->names[others];
		wanted->names[others++] = name;
	}
	return others;
}

static bool look_up(struct hp_module_names *wanted, const struct hp_module *module)
{
	struct hp_module_file file;
	bool done = true;

	wanted->problem = hp_module_file_open(&file, module, wanted->path);
	if (!wanted->problem) {
		struct hp_module_names others = *wanted;
		others.count = recall(wanted, &file);
		done = others.count == 0 || find_in_file(&others, &file);
	}
	hp_module_file_close(&file);
	return done;
}

bool hp_module_names_find(struct hp_module_names *wanted, const struct hp_module *module)
{
	wanted->problem = "is unknown";
	bool done = !wanted->path || look_up(wanted, module);

	for (size_t i = 0; i < wanted->count && done; i++) {
		wanted->names[i].problem = wanted->problem;
		done = wanted->names[i].text || name_by_address(&wanted->names[i], wanted->path);
	}
	return done;
}

void hp_module_names_learn(const struct hp_module_names *found, const struct hp_module *module)
{
	struct hp_module_file file;

	if (!hp_module_file_open(&file, module, found->path) && file.names)
		for (size_t i = 0; i < found->count; i++)
			hp_known_names_learn(file.names, &found->names[i]);
	hp_module_file_close(&file);
}
