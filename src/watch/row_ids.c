/* SPDX-License-Identifier: MIT */
/* Ids for the rows of a sum of processes. */
#include "row_ids.h"

#include "array.h"
#include "file_name.h"

#include <stdlib.h>

static uint64_t add_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = hp_hash(hash, (unsigned char)*text);
	return hp_hash(hash, 0);
}

/* As rows of several processes are merged. */
uint64_t hp_row_key(const struct hp_function *function)
{
	const char *module = function->module ? hp_file_name(function->module) : NULL;
	uint64_t hash = add_text(add_text(1, function->name), function->file);

	hash = hp_hash(hp_hash(hash, function->line), function->kind);
	return add_text(hash, module);
}

static uint64_t key_of_entry(const struct hp_entry *entry)
{
	uint64_t hash = add_text(add_text(2, entry->name), entry->file);

	hash = hp_hash(hp_hash(hash, entry->line), entry->site_kind);
	return add_text(hash, entry->kind->key);
}

static bool is_key(const void *keys, uint32_t id, const void *key)
{
	return ((const uint64_t *)keys)[id] == *(const uint64_t *)key;
}

/* The id 0 is none. */
static bool find_id(struct hp_row_ids *ids, uint64_t key, uint32_t *id)
{
	uint32_t next = ids->count ? ids->count : 1;

	ids->known.is_same = is_key;
	if (!hp_array_reserve(&ids->keys, next, &ids->room, sizeof(*ids->keys)) ||
	    !hp_intern(&ids->known, key, ids->keys, &key, next, id))
		return false;
	if (*id != next)
		return true;
	ids->keys[next] = key;
	ids->count = next + 1;
	return true;
}

bool hp_row_ids_set(struct hp_row_ids *ids, struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (!find_id(ids, hp_row_key(&model->functions[i]), &model->functions[i].id))
			return false;
	for (size_t i = 0; i < model->entries.count; i++) {
		struct hp_entry *entry = &model->entries.items[i];
		if (!find_id(ids, key_of_entry(entry), &entry->id))
			return false;
	}
	return true;
}

void hp_row_ids_clear(struct hp_row_ids *ids)
{
	hp_intern_free(&ids->known);
	free(ids->keys);
	*ids = (struct hp_row_ids){ .count = 0 };
}
