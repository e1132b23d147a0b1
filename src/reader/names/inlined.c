/* SPDX-License-Identifier: MIT */
/* Adds inlined functions and source lines to names. */
#include "inlined.h"

#include "name_details.h"
#include "symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The places of one module, as if they were frames of stacks. */
struct places {
	struct hp_cpu cpu;
	struct hp_cpu_module module;
	struct hp_functions functions;
	struct hp_levels *levels;
};

/* For an object that a probe found, the address is a return address in the function that created it. */
static struct hp_cpu_frame frame_of(const struct hp_name *name)
{
	return (struct hp_cpu_frame){ .kind = HP_FRAME_CODE,
				      .address = name->address + (name->is_call ? 1 : 0),
				      .returns = name->is_call || name->is_found,
				      .function = HP_CPU_NOT_KNOWN,
				      .name = name->text };
}

static bool open_places(struct places *places, struct hp_name **names, size_t count,
			const struct hp_module *module, const char *path)
{
	*places = (struct places){ .module = { .path = (char *)(uintptr_t)path } };
	hp_cpu_module_copy_build_id(&places->module, module);
	places->cpu.modules = &places->module;
	places->cpu.module_count = 1;
	places->cpu.frames = calloc(count + 1, sizeof(*places->cpu.frames));
	places->levels = calloc(count + 1, sizeof(*places->levels));
	if (!places->cpu.frames || !places->levels)
		return false;
	for (size_t i = 0; i < count; i++)
		places->cpu.frames[places->cpu.frame_count++] = frame_of(names[i]);
	return true;
}

static void close_places(struct places *places)
{
	hp_levels_free(places->levels, places->cpu.frame_count);
	hp_functions_free(&places->functions);
	free(places->cpu.frames);
}

/* A function may be inlined in itself, or in an alias of itself: then it is mentioned once. */
static bool is_same_function(const struct hp_code *a, const struct hp_code *b)
{
	if (a->file && b->file && a->line)
		return a->line == b->line && strcmp(a->file, b->file) == 0;
	return strcmp(a->name, b->name) == 0;
}

/* The name of an inlined function; from malloc. */
static char *inlined_name(const struct hp_name *name, const struct hp_code *code)
{
	char *text;

	return asprintf(&text, "%s (in %s)", code->name, name->text) < 0 ? NULL : text;
}

static bool take_innermost(struct hp_name *name, const struct hp_code *code)
{
	struct hp_name_detail *detail = &name->detail;

	detail->file = code->file ? strdup(code->file) : NULL;
	detail->line = detail->file ? code->line : 0;
	detail->inlined = inlined_name(name, code);
	return detail->inlined && (detail->file || !code->file);
}

static bool take_between(struct hp_name *name, const struct hp_code *code, uint32_t place_line,
			 bool is_outermost)
{
	struct hp_between *between = hp_betweens_add(&name->detail.between);

	if (!between)
		return false;
	between->name = is_outermost ? strdup(name->text) : inlined_name(name, code);
	if (!code->file)
		return between->name;
	between->file = strdup(code->file);
	between->line = code->line;
	if (place_line && asprintf(&between->location, "%s:%" PRIu32, code->file, place_line) < 0) {
		between->location = NULL;
		return false;
	}
	return between->name && between->file;
}

static bool take_betweens(struct hp_name *name, const struct hp_levels *levels,
			  const struct hp_functions *functions)
{
	const struct hp_code *around = &functions->items[levels->items[0].function];
	const struct hp_code *inner = &functions->items[levels->items[levels->count - 1].function];
	bool done = true;

	for (uint32_t i = levels->count - 1; done && i-- > 1;) {
		const struct hp_code *code = &functions->items[levels->items[i].function];
		if (name->detail.between.count == HP_BETWEEN_MAX)
			break;
		if (!is_same_function(code, inner))
			done = take_between(name, code, levels->items[i].line,
					    is_same_function(code, around));
		inner = code;
	}
	return done;
}

static bool take(struct hp_name *name, const struct hp_levels *levels,
		 const struct hp_functions *functions)
{
	struct hp_name_detail *detail = &name->detail;
	if (!levels->count || !functions->items)
		return true;

	const struct hp_level *last = &levels->items[levels->count - 1];
	const struct hp_code *code = &functions->items[last->function];
	const struct hp_code *around = &functions->items[levels->items[0].function];
	detail->place_line = last->line;
	detail->place_file = last->line && code->file ? strdup(code->file) : NULL;
	bool is_inlined = !is_same_function(code, around);
	if (!take_betweens(name, levels, functions))
		return false;
	if (!is_inlined && !detail->between.count)
		return true;
	detail->outer_line = levels->items[0].line;
	detail->outer_file = around->file ? strdup(around->file) : NULL;
	return !is_inlined || take_innermost(name, code);
}

static bool read_details(struct hp_name **names, size_t count, const struct hp_module *module,
			 const char *path)
{
	struct places places;
	bool done = open_places(&places, names, count, module, path) &&
		    hp_symbols_find(&places.cpu, &places.functions, places.levels);

	for (size_t i = 0; i < count && done; i++)
		done = take(names[i], &places.levels[i], &places.functions);
	close_places(&places);
	return done;
}

void hp_inlined_use(void)
{
	hp_name_details_read = read_details;
}
