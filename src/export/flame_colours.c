/* SPDX-License-Identifier: MIT */
/* The colours of a flame graph: one for measured functions, one for what was waited for, and a hue for each module. */
#include "flame_colours.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	HUE_MEASURED = 145,
	HUE_PROGRAM = 36,
	HUE_WAIT = 300,
	/* Neighbours differ in lightness, and slightly in hue. */
	SHADES = 9,
	HUES = 13,
};

/* Different from the colours above, and from that of search results. */
static const int hues[] = { 210, 265, 8, 190, 232, 340, 60 };

static struct hp_flame_colour shade(int hue, int saturation, int lightness, const char *name)
{
	struct hp_flame_colour colour;
	uint64_t hash = hp_hash_string(0, name);
	int lighter = (int)(hash % SHADES), turn = *name ? (int)(hash / SHADES % HUES) : HUES / 2;

	snprintf(colour.text, sizeof(colour.text), "hsl(%d,%d%%,%d%%)", hue + turn - HUES / 2,
		 saturation, lightness + lighter);
	return colour;
}

/* A library has the same hue in every graph. */
static struct hp_flame_colour module_colour(const struct hp_profile *profile, int32_t module,
					    const char *name)
{
	const char *path = profile->cpu->modules[module].path;

	if (hp_profile_is_program(profile, module))
		return shade(HUE_PROGRAM, 90, 68, name);
	uint64_t hash = path ? hp_hash_string(0, hp_profile_base(path)) : 0;
	return shade(hues[hash % (sizeof(hues) / sizeof(*hues))], 65, 76, name);
}

struct hp_flame_colour hp_flame_colour(const struct hp_profile *profile, const struct hp_code *code)
{
	if (code && code->is_wait)
		return shade(HUE_WAIT, 45, 76, code->name);
	if (!code || (code->module == HP_CPU_NOT_KNOWN && !code->measured))
		return shade(0, 0, 82, code ? code->name : "");
	if (code->measured)
		return shade(HUE_MEASURED, 55, 62, code->name);
	return module_colour(profile, code->module, code->name);
}

/* ---- legend ---- */

struct module {
	int32_t number;
	/* The module is in the graph. */
	bool seen;
	uint64_t value;
};

static int by_value(const void *left, const void *right)
{
	const struct module *a = left, *b = right;

	if (a->value != b->value)
		return a->value < b->value ? 1 : -1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static bool has_measured(const struct hp_functions *functions)
{
	for (uint32_t i = 0; i < functions->count; i++)
		if (functions->items[i].measured)
			return true;
	return false;
}

static bool has_waits(const struct hp_functions *functions)
{
	for (uint32_t i = 0; i < functions->count; i++)
		if (functions->items[i].is_wait)
			return true;
	return false;
}

static void add_call(struct module *module, uint64_t value)
{
	module->seen = true;
	module->value += value;
}

/* Modules with functions of their colour, those with the most first. */
static struct module *rank_modules(const struct hp_profile *profile,
				   const struct hp_call_tree *tree)
{
	size_t count = profile->cpu->module_count;
	struct module *modules = calloc(count + 1, sizeof(*modules));

	for (size_t i = 0; modules && i < count; i++)
		modules[i].number = (int32_t)i;
	for (uint32_t i = 0; modules && i < tree->count; i++) {
		const struct hp_call *call = &tree->calls[i];
		const struct hp_code *code = call->depth ? &profile->functions.items[call->key]
							 : NULL;
		if (code && !code->measured && code->module != HP_CPU_NOT_KNOWN)
			add_call(&modules[code->module], hp_profile_main(profile, &call->values));
	}
	if (modules)
		qsort(modules, count, sizeof(*modules), by_value);
	return modules;
}

unsigned hp_flame_legend(const struct hp_profile *profile, const struct hp_call_tree *tree,
			 struct hp_flame_legend *legend, unsigned room)
{
	struct module *modules = rank_modules(profile, tree);
	size_t modules_count = profile->cpu->module_count;
	unsigned count = 0;

	if (has_measured(&profile->functions))
		legend[count++] = (struct hp_flame_legend){ "measured",
							    shade(HUE_MEASURED, 55, 66, "") };
	if (has_waits(&profile->functions))
		legend[count++] = (struct hp_flame_legend){ "what it waited for",
							    shade(HUE_WAIT, 45, 80, "") };
	for (size_t i = 0; modules && i < modules_count && count < room; i++) {
		int32_t number = modules[i].number;
		const char *path = profile->cpu->modules[number].path;
		if (path && modules[i].seen)
			legend[count++] = (struct hp_flame_legend){
				hp_profile_base(path), module_colour(profile, number, "")
			};
	}
	free(modules);
	return count;
}
