/* SPDX-License-Identifier: MIT */
/*
 * Finds the source functions of an address: the function that contains it, and those inlined there.
 *
 * Asking libdw for one address at a time takes milliseconds each, because it reads the unit again. Here each unit
 * with wanted addresses is walked once, from functions to what is inlined in them, skipping subtrees without wanted
 * addresses. A level is added to all addresses in its ranges:
 *
 *	addresses wanted      a    b       c
 *	function           [---------------------]     a, b, c
 *	  inlined              [-----]                    b
 *	    inlined in it       [--]                      b
 */
#include "symbols.h"

#include "demangle.h"
#include "dwarf_file.h"
#include "lower_bound.h"
#include "module_file.h"
#include "own_file.h"
#include "scopes.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Maximum nesting of inlined functions and lexical blocks. */
	DEPTH_MAX = 256,
};

struct place {
	/* Address in the executed code; for a call, of its last byte. */
	uint64_t address;
	const struct hp_cpu_frame *frame;
	struct hp_levels *levels;
};

/* The wanted places of a module, sorted by address. */
struct wanted {
	struct place *places;
	size_t count;
	struct hp_functions *functions;
	/* The unit that is being walked, for paths as passed to the compiler. */
	Dwarf_Die unit;
	struct hp_scopes scopes;
	bool failed;
};

bool hp_levels_push(struct hp_levels *levels, struct hp_level level)
{
	struct hp_level *items = reallocarray(levels->items, (size_t)levels->count + 1,
					      sizeof(*items));

	if (!items)
		return false;
	items[levels->count++] = level;
	levels->items = items;
	return true;
}

void hp_levels_free(struct hp_levels *levels, size_t count)
{
	for (size_t i = 0; levels && i < count; i++)
		free(levels[i].items);
	free(levels);
}

static int by_address(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->frame->module != b->frame->module)
		return a->frame->module < b->frame->module ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static bool is_before(const void *place, const void *address)
{
	return ((const struct place *)place)->address < *(const uint64_t *)address;
}

/* The first place at or after an address. */
static size_t first_at(const struct wanted *wanted, uint64_t address)
{
	return hp_lower_bound(&address, wanted->places, wanted->count, sizeof(*wanted->places),
			      is_before);
}

