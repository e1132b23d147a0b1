/* SPDX-License-Identifier: MIT */
/* The table of functions of a profile, without duplicates. */
#include "functions.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static bool is_same(const void *things, uint32_t number, const void *key)
{
	const struct hp_functions *functions = things;
	const struct hp_code *a = key, *b = &functions->items[number];

	return a->module == b->module && a->line == b->line && strcmp(a->name, b->name) == 0 &&
	       strcmp(or_empty(a->file), or_empty(b->file)) == 0;
}

static uint64_t hash_of(const struct hp_code *code)
{
	uint64_t hash = hp_hash(0, (uint64_t)code->line << 32 | (uint32_t)code->module);

	return hp_hash_string(hp_hash_string(hash, code->name), or_empty(code->file));
}

static char *copy(const char *text, bool *failed)
{
	char *same = text ? strdup(text) : NULL;

	*failed |= text && !same;
	return same;
}

static bool append(struct hp_functions *functions, const struct hp_code *code)
{
	bool failed = false;
	struct hp_code *item = &functions->items[functions->count++];

	*item = *code;
	item->name = copy(code->name, &failed);
	item->system_name = copy(code->system_name ? code->system_name : code->name, &failed);
	item->file = copy(code->file, &failed);
	item->path = copy(code->path, &failed);
	return !failed;
}

uint32_t hp_functions_add(struct hp_functions *functions, const struct hp_code *code)
{
	uint32_t next = functions->count, number;

	functions->index.is_same = is_same;
	if (!hp_array_reserve(&functions->items, next, &functions->room, sizeof(*code)) ||
	    !hp_intern(&functions->index, hash_of(code), functions, code, next, &number))
		return HP_INDEX_NONE;
	return number < next || append(functions, code) ? number : HP_INDEX_NONE;
}

void hp_functions_free(struct hp_functions *functions)
{
	for (uint32_t i = 0; i < functions->count; i++) {
		free(functions->items[i].name);
		free(functions->items[i].system_name);
		free(functions->items[i].file);
		free(functions->items[i].path);
	}
	free(functions->items);
	hp_intern_free(&functions->index);
	*functions = (struct hp_functions){ .items = NULL };
}
