/* SPDX-License-Identifier: MIT */
/* Finds the functions of a model by name, file, line, kind and module. */
#include "function_index.h"

#include "file_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *file_of(const struct hp_function *function)
{
	return function->file ? function->file : "";
}

static const char *module_of(const struct hp_function *function)
{
	return function->module ? hp_file_name(function->module) : "";
}

static bool is_same_place(const struct hp_function *a, const struct hp_function *b)
{
	return a->line == b->line && a->kind == b->kind && strcmp(a->name, b->name) == 0 &&
	       strcmp(file_of(a), file_of(b)) == 0 && strcmp(module_of(a), module_of(b)) == 0;
}

/* FNV-1a. */
static uint64_t hash_string(uint64_t hash, const char *string)
{
	for (; *string; string++)
		hash = (hash ^ (unsigned char)*string) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_of(const struct hp_function *function)
{
	uint64_t hash = hash_string(UINT64_C(0xcbf29ce484222325), function->name);
	hash = hash_string(hash, file_of(function));
	hash = (hash ^ function->line) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

size_t *hp_function_index_slot(const struct hp_function_index *index, const struct hp_model *model,
			       const struct hp_function *function)
{
	size_t at = (size_t)hash_of(function) & index->mask;

	while (index->slots[at] &&
	       !is_same_place(&model->functions[index->slots[at] - 1], function))
		at = (at + 1) & index->mask;
	return &index->slots[at];
}

int hp_function_index_open(struct hp_function_index *index, const struct hp_model *model,
			   size_t room)
{
	size_t size = 16;
	while (size < 2 * room)
		size *= 2;
	index->slots = calloc(size, sizeof(*index->slots));
	if (!index->slots)
		return -ENOMEM;
	index->mask = size - 1;
	for (size_t i = 0; i < model->function_count; i++)
		*hp_function_index_slot(index, model, &model->functions[i]) = i + 1;
	return 0;
}

void hp_function_index_close(struct hp_function_index *index)
{
	free(index->slots);
}