/* ---- one function ---- */

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;

	dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &value);
	return value <= INT32_MAX ? (uint32_t)value : 0;
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(
		dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

	return name ? name
		    : dwarf_formstring(
			      dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
}

/* A name as in reports: without its parameters if it is C++. From malloc. */
static char *readable_name(struct wanted *wanted, Dwarf_Die *die, const char *linkage)
{
	char *full = linkage ? hp_demangle(linkage) : NULL;
	char *name = full ? hp_demangled_name(full)
			  : hp_scopes_name(&wanted->scopes, &wanted->unit, die);

	free(full);
	return name;
}

/* A frame without a symbol is called after its file: "libc.so.6+0x1234". */
static bool has_symbol(const struct hp_cpu_frame *frame)
{
	return !strstr(frame->name, "+0x");
}

/*
 * Add the function of a DIE. With a place, it is the out-of-line function there and is named by the place's symbol;
 * without one, it is inlined.
 */
static uint32_t function_of(struct wanted *wanted, Dwarf_Die *die, const struct place *place)
{
	const char *path = hp_dwarf_source(die, DW_AT_decl_file);
	const char *linkage = linkage_name(die);
	struct hp_code code = { .line = path ? number_of(die, DW_AT_decl_line) : 0,
				.module = wanted->places[0].frame->module };
	bool by_symbol = place && has_symbol(place->frame);
	char *name = by_symbol ? place->frame->name : readable_name(wanted, die, linkage);
	Dwarf_Addr entry;

	code.name = name;
	code.system_name = (char *)(uintptr_t)linkage;
	code.file = path ? (char *)(uintptr_t)hp_dwarf_as_given(&wanted->unit, path) : NULL;
	code.path = path ? hp_dwarf_whole_path(&wanted->unit, path) : NULL;
	if (place && dwarf_entrypc(die, &entry) == 0)
		code.entry = entry;
	uint32_t function = name ? hp_functions_add(wanted->functions, &code) : HP_INDEX_NONE;
	if (!by_symbol)
		free(name);
	free(code.path);
	wanted->failed |= function == HP_INDEX_NONE;
	return function;
}

static void push(struct wanted *wanted, struct place *place, uint32_t function)
{
	wanted->failed |= !hp_levels_push(place->levels, (struct hp_level){ function, 0 });
}

/* Add a level to all places in a range of the code: the function itself, or one that is inlined in the last level. */
static void add_range(struct wanted *wanted, Dwarf_Die *die, bool inlined, size_t at, uint64_t end)
{
	uint32_t line = inlined ? number_of(die, DW_AT_call_line) : 0;
	uint32_t function = inlined ? function_of(wanted, die, NULL) : 0;

	for (; at < wanted->count && wanted->places[at].address < end && !wanted->failed; at++) {
		struct place *place = &wanted->places[at];
		struct hp_levels *levels = place->levels;
		if (inlined && levels->count) {
			levels->items[levels->count - 1].line = line;
			push(wanted, place, function);
		} else if (!inlined && levels->count == 0) {
			push(wanted, place, function_of(wanted, die, place));
		}
	}
}

/*
 * Add a level to all places in the ranges of a DIE; returns whether there are any. Ranges that the linker dropped
 * begin at 0.
 */
static bool add_levels(struct wanted *wanted, Dwarf_Die *die, bool inlined)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t range = 0;
	bool some = false;

	while ((range = dwarf_ranges(die, range, &base, &begin, &end)) > 0) {
		size_t at = first_at(wanted, begin);
		if (begin == 0 || at == wanted->count || wanted->places[at].address >= end)
			continue;
		add_range(wanted, die, inlined, at, end);
		some = true;
	}
	return some;
}

/* ---- one unit ---- */

static bool is_entered(struct wanted *wanted, Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		return add_levels(wanted, die, false);
	case DW_TAG_inlined_subroutine:
		return add_levels(wanted, die, true);
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return true;
	default:
		return false;
	}
}

static void walk(struct wanted *wanted, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		if (is_entered(wanted, &die))
			walk(wanted, &die, depth + 1);
	} while (!wanted->failed && dwarf_siblingof(&die, &die) == 0);
}

/* The line at a place, of the innermost function there, unless it is of another file. */
static void add_line(struct wanted *wanted, struct place *place, Dwarf_Die *unit)
{
	struct hp_levels *levels = place->levels;
	Dwarf_Line *found = levels->count ? dwarf_getsrc_die(unit, place->address) : NULL;
	const char *path = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
	int line = 0;
	if (!path || dwarf_lineno(found, &line) || line <= 0)
		return;

	struct hp_level *level = &levels->items[levels->count - 1];
	const struct hp_code *code = &wanted->functions->items[level->function];
	if (code->file && strcmp(code->file, hp_dwarf_as_given(&wanted->unit, path)) == 0)
		level->line = (uint32_t)line;
}

/* Visit the places in the ranges of a unit, or only see whether there are some. */
static bool each_inside(struct wanted *wanted, Dwarf_Die *unit, bool lines)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t range = 0;
	bool some = false;

	while ((range = dwarf_ranges(unit, range, &base, &begin, &end)) > 0) {
		size_t at = first_at(wanted, begin);
		for (; at < wanted->count && wanted->places[at].address < end; at++) {
			some = true;
			if (!lines)
				return true;
			add_line(wanted, &wanted->places[at], unit);
		}
	}
	return some;
}

