/* SPDX-License-Identifier: MIT */
/*
 * Finds source lines of functions that are known by their address, and of calls of malloc.
 *
 * Looking up one address at a time takes milliseconds each. Instead the compilation units of a file are scanned once,
 * by their address ranges, and only units that contain wanted functions are read. The table .debug_aranges, from
 * addresses to units, is not written by every compiler.
 */
#include "lines.h"

#include "dwarf_file.h"
#include "lower_bound.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions of a module that are looked for, by address. */
struct wanted {
	struct hp_function **functions;
	size_t count;
	/* The unit that is being read. */
	Dwarf_Die *unit;
};

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_address(const void *left, const void *right)
{
	const struct hp_function *a = *(struct hp_function *const *)left;
	const struct hp_function *b = *(struct hp_function *const *)right;
	int order = strcmp(a->module, b->module);

	return order ? order : compare(a->offset, b->offset);
}

static bool is_before(const void *function, const void *address)
{
	return (*(struct hp_function *const *)function)->offset < *(const uint64_t *)address;
}

/* The first function at or after an address. */
static size_t first_at(const struct wanted *wanted, uint64_t address)
{
	return hp_lower_bound(&address, wanted->functions, wanted->count,
			      sizeof(*wanted->functions), is_before);
}

/* ---- one unit ---- */

static void set_place(struct hp_function *function, Dwarf_Die *unit, const char *path, int line)
{
	if (function->file || !path || line <= 0)
		return;
	function->file = strdup(hp_dwarf_as_given(unit, path));
	function->line = function->file ? (uint32_t)line : 0;
}

static void declare_at(const struct wanted *wanted, Dwarf_Die *die, uint64_t entry)
{
	size_t at = first_at(wanted, entry);
	int line = 0;

	if (at == wanted->count || wanted->functions[at]->offset != entry ||
	    dwarf_decl_line(die, &line))
		return;
	const char *path = hp_dwarf_source(die, DW_AT_decl_file);
	for (; at < wanted->count && wanted->functions[at]->offset == entry; at++)
		set_place(wanted->functions[at], wanted->unit, path, line);
}

/*
 * Take the line of the declaration, which has the function's name and is what people look for. A function with a cold
 * part has several ranges; its entry may be in any of them.
 */
static int take_declaration(Dwarf_Die *die, void *context)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t range = 0;

	while ((range = dwarf_ranges(die, range, &base, &begin, &end)) > 0)
		declare_at(context, die, begin);
	return DWARF_CB_OK;
}

/* Take the line of the first instruction, for a function without a declaration, or with one in another file. */
static void take_line(struct hp_function *function, Dwarf_Die *unit)
{
	Dwarf_Line *found = function->file ? NULL : dwarf_getsrc_die(unit, function->offset);
	int line = 0;

	if (found && dwarf_lineno(found, &line) == 0)
		set_place(function, unit, dwarf_linesrc(found, NULL, NULL), line);
}

/* Visit the functions in the ranges of a unit. Returns how many there are. */
static size_t each_inside(const struct wanted *wanted, Dwarf_Die *unit,
			  void (*visit)(struct hp_function *function, Dwarf_Die *unit))
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t range = 0;
	size_t count = 0;

	while ((range = dwarf_ranges(unit, range, &base, &begin, &end)) > 0) {
		size_t at = first_at(wanted, begin);
		for (; at < wanted->count && wanted->functions[at]->offset < end; at++, count++)
			if (visit)
				visit(wanted->functions[at], unit);
	}
	return count;
}

static void read_unit(struct wanted *wanted, Dwarf_Die *unit)
{
	if (each_inside(wanted, unit, NULL) == 0)
		return;
	wanted->unit = unit;
	dwarf_getfuncs(unit, take_declaration, wanted, 0);
	each_inside(wanted, unit, take_line);
}

/* ---- one file ---- */

static void read_module(struct wanted *wanted, const char *path)
{
	struct hp_dwarf_file file;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	if (!hp_dwarf_open(&file, path))
		return;
	while (dwarf_get_units(file.dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		read_unit(wanted, &die);
}

static bool is_wanted(const struct hp_function *function)
{
	return function->module && function->has_symbol && !function->file;
}

/* Represent calls of malloc as functions, looked up by the last byte of the call. */
static struct hp_function *calls_of(const struct hp_memory *memory)
{
	struct hp_function *calls = calloc(memory->live_count + 1, sizeof(*calls));

	for (size_t i = 0; calls && i < memory->live_count; i++)
		calls[i] = (struct hp_function){ .module = memory->live[i].module,
						 .offset = memory->live[i].offset - 1,
						 .has_symbol = true };
	return calls;
}

/* Store the lines that were found for calls as locations of live blocks. */
static void set_locations(struct hp_memory *memory, struct hp_function *calls)
{
	for (size_t i = 0; i < memory->live_count; i++) {
		char *location;
		if (calls[i].file &&
		    asprintf(&location, "%s:%" PRIu32, calls[i].file, calls[i].line) >= 0) {
			free(memory->live[i].location);
			memory->live[i].location = location;
		}
		free(calls[i].file);
	}
	hp_memory_join(memory);
}

static void look_up(struct hp_function **functions, size_t count)
{
	if (count)
		qsort(functions, count, sizeof(struct hp_function *), by_address);
	for (size_t i = 0; i < count;) {
		struct wanted wanted = { &functions[i], 0, NULL };
		const char *path = functions[i]->module;
		for (; i < count && strcmp(functions[i]->module, path) == 0; i++)
			wanted.count++;
		read_module(&wanted, path);
	}
}

void hp_lines_fill(struct hp_model *model)
{
	size_t room = model->function_count + model->memory.live_count + 1, count = 0;
	struct hp_function **functions = calloc(room, sizeof(struct hp_function *));
	struct hp_function *calls = calls_of(&model->memory);

	if (functions && calls) {
		for (size_t i = 0; i < model->function_count; i++)
			if (is_wanted(&model->functions[i]))
				functions[count++] = &model->functions[i];
		for (size_t i = 0; i < model->memory.live_count; i++)
			if (is_wanted(&calls[i]))
				functions[count++] = &calls[i];
		look_up(functions, count);
		set_locations(&model->memory, calls);
	}
	free(functions);
	free(calls);
}