/* With -gsplit-dwarf the functions are in another file than the ranges and lines. */
static void read_unit(struct wanted *wanted, Dwarf_Die *unit, Dwarf_Die *split)
{
	if (!each_inside(wanted, unit, false))
		return;
	wanted->unit = split->addr ? *split : *unit;
	walk(wanted, &wanted->unit, 0);
	each_inside(wanted, unit, true);
	hp_scopes_free(&wanted->scopes);
}

/* ---- one module ---- */

static bool is_same_file(const struct hp_cpu_module *module)
{
	struct hp_module ran = { .build_id_size = module->build_id_size };
	struct hp_module_file file;

	memcpy(ran.build_id, module->build_id, sizeof(ran.build_id));
	bool same = hp_module_file_open(&file, &ran, module->path) == NULL;
	hp_module_file_close(&file);
	return same;
}

static void read_module(struct wanted *wanted, const struct hp_cpu_module *module)
{
	struct hp_dwarf_file file;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split;

	if (!module->path || !is_same_file(module) || !hp_dwarf_open(&file, module->path))
		return;
	while (!wanted->failed &&
	       dwarf_get_units(file.dwarf, cu, &cu, NULL, NULL, &unit, &split) == 0)
		read_unit(wanted, &unit, &split);
}

static void read_modules(struct wanted *all, const struct hp_cpu *cpu)
{
	for (size_t i = 0, count; i < all->count && !all->failed; i += count) {
		struct wanted wanted = { .places = &all->places[i], .functions = all->functions };
		int32_t module = all->places[i].frame->module;
		for (count = 1; i + count < all->count; count++)
			if (all->places[i + count].frame->module != module)
				break;
		wanted.count = count;
		read_module(&wanted, &cpu->modules[module]);
		all->failed = wanted.failed;
	}
}

/* ---- all of them ---- */

/* The recorder and its probes count as one function. */
static bool is_own(const struct hp_cpu *cpu, const struct hp_cpu_frame *frame)
{
	return frame->module != HP_CPU_NOT_KNOWN &&
	       hp_is_own_file(cpu->modules[frame->module].path);
}

/* Places that DWARF does not cover get their symbol name. */
static bool add_names(const struct hp_cpu *cpu, struct hp_functions *functions,
		      struct hp_levels *levels)
{
	for (size_t i = 0; i < cpu->frame_count; i++) {
		const struct hp_cpu_frame *frame = &cpu->frames[i];
		struct hp_code code = { .name = frame->name,
					.module = is_own(cpu, frame) ? HP_CPU_NOT_KNOWN
								     : frame->module,
					.is_wait = frame->kind == HP_FRAME_WAIT };
		if (levels[i].count || frame->kind == HP_FRAME_SITE)
			continue;
		uint32_t function = hp_functions_add(functions, &code);
		if (function == HP_INDEX_NONE ||
		    !hp_levels_push(&levels[i], (struct hp_level){ function, 0 }))
			return false;
	}
	return true;
}

bool hp_symbols_find(const struct hp_cpu *cpu, struct hp_functions *functions,
		     struct hp_levels *levels)
{
	struct wanted wanted = { .places = calloc(cpu->frame_count + 1, sizeof(struct place)),
				 .functions = functions };

	for (size_t i = 0; wanted.places && i < cpu->frame_count; i++) {
		const struct hp_cpu_frame *frame = &cpu->frames[i];
		if (frame->kind == HP_FRAME_CODE && frame->module != HP_CPU_NOT_KNOWN &&
		    !is_own(cpu, frame))
			wanted.places[wanted.count++] = (struct place){
				frame->address - frame->returns, frame, &levels[i]
			};
	}
	if (wanted.count) {
		qsort(wanted.places, wanted.count, sizeof(*wanted.places), by_address);
		read_modules(&wanted, cpu);
	}
	bool done = wanted.places && !wanted.failed && add_names(cpu, functions, levels);
	free(wanted.places);
	return done;
}
